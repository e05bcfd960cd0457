// What a person would stumble over in a notebook, as sentences: the same for each renderer. JupyterLab
// and nbconvert's template for it give the parts of a page the same classes.
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

import { ROOT, SITE } from "../site/site.mjs";

/** Read the page that is open in `tab`, inside the element `scope`: texts, pictures, links, ids. */
export function read(tab, scope = "body") {
  return tab.evaluate(async (selector) => {
    const page = document.querySelector(selector);
    const cells = [...page.querySelectorAll(".jp-Cell")];
    const faults = [];
    const say = (node, what, text = node.textContent) => faults.push(
      `cell ${cells.indexOf(node.parentElement.closest(".jp-Cell"))}: ${what}: ` +
        JSON.stringify(text.trim().replace(/\s+/g, " ").slice(0, 120)),
    );

    // Text that is not code. A formula that is set has its source, if at all, in a hidden element.
    const CODE = "code, pre, script, style, mjx-container, .MathJax, .katex";
    const TEXT = [
      [/^\s*(`{3,}|~{3,}|:{3,})/m, "a raw fence"],
      [/\{[a-z][\w:.-]*\}`/, "a raw role"],
      [/^\([a-z][\w:-]*\)=\s*$/m, "a raw label"],
      [/^:[a-z][\w-]*:(\s|$)/m, "a raw option"],
      [/^(%(\s|$)|\+\+\+)/m, "a raw comment or break of MyST"],
      [/\[\^[\w-]+\]/, "a raw footnote"],
      [/\{\{.*\}\}/, "a raw substitution"],
      [/<\/?[a-z][a-z-]*(\s[^<>]*)?>/i, "a raw tag"],
      [/\*\*|\]\([^)\s]+\)|^\s*- \(/m, "raw Markdown"],
      [/\$(?![\d.,]+([\s).,;]|$))/, "a formula that is not set"], // $5 is a price
      [/\\([()[\]]|[a-zA-Z]{2,})/, "a formula that is not set"],
    ];
    const roots = page.querySelectorAll(".jp-RenderedHTMLCommon");
    for (const root of roots) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (!node.data.trim() || node.parentElement.closest(CODE)) continue;
        const found = TEXT.filter(([pattern]) => pattern.test(node.data));
        for (const what of new Set(found.map((each) => each[1]))) say(node, what);
        if (["details", "div"].includes(node.parentElement.localName)) {
          say(node, "text that no renderer has read as Markdown: is an empty line missing?");
        }
        const next = node.nextSibling;
        if (/\{[a-z][\w:.-]*\}$/.test(node.data) && next?.localName === "code") {
          say(node, "a raw role", `${node.data.slice(-40)}\`${next.textContent}\``);
        }
      }
      for (const code of root.querySelectorAll("pre")) {
        const language = code.querySelector("[class*='language-{']");
        if (language || /^\s*(\{[a-z][\w:-]*\}|`{3}|:{3})/m.test(code.textContent)) {
          say(code, "a raw directive", code.textContent);
        }
      }
      for (const error of root.querySelectorAll(
        "mjx-merror, [data-mjx-error], [data-mml-node=merror], .katex-error, .MathJax_Error, " +
          "mjx-mtext[style*='color: red'], [data-mml-node=mtext][fill=red]",
      )) {
        say(error, "a formula with an error",
          error.getAttribute("data-mjx-error") ?? error.getAttribute("title") ?? error.textContent);
      }
      for (const details of root.querySelectorAll("details")) {
        const summary = details.querySelector(":scope > summary");
        if (!summary?.textContent.trim()) say(details, "<details> without <summary>");
        const inside = details.textContent.trim().length - (summary?.textContent.trim().length ?? 0);
        if (inside < 3 && !details.querySelector("img")) say(details, "<details> is empty");
      }
    }

    await Promise.all([...page.querySelectorAll(".jp-Cell img")].map((image) =>
      image.decode().catch(() => {})));
    for (const image of page.querySelectorAll(".jp-Cell img")) {
      const file = decodeURI(image.src).slice(0, 80);
      if (!image.naturalWidth) say(image, "a picture does not load", file);
      // No renderer lets a notebook say the alternative text of a picture that code has drawn, and
      // JupyterLab says "Image" where a text has none.
      const drawn = image.closest(".jp-RenderedImage");
      if (!drawn && ["", "Image"].includes(image.alt.trim())) say(image, "a picture without alternative text", file);
    }

    for (const link of page.querySelectorAll(".jp-RenderedHTMLCommon a:not([href])")) {
      if (link.textContent.trim()) say(link, "a link without an address");
    }
    const links = [...page.querySelectorAll(".jp-RenderedHTMLCommon a[href]")]
      .filter((a) => !a.matches(".anchor-link, .jp-InternalAnchorLink"))
      .map((a) => {
        if (!a.textContent.trim() && !a.querySelector("img")) say(a, "a link without text", a.href);
        const cell = cells.indexOf(a.closest(".jp-Cell"));
        return { cell, text: a.textContent.trim().slice(0, 40), raw: a.getAttribute("href"), href: a.href };
      });
    const ids = [...page.querySelectorAll("[id], [data-jupyter-id], a[name]")]
      .flatMap((node) => [node.id, node.dataset.jupyterId, node.getAttribute("name")])
      .filter(Boolean);
    return { faults, links, ids, cells: cells.length };
  }, scope);
}

/** Click each link within the notebook once; say which ones do not bring their target to view. */
export function click(tab, scope = "body") {
  return tab.evaluate(async (selector) => {
    const page = document.querySelector(selector);
    const cells = [...page.querySelectorAll(".jp-Cell")];
    const links = [...page.querySelectorAll(".jp-RenderedHTMLCommon a[href^='#']")]
      .filter((a) => !a.matches(".anchor-link, .jp-InternalAnchorLink"));
    const scroller = page.querySelector(".jp-WindowedPanel-outer") ?? document.scrollingElement;
    const seen = new Set();
    const faults = [];
    for (const link of links) {
      const name = decodeURIComponent(link.getAttribute("href").slice(1));
      if (seen.has(name)) continue;
      seen.add(name);
      const fault = (what) => faults.push(
        `cell ${cells.indexOf(link.closest(".jp-Cell"))}: the link "${link.textContent.trim()}" ` +
          `to #${name} ${what}`,
      );
      const quoted = CSS.escape(name);
      const target = page.querySelector(
        `[id="${quoted}"], [data-jupyter-id="${quoted}"], a[name="${quoted}"]`,
      );
      if (!target) {
        fault("has no target");
        continue;
      }
      // Start far from the target: what lies in view anyhow proves nothing.
      const at = target.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
      scroller.scrollTo(0, at + scroller.scrollTop > scroller.scrollHeight / 2 ? 0 : 1e7);
      link.click();
      for (let tries = 0; tries < 20; tries += 1) {
        const { top } = target.getBoundingClientRect();
        if (target.getClientRects().length && top > -40 && top < innerHeight) break;
        if (tries === 19) fault("does not scroll to it");
        await new Promise((done) => setTimeout(done, 25));
      }
    }
    return faults;
  }, scope);
}

