// What is said above the picture: sizes, memory, and what went wrong.
import { el } from "../dom.js";
import { bytesText, shortNumber, tensorText, wholeNumber } from "./format.js";

const CARDS = [8, 16, 24, 40, 80]; // GB of memory of common GPUs

function fact(name, value, title = null) {
  return el("div", { class: "fact", title }, el("dt", {}, name), el("dd", {}, value));
}

function memoryFacts(memory) {
  if (!memory) return [];
  const parts = [["Weights", memory.weights], ["Gradients", memory.gradients], ["Adam", memory.adam], ["Activations", memory.activations]];
  if (parts.some(([, bytes]) => typeof bytes !== "number")) return parts.filter(([, bytes]) => bytes).map(([name, bytes]) => fact(name, bytesText(bytes)));
  const total = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
  const card = CARDS.find((size) => total < size * 1e9 * 0.95);
  return [
    fact(`Memory to train, batch of ${memory.batch}`, bytesText(total), parts.map(([name, bytes]) => `${name} ${bytesText(bytes)}`).join("\n")),
    fact("Fits in", card ? `${card} GB` : "no single GPU of 80 GB"),
  ];
}

const LONGEST_FORM = 40;

// Long forms with symbols are for the tooltip.
function briefly(value) {
  const text = shortNumber(value);
  if (typeof value !== "string" || text.length <= LONGEST_FORM) return text;
  return `depends on ${[...new Set(text.match(/[A-Za-z_]\w*/g))].sort().join(", ")}`;
}

export function factsOf(root) {
  const inputs = root.inputs.map((input) => `${input.name} ${tensorText(input)}`).join(", ") || "none";
  const notes = [];
  if (root.assumed) notes.push(el("p", { class: "note" }, "The input or the constructor's arguments are assumed from the code. --input and --entry set them."));
  if (root.lost) {
    notes.push(el("p", { class: "note" }, "Shapes are lost in ", el("code", {}, `${root.lost.file}:${root.lost.line}`), ": ",
      el("code", {}, root.lost.operation), " is not known."));
  }
  for (const problem of root.problems ?? []) {
    notes.push(el("p", { class: "note is-error" }, el("strong", {}, `${problem.code}, line ${problem.line}: `), problem.message));
  }
  return [
    el("dl", { class: "facts" },
      fact("Input", el("span", { class: "code" }, inputs)),
      fact("Parameters", shortNumber(root.parameters), wholeNumber(root.parameters)),
      fact("Multiply-adds", briefly(root.multiply_adds), wholeNumber(root.multiply_adds)),
      memoryFacts(root.memory)),
    ...notes,
  ];
}
