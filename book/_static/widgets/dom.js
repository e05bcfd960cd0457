// Small tools for building elements. No framework: a widget is read from top to bottom.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element: `el("button", { type: "button", onclick }, "Reset")`. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Make an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * Define a widget's element, and so set it up, when the reader does the first thing on the page: all
 * stand below its first screen, and what is set up before makes the browser wait.
 */
export function define(name, widget) {
  document.addEventListener("readerbegins", () => customElements.define(name, widget), { once: true });
}

/** Set attributes: functions become listeners, false and null remove, true sets an empty one. */
export function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (value === false || value == null) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : value);
  }
  return node;
}

/** A number as text, with a true minus sign and a fixed number of digits. */
export function show(x, digits = 2) {
  if (Number.isNaN(x)) return "NaN";
  if (x === -Infinity) return "−∞";
  const text = Math.abs(x).toFixed(digits);
  return (x < 0 && Number(text) !== 0 ? "−" : "") + text;
}

/** A weight as text: a weight that rounds to 0.00 but is not 0 says so. */
export function showWeight(w, digits = 3) {
  const smallest = 10 ** -digits;
  return w > 0 && w < smallest / 2 ? w.toExponential(0).replace("-", "−") : show(w, digits);
}

/** A labelled control; the label stands before it. */
export function labelled(text, control, ...after) {
  return el("label", { class: "control" }, el("span", {}, text), control, ...after);
}

/** Controls that belong together, in a row with a name. */
export function group(name, ...controls) {
  return el("fieldset", { class: "group" }, el("legend", {}, name), el("div", {}, ...controls));
}

/** A drop-down list of [value, text] pairs. */
export function choice(options, chosen, onchange) {
  const select = el("select", {
    onchange: () => onchange(select.value),
  });
  select.append(...options.map(([value, text]) => el("option", { value }, text)));
  select.value = chosen;
  return select;
}

/** A region that a screen reader reads when its text changes, once the changes pause. */
export function announcer(wait = 500) {
  const region = el("p", { class: "aloud", role: "status", "aria-live": "polite" });
  let timer = 0;
  region.say = (text) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      region.textContent = text;
    }, wait);
  };
  return region;
}

function fill(node, attributes, children) {
  set(node, attributes);
  node.append(...children.filter((child) => child != null));
  return node;
}