/** Links that lead nowhere. `here(href)` gives the path from the repository's root, if it is one. */
export function deadLinks(visited, here, root = ROOT) {
  const faults = {};
  for (const [notebook, { links }] of Object.entries(visited)) {
    const found = links.flatMap(({ cell, text, raw, href }) => {
      const to = here(href) ?? raw;
      const fault = (what) => [`cell ${cell}: the link "${text}" to ${to} ${what}`];
      let url;
      try {
        url = new URL(href);
      } catch {
        return fault("is no address");
      }
      const anchor = decodeURIComponent(url.hash.slice(1));
      if (raw.startsWith("#")) return []; // clicked
      if (url.protocol === "mailto:") return [];
      if (here(href) === null) return elsewhere(url, raw).flatMap(fault);
      if (!existsSync(join(root, to))) return fault("leads to no file");
      const other = visited[posix.normalize(to)];
      return anchor && other && !other.ids.includes(anchor) ? fault("has no such anchor") : [];
    });
    if (found.length) faults[notebook] = found;
  }
  return faults;
}

/** What is wrong with an address on another host; a page of the course's site must exist. */
function elsewhere(url, raw) {
  if (!/^https?:$/.test(url.protocol)) return [`has the scheme ${url.protocol}`];
  if (/OWNER|undefined|None|[{}<>\s]|%7B/.test(raw) || url.pathname.includes("//")) {
    return ["is not well-formed"];
  }
  const page = url.pathname.match(/\/(book\/[\w-]+|index)\.html$/)?.[1];
  if (!page) return [];
  const sources = [".md", ".ipynb"].map((end) => join(ROOT, page + end));
  if (!sources.some(existsSync)) return ["leads to no page of the site"];
  const built = join(SITE, `${page}.html`);
  const anchor = decodeURIComponent(url.hash.slice(1));
  if (!anchor || !existsSync(built)) return [];
  return readFileSync(built, "utf8").includes(`id="${anchor}"`) ? [] : ["has no such anchor on the site"];
}
