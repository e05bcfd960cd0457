// How all widgets look: the theme's colours where there is a theme, light or dark.

export const STYLE = `
:host {
  --ink: var(--pst-color-text-base, #222832);
  --paper: var(--pst-color-background, #fff);
  --card: var(--pst-color-surface, #f3f4f5);
  --line: #767b85;
  --soft: #d5d8de;
  --accent: #0b5cad;
  --wrong: #b3261e;
  --good: #1b6e3c;
  --most: 45%; /* of the accent, behind text */
  --k0: #0072b2; --k1: #b34700; --k2: #00785a; --k3: #a23b82; --k4: #7a6200;
  display: block; color: var(--ink); margin: 1rem 0; font-size: 0.95rem; line-height: 1.45;
}
:host([data-dark]) {
  --ink: var(--pst-color-text-base, #ced6dd);
  --paper: var(--pst-color-background, #14181e);
  --card: var(--pst-color-surface, #1f2530);
  --line: #8b93a1;
  --soft: #3f4754;
  --accent: #6cb6ff;
  --wrong: #ff8a80;
  --good: #7ddc9d;
  --most: 32%;
  --k0: #5ab4f0; --k1: #ff9d5c; --k2: #4fd6ad; --k3: #f09bd4; --k4: #e6cf5a;
}
* { box-sizing: border-box; }
.widget {
  border: 1px solid var(--soft); border-radius: 0.6rem; padding: 0.9rem; background: var(--paper);
}
.controls { display: flex; flex-wrap: wrap; gap: 0.6rem 1.2rem; align-items: center; }
.control { display: inline-flex; flex-wrap: wrap; gap: 0.2rem 0.5rem; align-items: center; }
.control .value { min-width: 2.2em; font-variant-numeric: tabular-nums; }
select, button, input[type="number"] {
  font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: 0.35rem; padding: 0.3rem 0.6rem; min-height: 2.2rem; max-width: 100%; text-overflow: ellipsis;
}
button { cursor: pointer; }
input[type="range"] { accent-color: var(--accent); width: min(9rem, 36vw); height: 2.2rem; }
input[type="checkbox"] { accent-color: var(--accent); width: 1.5rem; height: 1.5rem; margin: 0; }
.group { border: 0; margin: 0; padding: 0; min-width: 0; }
.group > legend { float: left; width: auto; margin: 0 0.7rem 0 0; padding: 0; font: inherit; line-height: 2.2rem; }
.group > div { display: flex; flex-wrap: wrap; gap: 0.3rem 0.9rem; align-items: center; min-height: 2.2rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.45rem; text-align: right; font-weight: 400; }
caption, figcaption { text-align: left; font-weight: 600; margin: 0; font-size: 1em; }
.scroll { overflow-x: auto; max-width: 100%; background: /* a shade at the edge where more is */
  linear-gradient(var(--paper), var(--paper)) 0 0 / 0.4rem 100% no-repeat local,
  linear-gradient(var(--paper), var(--paper)) 100% 0 / 0.4rem 100% no-repeat local,
  linear-gradient(to right, var(--edge, var(--line)), transparent) 0 0 / 0.4rem 100% no-repeat scroll,
  linear-gradient(to left, var(--edge, var(--line)), transparent) 100% 0 / 0.4rem 100% no-repeat scroll; }
.note { margin: 0.5rem 0 0; }
.wrong { color: var(--wrong); font-weight: 600; }
.good { color: var(--good); font-weight: 600; }
.aloud { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
summary { cursor: pointer; padding: 0.3rem 0; }
.note > strong { font-weight: 600; }
/* On a telephone controls stand in two columns and stay in sight over what they change. */
@media (max-width: 40rem) {
  .widget { padding: 0.6rem; }
  .controls:has(.control) { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.3rem 0.8rem;
    align-items: end; }
  .controls > .control { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 0.4rem; line-height: 1.3; }
  .control > span:first-child { font-size: 0.94em; }
  .controls > .control > :is(select, input[type="range"]) { grid-column: 1 / -1; width: 100%; }
  .controls > .control > .value { grid-area: 1 / 2; text-align: right; }
  :is(.controls, .group) :is(select, button) { padding: 0.1rem 0.4rem; min-height: 2rem; }
  .controls input[type="range"] { height: 1.6rem; margin: 0; }
  .controls > :not(.control, button) { grid-column: 1 / -1; }
  .stays { position: sticky; top: var(--below-header, 3.5rem); z-index: 3; background: var(--paper);
    margin: -0.3rem -0.3rem 0; padding: 0.3rem 0.3rem 0.4rem; border-bottom: 1px solid var(--soft); }
}
@media (max-width: 22rem) {
  .controls > .control > .value { min-width: 1.7em; }
  .control > span:first-child { font-size: 0.85em; overflow-wrap: normal; }
}
/* Below 16 pixels iOS would make the whole page larger when a field has the focus. */
@media (pointer: coarse) { select, input[type="number"] { font-size: max(16px, 1em); } }
@media print { .controls, details, .how { display: none; } }
`;

/** Keep `data-dark` on an element true to the page: the theme's choice first, then the system's. */
export function followTheme(host) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const page = document.documentElement;
  const apply = () => {
    const chosen = page.dataset.theme;
    host.toggleAttribute("data-dark", chosen ? chosen === "dark" : system.matches);
  };
  const observer = new MutationObserver(apply);
  observer.observe(page, { attributeFilter: ["data-theme"] });
  system.addEventListener("change", apply);
  apply();
  return () => {
    observer.disconnect();
    system.removeEventListener("change", apply);
  };
}
