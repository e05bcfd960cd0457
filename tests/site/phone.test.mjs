// A telephone of 390 by 844 pixels: code fits, what is wider shows that it goes on, and what a widget's
// controls change is in sight with them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { cannotRun, coursePages, forAllTests, SITE, SOON, soon } from "./site.mjs";

const skip = cannotRun();
const here = forAllTests({ before, after });
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, reducedMotion: "reduce" };
const PLAYGROUND = "book/playground.html"; // its widget is what the page is for, so it stands on the first screen
const PAGES = skip ? [] : coursePages().filter((page) => /\/\d\d-/.test(page) || page === PLAYGROUND);

/** Open a page on the telephone; formulas are not measured here. */
async function at(page, change = () => {}) {
  const context = await here.chrome.newContext(PHONE);
  await context.route(/mathjax/, (route) => route.abort());
  const tab = await context.newPage();
  await tab.goto(`${here.site.address}/${page}`, { waitUntil: "load" });
  await change(tab);
  return tab;
}

/** Draw a finger over the screen, in ten steps. */
async function draw(tab, from, to) {
  const session = await tab.context().newCDPSession(tab);
  const at = (share) => [{ x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) }];
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) });
  for (let step = 1; step <= 10; step += 1) {
    await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(step / 10) });
    await tab.waitForTimeout(20);
  }
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

const PLANES = [
  ["book/01-attention-as-soft-retrieval.html", "plain-recipe-tin"],
  ["book/02-scaled-dot-product-attention.html", "plain-attention-explorer"],
  ["book/08-training.html", "plain-optimiser-explorer"],
];
for (const [page, name] of PLANES) {
  test(`${name}: a finger draws a point as far as it goes, and the page stays`, { skip }, async () => {
    const tab = await at(page);
    await tab.evaluate(() => window.dispatchEvent(new Event("pointermove")));
    await tab.waitForFunction(() => "laidOut" in document.documentElement.dataset);
    const point = tab.locator(`${name} .plane .point:is([aria-label=Query], [aria-label=Start])`);
    await point.evaluate((node) => node.ownerSVGElement.scrollIntoView({ block: "center", behavior: "instant" }));
    const middle = () => point.locator(".touch").first().evaluate((node) => {
      const { left, top, width, height } = node.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    });
    const [from, top] = [await middle(), await tab.evaluate(() => scrollY)];
    const square = await point.evaluate((node) => node.ownerSVGElement.getBoundingClientRect().toJSON());
    const to = { x: from.x + (from.x > square.left + square.width / 2 ? -60 : 60),
      y: from.y + (from.y > square.top + square.height / 2 ? -60 : 60) };
    await draw(tab, from, to);
    const now = await middle();
    assert.equal(await tab.evaluate(() => scrollY), top);
    assert.ok(Math.hypot(now.x - to.x, now.y - to.y) < 12, JSON.stringify({ from, to, now }));
    await tab.context().close();
  });
}

/** In the page: code that is cut, and outputs and tables that are cut without a sign. */
function cut() {
  const wide = (node) => node.clientWidth && node.scrollWidth > node.clientWidth + 1;
  const name = (node) => node.textContent.trim().slice(0, 40);
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const code = [...document.querySelectorAll(".cell_input pre, .prev-next-area a")].filter(wide);
  const rest = [...document.querySelectorAll("article pre, .pst-scrollable-table-container")]
    .filter((node) => wide(node) && !code.includes(node)).filter((node) => {
      const style = getComputedStyle(node);
      return !(style.overflowX === "auto" && style.backgroundAttachment.includes("local"));
    });
  return [...code.map((node) => `code is cut: ${name(node)}`), ...rest.map((node) => `no sign: ${name(node)}`)];
}

for (const page of PAGES) {
  test(`${page}: no code is cut, and nothing is cut without a sign`, { skip }, async () => {
    const tab = await at(page);
    assert.deepEqual(await tab.evaluate(cut), []);
    await tab.context().close();
  });
}

