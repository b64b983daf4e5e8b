// Uses the page of `deepperf shapes --format html` as a reader does, in a real Chromium.
//
// usage: node drive_shapes.mjs CHROMIUM MODEL WRONG EMPTY [FOLDER_FOR_SCREENSHOTS]
// MODEL is a page of a deep model with modules in modules and a second root, WRONG one of a program with a fault, EMPTY one of a
// file without tensors; shapes_browser_test.py makes them.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, model, wrong, empty, screenshots] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 420, height: 860 };

const browser = await chromium.launch({ executablePath, timeout: 0, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });

async function withPage(name, file, options, use) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(0); // a busy machine is not a mistake of the page
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith("file:")) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("main");
  await use(page);
  if (screenshots) await page.screenshot({ path: `${screenshots}/${name}.png` });
  const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(tooWide <= 0, `${name}: the page is ${tooWide} pixels wider than the window`);
  assert.deepEqual(complaints, [], `${name}: the browser complains`);
  await context.close();
  console.log(`${name}: as it should be`);
}

async function assertAccessible(page, what) {
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => (await globalThis.axe.run()).violations.map(({ id, nodes }) =>
    `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 200)} ${node.failureSummary}`).join(" | ")}`));
  assert.deepEqual(violations, [], `${what} is not accessible`);
}

const boxes = (page) => page.locator(".box").count();
const openGroups = (page) => page.locator(".group").count();
const rows = (page) => page.locator("tbody tr:visible").count();
const selectedName = (page) => page.textContent('.box[aria-selected="true"] .name');
const transform = (page) => page.getAttribute(".stage", "transform");

for (const colorScheme of ["light", "dark"]) {
  await withPage(`shapes, ${colorScheme}`, model, { viewport: WIDE, colorScheme }, async (page) => {
    assert.ok(await boxes(page) > 5, "there are boxes");
    assert.ok(await page.locator(".arrow").count() > 5, "there are arrows");
    assert.match(await page.textContent(".shape >> nth=0"), /^\[.*\]$/, "arrows carry shapes");
    assert.match(await page.textContent(".facts"), /Parameters/);
    await assertAccessible(page, `the picture, ${colorScheme},`);
    const brightness = () => page.evaluate(() => Number(/\d+/.exec(getComputedStyle(document.body).backgroundColor)[0]));
    assert.equal(await brightness() < 100, colorScheme === "dark");
    await page.click(".theme");
    assert.equal(await brightness() < 100, colorScheme !== "dark");
    await assertAccessible(page, `the picture after switching from ${colorScheme}`);
  });
}

await withPage("shapes, groups", model, { viewport: WIDE }, async (page) => {
  await page.click("text=Close all");
  const closed = await boxes(page);
  assert.equal(await openGroups(page), 0);
  await page.locator(".box.is-group").first().click();
  assert.equal(await openGroups(page), 1, "a click opens a module");
  assert.ok(await boxes(page) > closed);
  await page.locator(".close").first().click();
  assert.equal(await boxes(page), closed, "a click on its name closes it");
  await page.click("text=Open all");
  assert.equal(await page.locator(".box.is-group").count(), 0);
  const inside = await page.evaluate(() => {
    // Every group lies around its boxes: no box may stick out of all fences that it touches.
    const fences = [...document.querySelectorAll(".fence")].map((one) => one.getBoundingClientRect());
    const faces = [...document.querySelectorAll(".box .face")].map((one) => one.getBoundingClientRect());
    return faces.filter((face) => fences.some((fence) => face.left < fence.right && face.right > fence.left && face.top < fence.bottom && face.bottom > fence.top &&
      (face.left < fence.left - 1 || face.right > fence.right + 1 || face.top < fence.top - 1 || face.bottom > fence.bottom + 1))).length;
  });
  assert.equal(inside, 0, "boxes lie within their modules");
  await page.click('button:text-is("Fit")');
  const drawn = await page.locator(".stage").boundingBox();
  const frame = await page.locator(".frame").boundingBox();
  assert.ok(drawn.height <= frame.height + 2 && drawn.width <= frame.width + 2, "all of it fits");
});

await withPage("shapes, keyboard", model, { viewport: WIDE }, async (page) => {
  await page.click("text=Close all");
  await page.locator('.box[tabindex="0"]').focus();
  await page.keyboard.press("Home");
  const first = await selectedName(page);
  await page.keyboard.press("ArrowDown");
  assert.notEqual(await selectedName(page), first);
  while (await page.locator('.box.is-group[aria-selected="true"]').count() === 0) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  assert.equal(await openGroups(page), 1, "→ opens a module");
  assert.equal(await page.evaluate(() => document.activeElement.classList.contains("box")), true, "the focus is not lost");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await openGroups(page), 0, "← closes it");
  const before = await transform(page);
  await page.keyboard.press("+");
  assert.notEqual(await transform(page), before, "+ zooms");
  await page.keyboard.press("0");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "search");
});

await withPage("shapes, table", model, { viewport: WIDE }, async (page) => {
  const all = await rows(page);
  await page.fill("#search", "conv2d");
  assert.ok(await rows(page) > 0 && await rows(page) < all, "the search finds some");
  assert.match(await page.textContent(".count"), / of /);
  const name = await page.textContent("tbody tr:visible .step-name");
  await page.locator("tbody tr:visible .step-name").first().click();
  assert.ok(name.endsWith(await selectedName(page)), "a row selects its box");
  await page.fill("#search", "there is no such thing");
  assert.equal(await rows(page), 0);
  await page.fill("#search", "");
  const wheel = await transform(page);
  await page.locator(".frame").hover();
  await page.mouse.wheel(0, -300);
  await page.waitForFunction((old) => document.querySelector(".stage").getAttribute("transform") !== old, wheel);
  const roots = await page.locator("#root option").count();
  assert.ok(roots > 1, "several roots");
  await page.selectOption("#root", "1");
  assert.ok(await rows(page) !== all, "another root has other steps");
});

await withPage("shapes, fault", wrong, { viewport: WIDE }, async (page) => {
  assert.match(await page.textContent(".note.is-error"), /DP601/);
  assert.equal(await page.locator(".box.has-problem").count(), 1, "the faulty layer is marked");
  await assertAccessible(page, "a faulty model");
});

await withPage("shapes, narrow", model, { viewport: NARROW }, async (page) => {
  await assertAccessible(page, "a narrow window");
});

await withPage("shapes, empty", empty, { viewport: WIDE }, async (page) => {
  assert.match(await page.textContent("main"), /No tensors of known shape/);
  await assertAccessible(page, "an empty page");
});

await browser.close();
