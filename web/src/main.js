// Puts the page together, and keeps what is shown in step with what the reader chose.
import { barChart, folderChart, folderEntries } from "./charts.js";
import { revealMarks } from "./code.js";
import { readData } from "./data.js";
import { findingDetail } from "./detail.js";
import { announce, el, plural } from "./dom.js";
import { FACETS, ORDERS, countBy, emptyState, evaluate } from "./filter.js";
import { findingList } from "./list.js";
import { errorsOf, summaryOf } from "./summary.js";
import { themeButton } from "./theme.js";

const FEW_BARS = 6;
const CHARTS = ["cause", "symptom", "stage", "framework", "rule"];
const FIX_NAMES = { safe: "Safe fix", unsafe: "Unsafe fix", none: "No fix" };

const data = readData(document.getElementById("data").textContent);
const state = emptyState();
const isNarrow = matchMedia("(max-width: 56rem)");
const facet = (key) => FACETS.find((one) => one.key === key);
let selected = null;
let shown = [];
let counted = null; // what evaluate() gave
const sorted = new Map(); // all findings, by order
const expanded = new Set(); // charts that show all of their bars

const valueName = (key, value) => {
  if (key === "fix") return FIX_NAMES[value];
  if (key === "rule") return `${value} ${data.findings.find((finding) => finding.rule.code === value)?.rule.name ?? ""}`.trim();
  if (key === "folder" && value === ".") return "top folder";
  return value;
};

// The state is part of the address, so that a view can be kept and shared.
function readAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  state.query = parameters.get("q") ?? "";
  if (parameters.get("order") in ORDERS) state.order = parameters.get("order");
  for (const { key } of FACETS) state.chosen.set(key, new Set(parameters.getAll(key)));
  selected = data.findings[Number(parameters.get("finding") ?? NaN)] ?? null;
}

function writeAddress() {
  const parameters = new URLSearchParams();
  if (state.query) parameters.set("q", state.query);
  if (state.order !== "severity") parameters.set("order", state.order);
  for (const [key, values] of state.chosen) for (const value of values) parameters.append(key, value);
  if (selected) parameters.set("finding", selected.id);
  try {
    history.replaceState(null, "", `#${parameters}`);
  } catch {
    // Some browsers do not allow it for files; the page works without.
  }
}

const summary = el("div");
const charts = el("div", { class: "charts" });
const chips = el("div", { class: "chips" });
const count = el("p", { class: "count" });
const detail = el("div", { class: "detail" });
const empty = el("div", { class: "empty", hidden: true }, el("p", {}, "No finding matches."),
  el("button", { type: "button", class: "quiet", onclick: () => clearAll() }, "Clear search and filters"));
const search = el("input", { type: "search", id: "search", placeholder: "Message, rule or path", autocomplete: "off", spellcheck: "false" });
const order = el("select", { id: "order" }, Object.entries(ORDERS).map(([key, { title }]) => el("option", { value: key }, title)));
const fixes = el("select", { id: "fixes" }, el("option", { value: "" }, "All"),
  Object.entries(FIX_NAMES).map(([key, title]) => el("option", { value: key }, title)));
const list = findingList({
  onSelect(finding) {
    selected = finding;
    showDetail();
    writeAddress();
  },
  onOpen: () => openDetail(),
});
const findings = el("section", { class: "findings", id: "findings", "aria-labelledby": "findings-title", tabindex: "-1" });
const overview = el("section", { class: "overview", "aria-labelledby": "overview-title" },
  el("h2", { id: "overview-title" }, "Overview"), charts);

function showDetail() {
  if (!selected) {
    detail.replaceChildren();
    return;
  }
  const index = shown.indexOf(selected);
  detail.replaceChildren(findingDetail(data, selected, {
    position: index < 0 ? "" : `${(index + 1).toLocaleString("en")} of ${shown.length.toLocaleString("en")}`,
    onBack: closeDetail,
    onStep(by) {
      list.select(shown.indexOf(selected) + by);
      focusTitle();
    },
  }));
  detail.scrollTop = 0;
  revealMarks(detail);
}