test("without the wrapping of lines, code is cut", { skip }, async () => {
  const tab = await at(PAGES[0], (page) =>
    page.addStyleTag({ content: ".bd-article .cell_input pre, .line { white-space: pre !important }" }));
  assert.match((await tab.evaluate(cut)).join("; "), /code is cut/);
  await tab.context().close();
});

/** In the page: what is wrong with a widget on a telephone. */
function crowded(name) {
  const root = document.querySelector(name).shadowRoot;
  const all = [...root.querySelectorAll(".widget *")].filter((node) => node.checkVisibility());
  const found = [];
  const stays = root.querySelector(".stays");
  const whole = root.querySelector(".widget").getBoundingClientRect().height;
  const top = document.querySelector(".header-article, .bd-header-article")?.offsetHeight ?? 0;
  if (stays) {
    const high = stays.getBoundingClientRect().height;
    if (getComputedStyle(stays).position !== "sticky") found.push("its controls scroll away");
    if (high + top > innerHeight * 0.45) found.push(`its controls take ${Math.round(high)} px`);
  } else if (!root.querySelector("h3, h4") && whole + top > innerHeight) {
    found.push(`it is ${Math.round(whole)} px high, and its controls scroll away`);
  }
  for (const node of all) {
    const box = node.getBoundingClientRect();
    if (node.closest(".aloud") || !box.width) continue;
    if (box.right > innerWidth + 1) found.push(`<${node.localName}> sticks out: ${node.textContent.slice(0, 30)}`);
    if (node.matches("select, input[type=number]") && parseFloat(getComputedStyle(node).fontSize) < 16) {
      found.push(`a field of ${getComputedStyle(node).fontSize}: iOS makes the page larger`);
    }
    if (node.matches("button, input, select, summary") && Math.min(box.width, box.height) < 23.9) {
      found.push(`<${node.localName}> is ${Math.round(box.width)} by ${Math.round(box.height)} px`);
    }
  }
  return found;
}

for (const page of PAGES) {
  const names = [...new Set([...readFileSync(join(SITE, page), "utf8").matchAll(/<(plain-[a-z-]+)/g)]
    .map((match) => match[1]))];
  for (const name of names) {
    test(`${name}: control and effect are on one screen, and nothing is cut`, { skip }, async () => {
      const tab = await at(page);
      const place = tab.locator(name).first();
      assert.ok(await place.evaluate((node, first) => !node.shadowRoot && (first || node.getBoundingClientRect().top > innerHeight), page === PLAYGROUND),
        `${name} is below the first screen, and not set up before its reader comes`);
      await place.scrollIntoViewIfNeeded();
      await tab.waitForFunction((each) => document.querySelector(each).shadowRoot, name);
      assert.deepEqual(await tab.evaluate(crowded, name), []);
      await tab.context().close();
    });
  }
}

/** In the page: what is too small at 320 pixels: words that break in two, letters of a chart. */
function small(name) {
  const root = document.querySelector(name).shadowRoot;
  const found = [];
  for (const label of root.querySelectorAll(".control > span:first-child")) {
    const range = document.createRange();
    for (const text of label.childNodes) {
      for (const { 0: word, index } of text.data?.matchAll(/\S+/g) ?? []) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (tops.size > 1) found.push(`"${word}" breaks`);
      }
    }
    if (label.scrollWidth > label.clientWidth + 1 && label.clientWidth) found.push(`"${label.textContent}" sticks out`);
  }
  for (const text of root.querySelectorAll(".chart text")) {
    const high = parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getScreenCTM().a;
    if (high < 9.9) found.push(`"${text.textContent}" is ${high.toFixed(1)} px high`);
  }
  return found;
}

for (const [page, name] of [["01-attention-as-soft-retrieval", "plain-recipe-tin"], ["14-generation", "plain-sampler-lab"],
  ["10-what-attention-costs", "plain-roofline-lab"], ["playground", "plain-playground"]]) {
  test(`${name}: at 320 px no word breaks, and a chart is read`, { skip }, async () => {
    const tab = await at(`book/${page}.html`, (each) => each.setViewportSize({ width: 320, height: 800 }));
    await tab.evaluate(() => window.dispatchEvent(new Event("pointermove")));
    await tab.waitForFunction(() => "laidOut" in document.documentElement.dataset);
    assert.deepEqual(await tab.evaluate(small, name), []);
    await tab.context().close();
  });
}

