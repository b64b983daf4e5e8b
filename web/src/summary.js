// The first screen: how much there is, and what to fix first.
import { SEVERITIES, SEVERITY_NAMES, placeText } from "./data.js";
import { el, inlineCode, plural } from "./dom.js";
import { fixFirst } from "./filter.js";

function hiddenText({ advice, notes, others, suppressed }) {
  const names = [[others, "error or warning", "errors or warnings"], [advice, "piece of advice", "pieces of advice"], [notes, "note"]];
  const parts = names.filter(([count]) => count > 0).map(([count, one, many]) => plural(count, one, many));
  const last = parts.pop();
  const hidden = parts.length > 0 ? `${parts.join(", ")} and ${last}` : last;
  return [
    last && ["Not shown: ", hidden, ". ", el("code", {}, "--all"), " includes them. "],
    suppressed > 0 && `Suppressed by comments: ${suppressed.toLocaleString("en")}.`,
  ];
}

function severityTiles(counts, onToggle) {
  return el("ul", { class: "severities", "aria-label": "Findings by severity" }, SEVERITIES.map((severity) => {
    const count = counts.get(severity) ?? 0;
    const { title, titleOfOne, means } = SEVERITY_NAMES[severity];
    return el("li", {}, el("button", {
      type: "button",
      class: `severity-tile is-${severity}`,
      "data-value": severity,
      "aria-pressed": "false",
      disabled: count === 0,
      onclick: () => onToggle(severity),
    }, el("span", { class: "severity-count" }, count.toLocaleString("en")), " ",
    el("span", { class: "severity-title" }, count === 1 ? titleOfOne : title), " ", el("span", { class: "severity-means" }, means)));
  }));
}

const card = (entry, onOpen) => el("li", {}, el("button", { type: "button", class: "card", onclick: () => onOpen(entry) },
  el("span", { class: "row-top" },
    el("span", { class: `severity is-${entry.first.severity}` }, entry.first.severity),
    el("span", { class: "row-rule" }, `${entry.rule.code} ${entry.rule.name}`)),
  el("span", { class: "card-message" }, inlineCode(entry.first.message)),
  el("span", { class: "card-place" }, placeText({ ...entry.first.place, path: entry.first.shortPath, column: 0 })),
  el("span", { class: "card-count" },
    `${plural(entry.count, "place")} in ${plural(entry.files, "file")}`,
    entry.safeFixes > 0 && `, ${entry.count === 1 ? "" : entry.safeFixes === entry.count ? "all " : `${entry.safeFixes} `}with a safe fix`)));

export function summaryOf(data, { onSeverity, onOpen }) {
  const counts = new Map();
  for (const { severity } of data.findings) counts.set(severity, (counts.get(severity) ?? 0) + 1);
  const files = plural(data.files, "file");
  const hidden = el("p", { class: "muted" }, hiddenText(data.hidden));
  if (data.findings.length === 0) {
    return el("section", { class: "summary", "aria-labelledby": "summary-title" },
      el("h2", { id: "summary-title" }, `Nothing to report in ${files}`), hidden);
  }
  const first = fixFirst(data.findings);
  return el("section", { class: "summary", "aria-labelledby": "summary-title" },
    el("h2", { id: "summary-title" }, "What to fix first"),
    el("ol", { class: "cards" }, first.map((entry) => card(entry, onOpen))),
    severityTiles(counts, onSeverity),
    hidden);
}

export function errorsOf(data) {
  if (data.errors.length === 0) return null;
  return el("section", { class: "errors", "aria-labelledby": "errors-title" },
    el("details", {},
      el("summary", {}, el("h2", { id: "errors-title" }, `Not checked completely: ${plural(data.errors.length, "problem")}`)),
      el("ul", {}, data.errors.slice(0, 500).map((error) =>
        el("li", {}, el("span", { class: "file-name" }, placeText(error)), ` ${error.kind}: ${error.message}`)),
      data.errors.length > 500 && el("li", {}, `and ${data.errors.length - 500} more`))));
}