const focusTitle = () => document.getElementById("finding-title")?.focus({ preventScroll: true });

// On a narrow window the finding covers the page.
function setCovered(isCovered) {
  document.body.classList.toggle("is-covered", isCovered);
  for (const element of [banner, summary, overview, errors, footer, toolbar, listPane]) {
    if (element) element.inert = isCovered;
  }
}

function openDetail() {
  if (isNarrow.matches) setCovered(true);
  revealMarks(detail); // until now there may have been no width to reveal them in
  focusTitle();
}

function closeDetail() {
  setCovered(false);
  list.draw();
  list.element.focus();
}

function toggle(key, value) {
  const chosen = state.chosen.get(key);
  if (!chosen.delete(value)) chosen.add(value);
  update();
}

function clearAll() {
  for (const chosen of state.chosen.values()) chosen.clear();
  state.query = "";
  search.value = "";
  update();
  search.focus();
}

function showSummary() {
  summary.replaceChildren(summaryOf(data, {
    onSeverity: (severity) => toggle("severity", severity),
    onOpen(entry) {
      for (const chosen of state.chosen.values()) chosen.clear();
      state.query = search.value = "";
      state.chosen.get("rule").add(entry.rule.code);
      state.chosen.get("severity").add(entry.first.severity);
      selected = entry.first;
      update();
      findings.scrollIntoView({ block: "start" });
      openDetail();
    },
  }));
}

function chart(title, content, entries, key) {
  const more = entries.length > FEW_BARS && key !== "folder" && el("button", {
    type: "button", class: "quiet", "aria-expanded": String(expanded.has(key)), "data-more": key,
    onclick() {
      if (!expanded.delete(key)) expanded.add(key);
      charts.style.minHeight = "";
      showCharts();
    },
  }, expanded.has(key) ? "Show fewer" : `Show all ${entries.length}`);
  return el("section", { class: `chart chart-${key}`, "aria-label": title }, el("h3", {}, title), content, more);
}

function showCharts() {
  const focus = document.activeElement;
  const again = charts.contains(focus) && focus.closest("[class*=chart-]") &&
    `.${[...focus.closest(".chart").classList].find((name) => name.startsWith("chart-"))} ` +
    (focus.dataset.value !== undefined ? `[data-value="${CSS.escape(focus.dataset.value)}"]` : "[data-more]");
  const made = CHARTS.map((key) => {
    const entries = countBy(counted.others(key), facet(key));
    return entries.length > 0 && chart(facet(key).title, barChart({
      entries,
      chosen: state.chosen.get(key),
      label: (value) => valueName(key, value),
      shown: expanded.has(key) ? Infinity : FEW_BARS,
      onToggle: (value) => toggle(key, value),
    }), entries, key);
  });
  const [inside] = state.chosen.get("folder");
  const byFolder = countBy(counted.others("folder"), facet("folder"));
  const below = inside ? folderEntries(byFolder, inside) : [];
  const folders = below.length > 1 ? below : folderEntries(byFolder);
  if (folders.length > 0) {
    made.push(chart("Folder", folderChart({
      entries: folders,
      chosen: state.chosen.get("folder"),
      onToggle(value) { // one at a time: it is the way into a folder, and the chip leads out of it
        state.chosen.set("folder", new Set(state.chosen.get("folder").has(value) ? [] : [value]));
        update();
      },
    }), folders, "folder"));
  }
  charts.replaceChildren(...made.filter(Boolean));
  // While somebody filters, what is below the charts stays where it is.
  charts.style.minHeight = `${Math.max(parseFloat(charts.style.minHeight) || 0, charts.offsetHeight)}px`;
  if (again) charts.querySelector(again)?.focus({ preventScroll: true }); // what was pressed has been made anew
}

