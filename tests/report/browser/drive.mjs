// Uses a report as a reader does, in a real Chromium, and fails if something is not as it should be.
//
// usage: node drive.mjs CHROMIUM REPORT LARGE_REPORT EMPTY_REPORT [FOLDER_FOR_SCREENSHOTS]
// REPORT is what html_browser_test.py makes; LARGE_REPORT has thousands of findings, EMPTY_REPORT none.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, report, largeReport, emptyReport, screenshots] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDE = { width: 1360, height: 860 };
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
  await page.waitForSelector(".summary");
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

const countText = (page) => page.textContent(".count");
const rows = (page) => page.locator(".row").count();

for (const colorScheme of ["light", "dark"]) {
  await withPage(`first screen, ${colorScheme}`, report, { viewport: WIDE, colorScheme }, async (page) => {
    assert.equal(await page.locator(".card").count(), 3);
    assert.match(await page.textContent(".card >> nth=0"), /^Error|^error/);
    await assertAccessible(page, `the first screen, ${colorScheme},`);
    const brightness = () => page.evaluate(() => Number(/\d+/.exec(getComputedStyle(document.body).backgroundColor)[0]));
    const before = await brightness();
    assert.equal(before < 100, colorScheme === "dark");
    await page.click(".theme");
    assert.equal(await brightness() < 100, colorScheme !== "dark");
    await assertAccessible(page, `the first screen after switching from ${colorScheme}`);
  });
}

await withPage("filters", report, { viewport: WIDE }, async (page) => {
  const total = Number.parseInt(await countText(page), 10);
  assert.equal(await rows(page), total, "a short list is shown as a whole");
  for (const title of ["Root cause", "Symptom", "Stage", "Framework", "Rule", "Folder"]) {
    assert.equal(await page.locator(".chart h3", { hasText: title }).count(), 1, `there is no chart by ${title}`);
  }
  const bar = page.locator(".chart-cause .bar-row").first();
  const expected = Number.parseInt(await bar.locator(".bar-count").textContent(), 10);
  await bar.click();
  assert.equal(await rows(page), expected, "a bar filters as many as it says");
  assert.ok(expected < total);
  assert.match(page.url(), /cause=/);
  await assertAccessible(page, "a filtered list");
  await page.click(".chip");
  assert.equal(await rows(page), total);
  assert.equal(await page.evaluate(() => document.activeElement.id), "search", "the focus does not get lost with a chip");
  await page.focus(".list");
  await page.keyboard.press("/");
  await page.keyboard.type("item dp402");
  assert.ok(await rows(page) > 0 && await rows(page) < total, "the search finds some");
  await page.fill("#search", "there is no such thing");
  assert.equal(await rows(page), 0);
  await assertAccessible(page, "an empty list");
  await page.click(".empty button");
  assert.equal(await rows(page), total);
  await page.selectOption("#fixes", "safe");
  assert.ok(await rows(page) < total);
  assert.equal(await page.locator(".code .is-added").count() > 0, true, "a fix is shown as a diff");
  await page.selectOption("#fixes", "");
  await page.click(".tile >> nth=0");
  assert.ok(await rows(page) < total);
});

await withPage("keyboard", report, { viewport: WIDE }, async (page) => {
  await page.focus(".list");
  const first = await page.textContent("#finding-title");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.getAttribute(".list", "aria-activedescendant"), "finding-2");
  assert.equal(await page.getAttribute("#finding-2", "aria-selected"), "true");
  await page.keyboard.press("End");
  assert.notEqual(await page.textContent("#finding-title"), first);
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "finding-title");
});

await withPage("path", report, { viewport: WIDE }, async (page) => {
  await page.fill("#search", "dp402");
  const steps = page.locator(".step");
  assert.ok(await steps.count() >= 2, "the finding has a path");
  assert.equal(await steps.nth(0).getAttribute("aria-current"), "step");
  const before = await page.textContent(".step-code");
  await steps.nth(1).click();
  assert.equal(await steps.nth(1).getAttribute("aria-current"), "step");
  assert.notEqual(await page.textContent(".step-code"), before, "a step shows its own code");
  assert.ok(await page.locator(".step-code mark").count() > 0);
  await page.getByRole("button", { name: "Previous step" }).click();
  assert.equal(await page.textContent(".step-code"), before);
  assert.ok(await page.locator(".documentation h5").count() > 2, "the rule's documentation is rendered");
  assert.ok(await page.locator(".code .tok-keyword").count() > 0, "code is highlighted");
  await assertAccessible(page, "a finding with its path");
});

await withPage("markup in names and code", report, { viewport: WIDE }, async (page) => {
  await page.fill("#search", "onerror");
  assert.ok(await rows(page) > 0);
  assert.match(await page.textContent(".row-place"), /<img src=x onerror=alert\(1\)>\.py/);
  assert.equal(await page.locator("img").count(), 0);
  assert.match(await page.textContent(".code"), /<\/script><script>alert\(2\)/);
  assert.match(await page.textContent(".code mark"), /./);
});

for (const colorScheme of ["light", "dark"]) {
  await withPage(`narrow, ${colorScheme}`, report, { viewport: NARROW, colorScheme }, async (page) => {
    await assertAccessible(page, "the narrow page");
    await page.locator(".row").nth(1).click();
    await page.getByRole("button", { name: "Back to the list" }).waitFor();
    await assertAccessible(page, "a finding on the narrow page");
    await page.keyboard.press("Escape");
    await page.locator(".detail").waitFor({ state: "hidden" });
    await page.locator(".row").nth(1).click();
  });
}

await withPage("nothing found", emptyReport, { viewport: WIDE }, async (page) => {
  assert.match(await page.textContent("h2"), /Nothing to report in 1 file/);
  await assertAccessible(page, "a report without findings");
  await page.click(".errors summary");
  assert.match(await page.textContent(".errors li"), /broken\.py:1:\d+ syntax error: /);
});

// Not how long it takes, but how much there is to do: a few rows of thousands are elements.
await withPage("thousands of findings", largeReport, { viewport: WIDE }, async (page) => {
  const total = Number.parseInt((await countText(page)).replaceAll(",", ""), 10);
  assert.ok(total >= 5000, `only ${total} findings`);
  assert.ok(await rows(page) < 60, `${await rows(page)} rows are elements`);
  await page.focus(".list");
  await page.keyboard.press("End");
  await page.waitForFunction((last) => document.getElementById(`finding-${last}`)?.getAttribute("aria-selected") === "true", total - 1);
  assert.ok(await rows(page) < 60);
  // For information: what the page's thread works, without waiting for whoever else uses the machine.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async () => (await devtools.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
  const perAction = async (count, act) => {
    const before = await worked();
    for (let i = 0; i < count; ++i) await act(i);
    return `${((await worked() - before) * 1000 / count).toFixed(1)} ms`;
  };
  const scrolling = await perAction(40, (i) => page.evaluate((at) => {
    const list = document.querySelector(".list");
    list.scrollTop = (at * 7919 * 13) % list.scrollHeight;
    return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  }, i));
  const typing = await perAction(12, (i) => page.fill("#search", "copied to the device".slice(0, i)));
  await page.fill("#search", "");
  await page.reload(); // which begins to count anew
  await page.waitForSelector(".row");
  const loading = `${(await worked() * 1000).toFixed(0)} ms`;
  console.log(`  ${total} findings: ${loading} to load, ${scrolling} to jump to another place in the list, ${typing} for a key in the search`);
});

await browser.close();