test("no field makes iOS enlarge the page, and no button copies unseen", { skip }, async () => {
  const tab = await at("book/05-position.html");
  await tab.evaluate(() => { for (const fold of document.querySelectorAll("details")) fold.open = true; });
  await tab.locator(".gate-score input").first().waitFor({ state: "attached" });
  const sizes = await tab.locator(".gate-score input, #pst-search-dialog input").evaluateAll((all) =>
    all.map((field) => parseFloat(getComputedStyle(field).fontSize)));
  assert.ok(sizes.length > 1 && sizes.every((size) => size >= 16), sizes.join());
  const buttons = await tab.locator("button.copybtn").evaluateAll((all) => all.map((each) => getComputedStyle(each))
    .filter(({ display, opacity }) => display !== "none" && Number(opacity) < 0.5).length);
  assert.equal(buttons, 0);
  await tab.context().close();
});

test("the index has the width of the screen, and its links and those to sources are high enough", { skip }, async () => {
  for (const [page, selector] of [["genindex", "table.genindextable td"], ["book/api/attention", ".viewcode-link"],
    ["_modules/plainformer/attention", ".viewcode-back"]]) {
    const tab = await at(`${page}.html`);
    const boxes = await tab.locator(selector).evaluateAll((all) => all.map((node) => node.getBoundingClientRect().toJSON()));
    assert.ok(boxes.length, page);
    for (const { width, height } of boxes) {
      if (page === "genindex") assert.ok(width > 320, `a column of ${width} px`);
      else assert.ok(height >= 24 && width >= 24, `${page}: ${width} by ${height} px`);
    }
    await tab.context().close();
  }
});

test("the numbers of lines of a listing are read", { skip }, async () => {
  for (const scheme of ["light", "dark"]) {
    const tab = await at("_modules/plainformer/attention.html");
    await tab.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, scheme);
    const { ink, paper, opacity } = await tab.evaluate(() => {
      const style = getComputedStyle(document.querySelector(".linenos"));
      const under = getComputedStyle(document.querySelector(".highlight pre"));
      return { ink: style.color, opacity: Number(style.opacity), paper: under.backgroundColor };
    });
    const bytes = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map(Number);
    const light = (rgb) => rgb.map((byte) => (byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4))
      .reduce((sum, share, i) => sum + share * [0.2126, 0.7152, 0.0722][i], 0.05);
    const seen = bytes(ink).map((byte, i) => opacity * byte + (1 - opacity) * bytes(paper)[i]);
    const [low, high] = [light(seen), light(bytes(paper))].sort((a, b) => a - b);
    assert.ok(high / low >= 4.5, `${scheme}: ${(high / low).toFixed(2)}`);
    await tab.context().close();
  }
});

/** In the page: the largest difference between two screenshots, in one of three colours. */
async function difference([one, other]) {
  const [a, b] = await Promise.all([one, other].map(async (shot) => {
    const image = new Image();
    image.src = `data:image/png;base64,${shot}`;
    await image.decode();
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen.drawImage(image, 0, 0);
    return pen.getImageData(0, 0, image.width, image.height).data;
  }));
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
}

for (const scheme of ["light", "dark"]) {
  for (const selector of [".cell_output pre", ".pst-scrollable-table-container"]) {
    test(`${selector} in ${scheme}: what is 8 px too wide is seen at its edge`, { skip }, async () => {
      const tab = await at("book/05-position.html", (page) => page.emulateMedia({ colorScheme: scheme }));
      await tab.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, scheme);
      const place = tab.locator(`${selector}:visible`).first();
      const edge = async (more) => {
        const over = await place.evaluate((node, px) => {
          const { paddingLeft } = getComputedStyle(node);
          const filler = Object.assign(document.createElement("div"), { className: "filler" });
          filler.style.cssText = `height: 40px; width: ${node.clientWidth - parseFloat(paddingLeft) + px}px`;
          node.style.setProperty("padding-right", "0", "important");
          node.replaceChildren(filler);
          node.scrollIntoView({ block: "center", behavior: "instant" });
          return node.scrollWidth - node.clientWidth;
        }, more);
        assert.equal(over, more);
        const { x, y, width } = await place.boundingBox();
        const clip = { x: x + width - 12, y: y + 10, width: 10, height: 20 };
        return (await tab.screenshot({ clip })).toString("base64");
      };
      await soon(async () => {
        const seen = await tab.evaluate(difference, [await edge(0), await edge(8)]);
        assert.ok(seen > 60, `a difference of ${seen} of 255`);
      });
      await tab.context().close();
    });
  }
}

