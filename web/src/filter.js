// Which findings are shown, and how many there are of each kind.
import { ascending, rollups } from "d3-array";

// Each facet gives the values of a finding; one with several counts for each of them.
export const FACETS = [
  { key: "severity", title: "Severity", values: (finding) => [finding.severity] },
  { key: "cause", title: "Root cause", values: (finding) => [finding.rule.cause] },
  { key: "symptom", title: "Symptom", values: (finding) => finding.rule.symptoms },
  { key: "stage", title: "Stage", values: (finding) => [finding.rule.stage] },
  { key: "framework", title: "Framework", values: (finding) => finding.rule.frameworks },
  { key: "rule", title: "Rule", values: (finding) => [finding.rule.code] },
  { key: "fix", title: "Fix", values: (finding) => [!finding.fix ? "none" : finding.fix.safe ? "safe" : "unsafe"] },
  { key: "folder", title: "Folder", values: (finding) => [finding.folder] },
];

const FACET_BY_KEY = new Map(FACETS.map((facet) => [facet.key, facet]));

export const isInFolder = (folder, wanted) => folder === wanted || folder.startsWith(wanted + "/");

export function emptyState() {
  return { query: "", order: "severity", chosen: new Map(FACETS.map(({ key }) => [key, new Set()])) };
}

function passes(finding, facet, wanted) {
  if (wanted.size === 0) return true;
  const values = facet.values(finding);
  if (facet.key === "folder") return [...wanted].some((one) => isInFolder(values[0], one));
  return values.some((value) => wanted.has(value));
}

// `shown` are the findings that pass everything, in the given order; `others(key)` those that pass everything but what
// is chosen of that facet, which is what its chart counts.
export function evaluate(findings, state) {
  const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = [...state.chosen].filter(([, wanted]) => wanted.size > 0)
    .map(([key, wanted]) => ({ key, facet: FACET_BY_KEY.get(key), wanted, failedAlone: [] }));
  const shown = [];
  for (const finding of findings) {
    if (!words.every((word) => finding.searchText.includes(word))) continue;
    const failed = chosen.filter(({ facet, wanted }) => !passes(finding, facet, wanted));
    if (failed.length === 0) shown.push(finding);
    else if (failed.length === 1) failed[0].failedAlone.push(finding);
  }
  return {
    shown,
    others: (key) => shown.concat(chosen.find((one) => one.key === key)?.failedAlone ?? []),
  };
}

const byPlace = (a, b) =>
  ascending(a.place.path, b.place.path) || a.place.cell - b.place.cell || a.place.line - b.place.line || a.id - b.id;

export const ORDERS = {
  severity: { title: "Most severe first", compare: (a, b) => a.rank - b.rank || a.hint - b.hint || byPlace(a, b) },
  file: { title: "By file", compare: byPlace },
  rule: { title: "By rule", compare: (a, b) => ascending(a.rule.code, b.rule.code) || a.rank - b.rank || byPlace(a, b) },
};

// [{value, count, severities: {error: 2, …}}], most first.
export function countBy(findings, facet) {
  const entries = new Map();
  for (const finding of findings) {
    for (const value of facet.values(finding)) {
      let entry = entries.get(value);
      if (!entry) entries.set(value, entry = { value, count: 0, severities: {} });
      ++entry.count;
      entry.severities[finding.severity] = (entry.severities[finding.severity] ?? 0) + 1;
    }
  }
  return [...entries.values()].sort((a, b) => b.count - a.count || ascending(a.value, b.value));
}

// What to fix first: rules, by the worst that they found and then by how often; proven ones before others. Only the
// worst is counted.
export function fixFirst(findings, most = 3) {
  return rollups(findings, (all) => {
    const rank = Math.min(...new Set(all.map((finding) => finding.rank)));
    const group = all.filter((finding) => finding.rank === rank);
    const sorted = [...group].sort(ORDERS.severity.compare);
    return {
      rule: group[0].rule,
      first: sorted[0],
      rank,
      hint: sorted[0].hint,
      count: group.length,
      files: new Set(group.map((finding) => finding.place.path)).size,
      safeFixes: group.filter((finding) => finding.fix?.safe).length,
    };
  }, (finding) => finding.rule.code)
    .map(([, entry]) => entry)
    .sort((a, b) => a.rank - b.rank || a.hint - b.hint || b.count - a.count || ascending(a.rule.code, b.rule.code))
    .slice(0, most);
}