function showChips() {
  const made = [...state.chosen].flatMap(([key, values]) => [...values].map((value) =>
    el("button", { type: "button", class: "chip",
      onclick() {
        toggle(key, value);
        (chips.querySelector("button") ?? search).focus();
      } },
    el("span", { class: "for-screen-readers" }, "Remove the filter "), el("span", { class: "muted" }, `${facet(key).title} `), valueName(key, value), el("span", { "aria-hidden": "true" }, " \u00d7"))));
  if (made.length > 1) made.push(el("button", { type: "button", class: "quiet", onclick: clearAll }, "Clear all"));
  chips.replaceChildren(...made);
}

function inOrder() {
  if (!sorted.has(state.order)) sorted.set(state.order, [...data.findings].sort(ORDERS[state.order].compare));
  return sorted.get(state.order);
}

function update() {
  counted = evaluate(inOrder(), state);
  shown = counted.shown;
  if (!shown.includes(selected)) selected = shown[0] ?? null;
  for (const tile of summary.querySelectorAll(".severity-tile")) {
    tile.setAttribute("aria-pressed", String(state.chosen.get("severity").has(tile.dataset.value)));
  }
  showCharts();
  showChips();
  const [chosenFix] = state.chosen.get("fix");
  fixes.value = chosenFix ?? "";
  order.value = state.order;
  list.element.hidden = shown.length === 0;
  empty.hidden = shown.length > 0;
  list.setItems(shown, selected);
  showDetail();
  count.textContent = shown.length === data.findings.length
    ? plural(shown.length, "finding")
    : `${shown.length.toLocaleString("en")} of ${plural(data.findings.length, "finding")}`;
  announce(count.textContent);
  writeAddress();
}

search.addEventListener("input", () => {
  state.query = search.value;
  update();
});
order.addEventListener("change", () => {
  state.order = order.value;
  update();
});
fixes.addEventListener("change", () => {
  state.chosen.set("fix", new Set(fixes.value ? [fixes.value] : []));
  update();
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.body.classList.contains("is-covered")) closeDetail();
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof Element && event.target.closest("input, select, textarea")) return;
  event.preventDefault();
  search.focus();
});
addEventListener("hashchange", () => {
  readAddress();
  search.value = state.query;
  update();
});
addEventListener("resize", () => { charts.style.minHeight = ""; });
isNarrow.addEventListener("change", () => setCovered(false));
showSummary();

const banner = el("header", { class: "banner" },
  el("h1", {}, "DeepPerf report"),
  el("p", { class: "muted" }, [
    `${plural(data.findings.length, "finding")} in ${plural(data.files, "checked file")}`, data.common && ` \u00b7 ${data.common}/`,
  ].filter(Boolean).join("")),
  themeButton());
const toolbar = el("div", { class: "toolbar" },
  el("h2", { id: "findings-title" }, "Findings"), count,
  el("div", { class: "controls" },
    el("div", { class: "control is-wide" }, el("label", { for: "search" }, "Search"), search),
    el("div", { class: "control" }, el("label", { for: "fixes" }, "Fix"), fixes),
    el("div", { class: "control" }, el("label", { for: "order" }, "Order"), order)),
  chips);
const listPane = el("div", { class: "list-pane" }, list.element, empty);
const errors = errorsOf(data);
const footer = el("footer", { class: "muted" }, `Created by deepperf ${data.version}. This file loads nothing from the network.`);
findings.append(toolbar, el("div", { class: "panes" }, listPane, detail));
const skip = data.findings.length > 0 &&
  el("a", { class: "skip", href: "#findings", onclick(event) {
    event.preventDefault(); // the address is the state's
    findings.scrollIntoView();
    findings.focus();
  } }, "Skip to the findings");
document.getElementById("app").replaceChildren(
  ...(skip ? [skip] : []),
  banner,
  el("main", {}, summary, ...(data.findings.length > 0 ? [overview, findings] : []), ...(errors ? [errors] : [])),
  footer,
  el("div", { id: "announcements", class: "for-screen-readers", role: "status", "aria-live": "polite" }));

readAddress();
search.value = state.query;
update();