test("no hit shows above the field while one scrolls", { skip }, async () => {
  const tab = await at("book/05-position.html");
  await tab.locator(".article-header-buttons .search-button__button").tap();
  const dialog = tab.locator("#pst-search-dialog");
  await dialog.locator("input").fill("attention");
  await dialog.locator(".search-hits a").nth(5).waitFor({ state: "attached" });
  await dialog.evaluate((node) => { node.scrollTop = 400; });
  const { x, y, width } = await dialog.boundingBox();
  const above = await tab.evaluate(([left, top, wide]) => Array.from({ length: 10 }, (_, i) =>
    document.elementFromPoint(left + wide / 2, top + 2 + i)?.closest(".search-hits") ? i : -1).filter((i) => i >= 0), [x, y, width]);
  assert.deepEqual(above, []);
  await tab.context().close();
});

test("the list of downloads opens on the screen, and a solution by its title", { skip }, async () => {
  for (const width of [320, 390]) {
    const tab = await at("book/05-position.html", (page) => page.setViewportSize({ width, height: 844 }));
    await tab.locator("details.dropdown > summary").first().click();
    const { left, right } = await tab.locator("details.dropdown .dropdown-menu").first()
      .evaluate((list) => list.getBoundingClientRect().toJSON());
    assert.ok(left >= 0 && right <= width, `${left} to ${right} of ${width}`);
    await tab.keyboard.press("Escape");
    const title = tab.locator("div.solution.dropdown > .admonition-title").first();
    await title.scrollIntoViewIfNeeded();
    const answer = tab.locator("div.solution.dropdown .section, div.solution.dropdown > :not(.admonition-title)").first();
    assert.ok(!(await answer.isVisible()));
    await title.locator(".toggle-button").waitFor({ state: "attached" });
    await title.click({ position: { x: 60, y: 18 } }); // waits until the title stands still
    await answer.waitFor({ state: "visible", timeout: SOON });
    const hangs = await title.evaluate((node) => node.querySelector(".toggle-button").getBoundingClientRect().bottom
      - node.getBoundingClientRect().bottom);
    assert.ok(hangs <= 6, `its button hangs ${hangs} px below the title`);
    await tab.context().close();
  }
});

/** In the page: each plot with how high its letters of 10 points are, and whether it scrolls and says so. */
async function plots() {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const all = [...document.querySelectorAll(".cell_output img.only-light")];
  const sizes = () => all.flatMap((image) => [image.offsetWidth, image.offsetHeight]);
  const before = sizes();
  await Promise.all(all.map((image) => { image.loading = "eager"; return image.decode(); }));
  const measured = all.map((image) => {
    const { paddingLeft } = getComputedStyle(image);
    const scroller = image.closest("a");
    return {
      letters: (image.clientWidth - 2 * parseFloat(paddingLeft)) / image.naturalWidth * (10 / 72) * 200,
      scrolls: scroller.scrollWidth > scroller.clientWidth + 1,
      says: getComputedStyle(scroller, "::before").content !== "none", alt: image.alt.slice(0, 60),
    };
  });
  const after = sizes();
  return { measured, moved: Math.max(...before.map((size, i) => Math.abs(size - after[i]))) };
}

