// Python with its syntax in colour, places in it marked, and changes to it as a diff.
import { classHighlighter, highlightCode } from "@lezer/highlight";
import { parser } from "@lezer/python";
import { el } from "./dom.js";

// Per line its pieces: [[text, classes], …].
function highlightedLines(code) {
  const lines = [[]];
  highlightCode(code, parser.parse(code), classHighlighter,
    (text, classes) => lines[lines.length - 1].push([text, classes]),
    () => lines.push([]));
  return lines;
}

// Columns count characters from 1; JavaScript counts UTF-16 units from 0.
function unitsBefore(line, column) {
  if (!/[\ud800-\udfff]/.test(line)) return column - 1;
  return [...line].slice(0, column - 1).join("").length;
}

// The part of a line that a place covers, or null.
function covered(place, number, line) {
  if (number < place.line || number > Math.max(place.line, place.endLine)) return null;
  const start = number === place.line ? unitsBefore(line, place.column) : line.length - line.trimStart().length;
  const end = number === place.endLine ? unitsBefore(line, place.endColumn) : line.length;
  return start < end ? { start, end } : null;
}

function sourceNodes(pieces, mark) {
  const plain = (text, classes) => (text === "" ? [] : [classes ? el("span", { class: classes }, text) : text]);
  const before = [];
  const inside = [];
  const after = [];
  let at = 0;
  for (const [text, classes] of pieces) {
    const start = mark ? Math.min(Math.max(mark.start - at, 0), text.length) : text.length;
    const end = mark ? Math.min(Math.max(mark.end - at, 0), text.length) : text.length;
    before.push(...plain(text.slice(0, start), classes));
    inside.push(...plain(text.slice(start, end), classes));
    after.push(...plain(text.slice(end), classes));
    at += text.length;
  }
  return [before, inside.length > 0 && el("mark", {}, inside), after];
}

const lineRow = (number, classes, nodes) =>
  el("span", { class: `line ${classes}`, "data-number": number }, el("span", { class: "source" }, nodes), "\n");

// It scrolls sideways, which the keyboard must be able to do as well.
const frame = (label, rows, digits) =>
  el("pre", { class: "code", tabindex: "0", role: "region", "aria-label": label, style: { "--digits": String(digits) } },
    el("code", {}, rows));

// White space that all lines begin with.
function commonIndent(lines) {
  const [first, ...others] = lines.filter((line) => line.trim() !== "").map((line) => /^[ \t]*/.exec(line)[0]);
  let common = first ?? "";
  for (const indent of others) while (!indent.startsWith(common)) common = common.slice(0, -1);
  return common.length;
}

// Where a line is longer than its frame, the marked part should be seen.
export function revealMarks(container) {
  for (const frame of container.querySelectorAll("pre.code")) {
    const mark = frame.querySelector("mark");
    if (mark && mark.offsetLeft + mark.offsetWidth > frame.clientWidth) {
      frame.scrollLeft = mark.offsetLeft - Math.max(64, frame.clientWidth - mark.offsetWidth - 32);
    }
  }
}

export function codeWithMark(place, { first, lines: indented }, label) {
  const indent = commonIndent(indented);
  const lines = indented.map((line) => line.slice(indent));
  const pieces = highlightedLines(lines.join("\n"));
  const rows = lines.map((line, index) => {
    const number = first + index;
    const whole = covered(place, number, indented[index]);
    const mark = whole && { start: Math.max(0, whole.start - indent), end: whole.end - indent };
    const isInside = number >= place.line && number <= Math.max(place.line, place.endLine);
    return lineRow(number, isInside ? "is-marked" : "", sourceNodes(pieces[index] ?? [[line, ""]], mark));
  });
  return frame(label, rows, String(first + lines.length).length);
}

export function codeOfDocumentation(text, language, label) {
  const pieces = language === "python" || language === "py" ? highlightedLines(text) : text.split("\n").map((line) => [[line, ""]]);
  return el("pre", { class: "code is-example", tabindex: "0", role: "region", "aria-label": label },
    el("code", {}, pieces.map((line) => [sourceNodes(line, null), "\n"])));
}

// A unified diff; its first two lines name the file.
export function codeOfDiff(diff, label) {
  const rows = [];
  let before = 0;
  let after = 0;
  const lines = diff.split("\n").slice(2);
  const indent = commonIndent(lines.filter((line) => /^[-+ ]/.test(line)).map((line) => line.slice(1)));
  for (const line of lines) {
    const hunk = /^@@ -(\d+)\S* \+(\d+)/.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      if (rows.length > 0) rows.push(el("span", { class: "line is-gap" }, "\n"));
      continue;
    }
    const sign = line[0];
    if (sign !== " " && sign !== "-" && sign !== "+") continue; // no newline at the end of the file
    const kind = { " ": "is-context", "-": "is-removed", "+": "is-added" }[sign];
    const number = sign === "-" ? before : after;
    if (sign !== "+") ++before;
    if (sign !== "-") ++after;
    const text = line.slice(1 + indent).replace(/\r$/, "");
    rows.push(lineRow(number, kind, [el("span", { class: "sign" }, sign), sourceNodes(highlightedLines(text)[0], null)]));
  }
  return frame(label, rows, String(Math.max(before, after)).length);
}
