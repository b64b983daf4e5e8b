// The steps as a table, in the order in which they run.
import { el } from "../dom.js";
import { family } from "./picture.js";
import { shapeText, remarks, shortNumber, wholeNumber } from "./format.js";

const texts = (tensors) => (tensors ?? []).map((tensor) => [shapeText(tensor), remarks(tensor)].filter(Boolean).join(" "));
const lines = (tensors) => texts(tensors).map((text) => el("span", { class: "tensor" }, text));

export function makeTable({ onSelect }) {
  const body = el("tbody");
  const empty = el("p", { class: "muted nothing", hidden: true }, "No step matches.");
  const element = el("div", { class: "steps", tabindex: "0", role: "region", "aria-label": "Table of steps" },
    el("table", {},
      el("thead", {}, el("tr", {},
        el("th", { scope: "col", class: "number" }, "Line"), el("th", { scope: "col" }, "Step"), el("th", { scope: "col" }, "Input"),
        el("th", { scope: "col" }, "Output"), el("th", { scope: "col", class: "number" }, "Parameters"),
        el("th", { scope: "col", class: "number" }, "Multiply-adds"))),
      body), empty);
  let rows = [];
  let marked = null;

  function mark(row, scroll) {
    marked?.element.classList.remove("is-selected");
    marked?.button.removeAttribute("aria-current");
    marked = row;
    if (!row) return;
    row.element.classList.add("is-selected");
    row.button.setAttribute("aria-current", "true");
    if (scroll) row.element.scrollIntoView({ block: "nearest" });
  }

  function makeRow(leaf, file) {
    const { step } = leaf;
    const where = (step.path ?? []).join(".");
    const button = el("button", { type: "button", class: "step-name" }, step.name);
    const row = { leaf, button };
    button.addEventListener("click", () => {
      mark(row, false);
      onSelect(leaf);
    });
    const other = step.file && step.file !== file ? `${step.file}:` : "";
    row.element = el("tr", { class: `is-${family(step)}${leaf.problem ? " has-problem" : ""}` },
      el("td", { class: "number muted", title: other ? `${other}${step.line}` : null }, step.line),
      el("th", { scope: "row" }, button, el("span", { class: "operation" }, step.operation ?? "", where ? ` in ${where}` : ""),
        leaf.problem ? el("span", { class: "problem" }, `${leaf.problem.code} ${leaf.problem.message}`) : null),
      el("td", { class: "code" }, lines(step.inputs)),
      el("td", { class: "code" }, lines(step.outputs)),
      el("td", { class: "number", title: wholeNumber(step.parameters) }, step.parameters ? shortNumber(step.parameters) : ""),
      el("td", { class: "number", title: wholeNumber(step.multiply_adds) }, step.multiply_adds ? shortNumber(step.multiply_adds) : ""));
    row.words = [step.name, step.operation, where, ...texts(step.inputs), ...texts(step.outputs), `line ${step.line}`,
      leaf.problem ? `${leaf.problem.code} ${leaf.problem.message}` : ""].join(" ").toLowerCase();
    return row;
  }

  return {
    element,
    show(model) {
      rows = model.leaves.map((leaf) => makeRow(leaf, model.root.file));
      marked = null;
      body.replaceChildren(...rows.map((row) => row.element));
      empty.hidden = rows.length > 0;
    },
    // How many rows hold all of the words.
    filter(query) {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const fits = words.every((word) => row.words.includes(word));
        row.element.hidden = !fits;
        shown += fits ? 1 : 0;
      }
      empty.hidden = shown > 0;
      return shown;
    },
    select(leaf) {
      mark(rows.find((row) => row.leaf === leaf) ?? null, true);
    },
  };
}
