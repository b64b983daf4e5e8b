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

export function matching(findings, state, except = null) {
  const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  const facets = [...state.chosen].filter(([key, wanted]) => key !== except && wanted.size > 0);
  return findings.filter((finding) =>
    facets.every(([key, wanted]) => passes(finding, FACET_BY_KEY.get(key), wanted)) &&
    words.every((word) => finding.searchText.includes(word)));
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
  const pairs = findings.flatMap((finding) => facet.values(finding).map((value) => ({ value, severity: finding.severity })));
  return rollups(pairs, (group) => ({
    count: group.length,
    severities: Object.fromEntries(rollups(group, (some) => some.length, (one) => one.severity)),
  }), (pair) => pair.value)
    .map(([value, counts]) => ({ value, ...counts }))
    .sort((a, b) => b.count - a.count || ascending(a.value, b.value));
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
