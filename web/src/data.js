// The findings, as src/report/html_data.cpp writes them, with everything that is shared put in its place.

export const SEVERITIES = ["error", "warning", "advice", "note"];

export const SEVERITY_NAMES = {
  error: { one: "error", many: "errors", title: "Errors", titleOfOne: "Error", means: "crashes or wrong results" },
  warning: { one: "warning", many: "warnings", title: "Warnings", titleOfOne: "Warning", means: "lost time or memory" },
  advice: { one: "piece of advice", many: "pieces of advice", title: "Advice", titleOfOne: "Advice", means: "worth trying" },
  note: { one: "note", many: "notes", title: "Notes", titleOfOne: "Note", means: "nothing is lost today" },
};

function folderOf(path) {
  const end = path.lastIndexOf("/");
  return end < 0 ? "" : path.slice(0, end);
}

// What all of the folders begin with is not worth repeating.
function commonFolder(folders) {
  if (folders.length === 0) return [];
  let common = folders[0].split("/");
  for (const folder of folders) {
    const parts = folder.split("/");
    let same = 0;
    while (same < common.length && same < parts.length && common[same] === parts[same]) ++same;
    common = common.slice(0, same);
  }
  return common;
}

function makePlace(data, [path, cell, line, column, endLine, endColumn]) {
  return { path: data.paths[path], pathIndex: path, cell, line, column, endLine, endColumn };
}

export function placeText({ path, cell, line, column }) {
  return path + (cell ? `:cell ${cell}` : "") + (line ? `:${line}` : "") + (line && column ? `:${column}` : "");
}

export function readData(text) {
  const data = JSON.parse(text);
  const findings = data.findings.map((raw, id) => {
    const rule = data.rules[raw.rule];
    const place = makePlace(data, raw.place);
    return {
      id,
      rule,
      severity: raw.severity,
      rank: SEVERITIES.indexOf(raw.severity),
      hint: raw.hint === true,
      place,
      message: data.texts[raw.message],
      help: raw.help === undefined ? "" : data.texts[raw.help],
      notes: (raw.notes ?? []).map((note) => ({ place: makePlace(data, note.place), message: data.texts[note.message] })),
      fix: raw.fix && { safe: raw.fix.safe, diffs: raw.fix.diffs.map(([cell, diff]) => ({ cell, diff: data.texts[diff] })) },
      folder: folderOf(place.path),
    };
  });
  const common = commonFolder([...new Set(findings.map((finding) => finding.folder))]);
  const cut = common.length === 0 ? 0 : common.join("/").length + 1;
  for (const finding of findings) {
    finding.folder = finding.folder.slice(cut) || ".";
    finding.shortPath = finding.place.path.slice(cut);
    finding.searchText = [finding.message, finding.help, finding.rule.code, finding.rule.name, finding.place.path]
      .join("\n").toLowerCase();
  }
  const runs = new Map(); // lines, by path and cell
  for (const [path, cell, first, lines] of data.lines) {
    const key = `${path}:${cell}`;
    if (!runs.has(key)) runs.set(key, []);
    runs.get(key).push({ first, lines });
  }
  return {
    version: data.version,
    files: data.files,
    hidden: data.hidden,
    errors: data.errors.map((error) => ({ ...error, path: data.paths[error.path] })),
    findings,
    common: common.join("/"),
    shortPath: (path) => (path.startsWith(`${common.join("/")}/`) ? path.slice(cut) : path),
    // Lines around a place: `{first, lines}`.
    linesAround(place, context) {
      const from = place.line - context;
      const to = Math.min(Math.max(place.line, place.endLine), place.line + 40) + context;
      for (const run of runs.get(`${place.pathIndex}:${place.cell}`) ?? []) {
        if (place.line < run.first || place.line >= run.first + run.lines.length) continue;
        const first = Math.max(from, run.first);
        return { first, lines: run.lines.slice(first - run.first, to - run.first + 1) };
      }
      return { first: place.line, lines: [] };
    },
  };
}