for (const [width, least] of [[390, 9.5], [360, 9.5], [320, 10]]) {
  test(`at ${width} px the letters of all plots are read, of one size, and the room for them is known`, { skip }, async () => {
    for (const page of PAGES.filter((each) => /\/(02|03|12|15)-/.test(each))) {
      const tab = await at(page, (each) => each.setViewportSize({ width, height: 844 }));
      await tab.evaluate(() => window.dispatchEvent(new Event("pointermove")));
      await tab.waitForFunction(() => "laidOut" in document.documentElement.dataset);
      const { measured, moved } = await tab.evaluate(plots);
      assert.ok(measured.length);
      assert.ok(moved <= 1, `${page}: a picture grows by ${moved} px`);
      const wrong = measured.filter(({ letters, scrolls, says }) => letters < least || letters > 11.2 || scrolls !== says);
      assert.deepEqual(wrong, [], page);
      await tab.context().close();
    }
  });
}

const DRAWERS = { primary: "All chapters", secondary: "Contents of this page" };
const isOpen = (drawer) => drawer.evaluate((node) => node.open);

for (const [side, name] of Object.entries(DRAWERS)) {
  test(`the drawer "${name}" has a name and a way out, and the focus goes back to its button`, { skip }, async () => {
    const tab = await at("book/05-position.html");
    const [button, drawer] = [tab.locator(`.${side}-toggle`), tab.locator(`#pst-${side}-sidebar-modal`)];
    assert.equal(await drawer.getAttribute("aria-label"), name);
    assert.equal(await button.getAttribute("aria-label"), name);
    const out = { "a press": (end) => end.tap(), Escape: () => tab.keyboard.press("Escape") };
    for (const [how, leave] of Object.entries(out)) {
      assert.equal(await button.getAttribute("aria-expanded"), "false");
      await button.tap();
      assert.ok(await isOpen(drawer));
      assert.equal(await button.getAttribute("aria-expanded"), "true");
      const end = drawer.getByRole("button", { name: "Close" });
      await drawer.evaluate((node) => node.scrollTo(0, 600));
      assert.ok((await end.boundingBox()).height >= 24 && (await end.boundingBox()).y >= 0);
      await leave(end);
      assert.ok(!(await isOpen(drawer)), how);
      await tab.waitForFunction((each) => document.activeElement.matches(each), `.${side}-toggle`, { timeout: SOON });
    }
    assert.equal(await button.getAttribute("aria-expanded"), "false");
    assert.ok(!(await tab.locator(".drawer-close").first().isVisible()));
    await tab.context().close();
  });
}

test("a drawer does not stay before what its entries lead to, nor on the way back", { skip }, async () => {
  const tab = await at("book/05-position.html");
  const [button, drawer] = [tab.locator(".secondary-toggle"), tab.locator("#pst-secondary-sidebar-modal")];
  await button.tap();
  await drawer.locator("a[href^='#']").nth(4).tap();
  assert.ok(!(await isOpen(drawer)));
  const place = await tab.evaluate(() => location.hash.slice(1));
  assert.ok(place);
  await tab.keyboard.press("Tab");
  const after = await tab.evaluate((id) => document.getElementById(id)
    .compareDocumentPosition(document.activeElement) & (Node.DOCUMENT_POSITION_FOLLOWING), place);
  assert.ok(after, "the focus goes on from the heading");
  await button.tap();
  await tab.goBack();
  await tab.waitForFunction(() => !location.hash);
  assert.ok(!(await isOpen(drawer)));
  await tab.locator(".primary-toggle").tap();
  const chapters = tab.locator("#pst-primary-sidebar-modal");
  await chapters.locator("a.current").first().tap();
  assert.ok(!(await isOpen(chapters)));
  await tab.context().close();
});

test("the search gives the focus back to its button", { skip }, async () => {
  const tab = await at("book/05-position.html");
  await tab.locator(".article-header-buttons .search-button__button").tap();
  const search = tab.locator("#pst-search-dialog");
  await search.getByRole("button", { name: "Close" }).tap();
  assert.ok(!(await isOpen(search)));
  await tab.waitForFunction(() => document.activeElement.matches(".article-header-buttons .search-button__button"),
    null, { timeout: SOON });
  await tab.context().close();
});

