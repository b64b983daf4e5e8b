// One finding: what is wrong, how it comes about, what to do.
import { codeOfDiff, codeWithMark, revealMarks } from "./code.js";
import { placeText } from "./data.js";
import { announce, el, inlineCode } from "./dom.js";
import { markdown } from "./markdown.js";

const CONTEXT = 4; // lines; the program stores as many

function copyButton(text, label) {
  if (!navigator.clipboard) return null;
  const button = el("button", { type: "button", class: "quiet", "aria-label": label }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      announce("Copied");
    } catch {
      button.textContent = "Not allowed";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return button;
}

const section = (title, ...children) => el("section", { class: "part" }, el("h4", {}, title), children);

const codeAt = (data, place, label) => {
  const lines = data.linesAround(place, CONTEXT);
  return lines.lines.length === 0 ? el("p", { class: "muted" }, "No source to show.") : codeWithMark(place, lines, label);
};

// The steps of the reasoning; the one that is chosen is shown with its code.
function pathOf(data, finding) {
  const steps = [{ place: finding.place, message: finding.message }, ...finding.notes];
  let current = 0;
  const frame = el("div", { class: "step-code" });
  const buttons = steps.map((step, index) => el("button", { type: "button", class: "step", onclick: () => go(index) },
    el("span", { class: "step-message" }, inlineCode(step.message)),
    el("span", { class: "step-place" }, placeText({ ...step.place, path: data.shortPath(step.place.path) }))));
  const position = el("span", { class: "muted" });
  const previous = el("button", { type: "button", class: "quiet", onclick: () => go(current - 1) }, "Previous step");
  const next = el("button", { type: "button", class: "quiet", onclick: () => go(current + 1) }, "Next step");

  function show() {
    buttons.forEach((button, index) => {
      if (index === current) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    position.textContent = `Step ${current + 1} of ${steps.length}`;
    // A disabled button loses the focus; one that does nothing for now keeps it.
    previous.setAttribute("aria-disabled", String(current === 0));
    next.setAttribute("aria-disabled", String(current === steps.length - 1));
    frame.replaceChildren(
      el("p", { class: "file-name" }, placeText({ ...steps[current].place, path: data.shortPath(steps[current].place.path) })),
      codeAt(data, steps[current].place, `Code of step ${current + 1}: ${placeText(steps[current].place)}`));
    revealMarks(frame);
  }
  function go(index) {
    if (index < 0 || index >= steps.length) return;
    current = index;
    show();
    announce(`Step ${current + 1} of ${steps.length}: ${steps[current].message}`);
  }

  show();
  return section("Steps",
    el("ol", { class: "steps" }, buttons.map((button) => el("li", {}, button))),
    frame,
    el("div", { class: "step-buttons" }, previous, position, next));
}

function fixOf(finding) {
  const { fix, rule } = finding;
  const command = `deepperf check --fix${fix.safe ? "" : " --unsafe-fixes"} --select ${rule.code} ${shellWord(finding.place.path)}`;
  return section(fix.safe ? "Fix" : "Fix to review",
    el("p", { class: "muted" }, fix.safe
      ? "Safe: the program computes the same afterwards."
      : "Unsafe: it may change what the program computes, so review it."),
    fix.diffs.map(({ cell, diff }) => [
      cell > 0 && el("p", { class: "file-name" }, `Cell ${cell}`),
      codeOfDiff(diff, cell > 0 ? `Changes to cell ${cell}` : "Changes"),
    ]),
    el("div", { class: "command" }, el("code", {}, command), copyButton(command, "Copy the command")));
}

function shellWord(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function factsOf(finding) {
  const { rule } = finding;
  const fact = (name, value) => value && el("div", {}, el("dt", {}, name), el("dd", {}, value));
  return el("dl", { class: "facts" },
    fact("Root cause", rule.cause), fact("Symptoms", rule.symptoms.join(", ")), fact("Stage", rule.stage),
    fact("Frameworks", rule.frameworks.join(", ")));
}

let isDocumentationOpen = true; // as the reader left it

function documentationOf(finding) {
  const { rule } = finding;
  const details = el("details", { class: "documentation" },
    el("summary", {}, el("h4", {}, `About ${rule.code} ${rule.name}`)),
    el("p", { class: "lead" }, inlineCode(rule.summary)), factsOf(finding), el("div", { class: "prose" }, markdown(rule.documentation, 5)));
  details.open = isDocumentationOpen;
  details.addEventListener("toggle", () => { isDocumentationOpen = details.open; });
  return details;
}

export function findingDetail(data, finding, { onBack, onStep, position }) {
  const { rule, place } = finding;
  return el("article", { class: "finding", "aria-labelledby": "finding-title" },
    el("div", { class: "finding-top" },
      el("button", { type: "button", class: "quiet back", onclick: onBack }, "Back to the list"),
      el("span", { class: "muted position" }, position),
      el("button", { type: "button", class: "quiet", onclick: () => onStep(-1) }, "Previous"),
      el("button", { type: "button", class: "quiet", onclick: () => onStep(1) }, "Next")),
    el("p", { class: "finding-kind" },
      el("span", { class: `severity is-${finding.severity}` }, finding.severity),
      finding.hint && el("span", { class: "tag" }, "likely, not proven"),
      el("span", { class: "muted" }, `${rule.code} ${rule.name}`)),
    el("h3", { id: "finding-title", tabindex: "-1" }, inlineCode(finding.message)),
    el("p", { class: "file-name" }, el("span", {}, placeText(place)), copyButton(placeText(place), "Copy the location")),
    finding.help && el("div", { class: "help" }, el("h4", {}, "What to do"), el("p", {}, inlineCode(finding.help))),
    rule.measured && el("div", { class: "help" }, el("h4", {}, "Measured"), el("p", {}, rule.measured)),
    finding.notes.length > 0 ? pathOf(data, finding) : section("Location", codeAt(data, place, `Code: ${placeText(place)}`)),
    finding.fix && finding.fix.diffs.length > 0 && fixOf(finding),
    documentationOf(finding));
}
