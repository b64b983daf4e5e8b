// Charts that are filters as well: bars by severity for lists of values, tiles for folders.
import { hierarchy, treemap, treemapSquarify } from "d3-hierarchy";
import { max } from "d3-array";
import { scaleLinear, scaleSqrt } from "d3-scale";
import { stack } from "d3-shape";
import { SEVERITIES, SEVERITY_NAMES } from "./data.js";
import { el, plural, svg } from "./dom.js";
import { isInFolder } from "./filter.js";

const bySeverity = stack().keys(SEVERITIES).value((entry, severity) => entry.severities[severity] ?? 0);

export const severityWords = (severities) => SEVERITIES.filter((severity) => severities[severity])
  .map((severity) => plural(severities[severity], SEVERITY_NAMES[severity].one, SEVERITY_NAMES[severity].many)).join(", ");

function bar(entry, most) {
  const width = scaleLinear([0, most], [0, 100]);
  return svg("svg", { class: "bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    bySeverity([entry]).map((series) => {
      const [from, to] = series[0];
      return to > from && svg("rect", { class: `fill-${series.key}`, x: width(from), width: width(to) - width(from), y: 0, height: 1 });
    }));
}

// `entries` are those of countBy; `label` names a value.
export function barChart({ entries, chosen, label, shown, onToggle }) {
  const most = max(entries, (entry) => entry.count) ?? 1;
  return el("ul", { class: "bars" }, entries.slice(0, shown).map((entry) =>
    el("li", {}, el("button", {
      type: "button",
      class: "bar-row",
      "data-value": entry.value,
      "aria-pressed": String(chosen.has(entry.value)),
      title: severityWords(entry.severities),
      onclick: () => onToggle(entry.value),
    },
    el("span", { class: "bar-label" }, label(entry.value)),
    el("span", { class: "bar-count" }, entry.count.toLocaleString("en")),
    bar(entry, most)))));
}

const MOST_TILES = 14;

// As many levels of folders as make a readable number of tiles, at least one below `inside` (empty: from the top).
export function folderEntries(all, inside) {
  const entries = inside ? all.filter((entry) => isInFolder(entry.value, inside)) : all;
  const least = inside ? inside.split("/").length + 1 : 1;
  const upTo = (depth) => {
    const groups = new Map();
    for (const entry of entries) {
      const name = entry.value.split("/").slice(0, depth).join("/");
      const group = groups.get(name) ?? { value: name, count: 0, severities: {} };
      group.count += entry.count;
      for (const [severity, count] of Object.entries(entry.severities)) {
        group.severities[severity] = (group.severities[severity] ?? 0) + count;
      }
      groups.set(name, group);
    }
    return [...groups.values()].sort((a, b) => b.count - a.count);
  };
  let best = upTo(least);
  for (let depth = least + 1; depth <= least + 8; ++depth) {
    const deeper = upTo(depth);
    if (deeper.length > MOST_TILES) break;
    best = deeper;
  }
  return best;
}

// Tiles grow with the root of their count, so that a large folder leaves the others room for their names.
export function folderChart({ entries, chosen, onToggle }) {
  const size = scaleSqrt([0, max(entries, (entry) => entry.count) ?? 1], [0, 100]);
  const frame = el("div", { class: "tiles" });
  const tiles = entries.slice(0, MOST_TILES).map((entry) => {
    const worst = SEVERITIES.find((severity) => entry.severities[severity]);
    const name = entry.value === "." ? "top folder" : entry.value;
    return el("button", {
      type: "button",
      class: `tile tint-${worst}`,
      "data-value": entry.value,
      "aria-pressed": String(chosen.has(entry.value)),
      title: `${name}: ${severityWords(entry.severities)}`,
      onclick: () => onToggle(entry.value),
    }, el("span", { class: "tile-name" }, name), el("span", { class: "tile-count" }, entry.count.toLocaleString("en")));
  });
  frame.append(...tiles);
  const layOut = () => {
    const { width, height } = frame.getBoundingClientRect();
    if (width === 0) return;
    const root = hierarchy({ children: entries.slice(0, MOST_TILES) }).sum((entry) => (entry.count ? size(entry.count) : 0));
    treemap().tile(treemapSquarify.ratio(2)).size([width, height]).paddingInner(4).round(true)(root);
    (root.children ?? []).forEach((leaf, index) => {
      const { style } = tiles[index];
      style.left = `${leaf.x0}px`;
      style.top = `${leaf.y0}px`;
      style.width = `${leaf.x1 - leaf.x0}px`;
      style.height = `${leaf.y1 - leaf.y0}px`;
    });
  };
  new ResizeObserver(layOut).observe(frame);
  const left = entries.length - tiles.length;
  return [frame, left > 0 && el("p", { class: "muted more-tiles" }, `and ${plural(left, "folder")} with fewer findings`)];
}