// Where the browser does not keep what is in sight in its place (Safari), course.js does.
for (const keeps of ["auto", "none"]) {
  test(`an address shows the heading that it leads to, below the bar (overflow-anchor: ${keeps})`, { skip }, async () => {
    for (const [page, anchor] of [["13-the-kv-cache", "sec-13-cache-size"], ["12-flash-attention", "sec-12-split-keys"],
      ["02-scaled-dot-product-attention", "the-graded-notebook"]]) {
      const tab = await at("book/notation.html");
      await tab.addInitScript((how) => document.addEventListener("DOMContentLoaded", () => {
        document.documentElement.style.overflowAnchor = how;
      }), keeps);
      await tab.goto(`${here.site.address}/book/${page}.html#${anchor}`, { waitUntil: "load" });
      await tab.waitForFunction(() => "laidOut" in document.documentElement.dataset);
      const { top, bar } = await tab.evaluate((id) => ({
        top: document.getElementById(id).closest("section").querySelector("h2").getBoundingClientRect().top,
        bar: document.querySelector(".bd-header-article").getBoundingClientRect().bottom,
      }), anchor);
      assert.ok(top >= bar && top < bar + 120, `${page}: ${top} px, the bar ends at ${bar}`);
      await tab.context().close();
    }
  });
}

test("a picture is alive though another one never comes", { skip }, async () => {
  const tab = await at("book/notation.html");
  await tab.route(/\.(png|svg)$/, () => {}); // no answer, and so no load event
  await tab.goto(`${here.site.address}/book/02-scaled-dot-product-attention.html`, { waitUntil: "domcontentloaded" });
  await tab.evaluate(() => window.dispatchEvent(new Event("touchstart")));
  await tab.waitForFunction(() => document.querySelector("plain-attention-explorer").shadowRoot, null, { timeout: SOON });
  assert.equal(await tab.evaluate(() => document.readyState), "interactive");
  await tab.context().close();
});

/** In the page: whether the chapter that is read is in sight in a list of all. */
const chapterIn = (list) => list.evaluate((node) => {
  const [inner, outer] = [[...node.querySelectorAll(".active")].at(-1), node].map((each) => each.getBoundingClientRect());
  return inner.height > 0 && inner.top >= outer.top && inner.bottom <= outer.bottom;
});

test("the list of chapters shows the one that is read, in the drawer and when it stands beside the text", { skip }, async () => {
  const tab = await at("book/17-capstone.html", (each) => each.setViewportSize({ width: 820, height: 500 }));
  const [drawer, beside] = [tab.locator("#pst-primary-sidebar-modal"), tab.locator("#pst-primary-sidebar")];
  await tab.locator(".primary-toggle").tap();
  await tab.waitForFunction(() => document.querySelector("#pst-primary-sidebar-modal .active"));
  assert.ok(await chapterIn(drawer), "in the drawer");
  await tab.keyboard.press("Escape");
  assert.ok(!(await beside.isVisible()));
  await tab.setViewportSize({ width: 961, height: 500 });
  assert.ok(await beside.isVisible());
  assert.ok(await chapterIn(beside), "beside the text");
  await tab.context().close();
});

const AGAIN = {
  "loaded again": (tab) => tab.reload({ waitUntil: "load" }),
  "come back to": async (tab) => {
    await tab.goto(`${here.site.address}/book/bibliography.html`);
    await tab.goBack({ waitUntil: "load" });
  },
};
for (const [how, again] of Object.entries(AGAIN)) {
  test(`a page that is ${how} shows the place where one was`, { skip }, async () => {
    const tab = await at("book/05-position.html");
    const mark = tab.locator("h2").nth(7);
    await mark.evaluate((node) => scrollTo(0, node.getBoundingClientRect().top + scrollY - 200));
    await tab.waitForFunction(() => "laidOut" in document.documentElement.dataset);
    const seen = () => mark.evaluate((node) => node.getBoundingClientRect().top);
    const before = await seen();
    await again(tab);
    await tab.waitForTimeout(1500);
    await soon(async () => assert.ok(Math.abs((await seen()) - before) < 40, `${await seen()}, before ${before}`));
    await tab.context().close();
  });
}
