// The picture: boxes and arrows in an SVG that can be moved, zoomed and walked with the keyboard.
import { select } from "d3-selection";
import { line, curveBasis } from "d3-shape";
import { zoom, zoomIdentity } from "d3-zoom";

import { el, svg } from "../dom.js";
import { tensorText, wholeNumber } from "./format.js";
import { arrange } from "./layout.js";
import { boxOf, visible } from "./model.js";

const path = line((point) => point.x, (point) => point.y).curve(curveBasis);
const LID = 14; // how much a group reaches over its first box, for its name
const FAMILIES = [
  ["conv", /conv/i],
  ["linear", /linear|matmul|bmm|\bmm\b|einsum|dense|dot|embedding/i],
  ["memory", /lstm|gru|rnn|attention|transformer/i],
  ["norm", /norm/i],
  ["pool", /pool|interpolate|upsample/i],
  ["loss", /loss|cross_entropy/i],
];

export function family(step) {
  return FAMILIES.find(([, pattern]) => pattern.test(step.operation ?? ""))?.[0] ?? "other";
}

function describe(box) {
  if (box.kind === "group") {
    return `${box.name}, module of ${box.steps} steps, ${wholeNumber(box.parameters)} parameters${box.problem ? `, problem: ${box.problem.message}` : ""}`;
  }
  if (box.kind !== "step") return `${box.kind} ${box.name} ${tensorText(box.tensor)}`;
  const { step } = box;
  const takes = (step.inputs ?? []).map(tensorText).join(", ");
  const gives = (step.outputs ?? []).map(tensorText).join(", ");
  return `${box.name}, ${step.operation}, line ${step.line}: ${takes} to ${gives}${box.problem ? `, problem: ${box.problem.message}` : ""}`;
}

export function makePicture({ onSelect, onChange }) {
  const arrowTip = svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
    svg("path", { d: "M0 0L8 4L0 8z", class: "tip" }));
  const stage = svg("g", { class: "stage", role: "none" });
  const drawing = svg("svg", { class: "drawing", role: "tree", "aria-label": "Diagram of the model", "aria-describedby": "picture-help" },
    svg("defs", {}, arrowTip), stage);
  const frame = el("div", { class: "frame" }, drawing);
  let model = null;
  let placed = null;
  let selected = null; // a box that is visible
  let touched = false; // moved or zoomed by the reader since the last fit

  const behaviour = zoom().scaleExtent([0.005, 4]).on("zoom", ({ transform, sourceEvent }) => {
    if (sourceEvent) touched = true;
    stage.setAttribute("transform", transform);
  });
  const handle = select(drawing).call(behaviour).on("dblclick.zoom", null);

  const size = () => ({ width: drawing.clientWidth || 800, height: drawing.clientHeight || 600 });

  // All of it if that can be read, else the top at a size that can.
  function fit() {
    const { width, height } = size();
    const whole = Math.min(width / placed.width, height / placed.height, 1.25);
    const scale = Math.max(whole, Math.min(0.7, width / placed.width));
    const x = (width - placed.width * scale) / 2;
    const y = placed.height * scale > height ? 8 : (height - placed.height * scale) / 2;
    handle.call(behaviour.transform, zoomIdentity.translate(x, y).scale(scale));
    touched = false;
  }

  function fitWhole() {
    const { width, height } = size();
    const scale = Math.min(width / placed.width, height / placed.height, 1.25);
    handle.call(behaviour.transform, zoomIdentity.translate((width - placed.width * scale) / 2, (height - placed.height * scale) / 2).scale(scale));
  }

  const zoomBy = (factor) => {
    touched = true;
    handle.call(behaviour.scaleBy, factor);
  };

  function center(box) {
    const place = placed.boxes.find((one) => one.box === box);
    if (place) handle.call(behaviour.translateTo, place.x, place.y);
  }

  const elementOf = (box) => (box ? document.getElementById(`box-${box.id}`) : null);

  function mark(box, { focus = false, move = false, quiet = false } = {}) {
    for (const old of stage.querySelectorAll('[aria-selected="true"]')) {
      old.setAttribute("aria-selected", "false");
      old.setAttribute("tabindex", "-1");
    }
    selected = box;
    const element = elementOf(box);
    if (element) {
      element.setAttribute("aria-selected", "true");
      element.setAttribute("tabindex", "0");
      if (focus) element.focus({ preventScroll: true });
    }
    if (move) center(box);
    if (!quiet) onSelect(box);
  }

  function toggle(group, open) {
    group.open = open;
    draw();
    const next = open ? placed.boxes.find(({ box }) => box.parent === group || boxOf(box) === box && isWithin(box, group))?.box : group;
    mark(next ?? null, { focus: true, move: true });
    onChange();
  }

  const isWithin = (node, group) => {
    for (let one = node.parent; one; one = one.parent) if (one === group) return true;
    return false;
  };

  function boxElement({ box, x, y, width, height }) {
    const kind = box.kind === "step" ? `is-${family(box.step)}` : `is-${box.kind}`;
    const [first, second] = box.texts;
    return svg("g", {
      id: `box-${box.id}`, class: `box ${kind}${box.problem ? " has-problem" : ""}`, role: "treeitem", tabindex: "-1",
      "aria-selected": "false", "aria-expanded": box.kind === "group" ? "false" : null, "aria-description": describe(box),
      transform: `translate(${x - width / 2} ${y - height / 2})`,
      onclick: () => {
        mark(box, { focus: true });
        if (box.kind === "group") toggle(box, true);
      },
    },
    box.kind === "group" ? svg("rect", { class: "behind", x: 4, y: 4, width, height, rx: 7 }) : null,
    svg("rect", { class: "face", width, height, rx: 7 }),
    svg("rect", { class: "stripe", x: 0, y: 6, width: 4, height: height - 12, rx: 2 }),
    svg("text", { class: "name", x: width / 2, y: second ? 19 : 20 }, first),
    second ? svg("text", { class: "about", x: width / 2, y: 36 }, second) : null);
  }

  function groupElement({ group, x, y, width, height }) {
    const label = group.name.length * 7.3 + 34 > width ? `${group.name.slice(0, Math.max(1, Math.floor((width - 44) / 7.3)))}…` : group.name;
    return svg("g", { class: "group", transform: `translate(${x - width / 2} ${y - height / 2})` },
      svg("rect", { class: "fence", y: -LID, width, height: height + LID, rx: 10 }),
      svg("g", {
        class: "close", transform: `translate(0 ${-LID})`, role: "treeitem", "aria-expanded": "true", "aria-selected": "false", tabindex: "-1", id: `box-${group.id}`,
        "aria-description": `${describe(group)}, open`, onclick: () => toggle(group, false),
      }, svg("rect", { class: "lid", width: label.length * 7.3 + 26, height: 18, rx: 6 }),
      svg("text", { class: "label", x: 8, y: 13 }, `− ${label}`)));
  }

  function draw() {
    placed = arrange(visible(model));
    stage.replaceChildren(
      ...placed.groups.map(groupElement),
      ...placed.arrows.map(({ points }) => svg("path", { class: "arrow", d: path(points), "marker-end": "url(#tip)" })),
      ...placed.arrows.filter(({ x }) => x !== undefined).map(({ x, y, text, width }) => svg("g", { class: "shape", transform: `translate(${x} ${y})` },
        svg("rect", { x: -width / 2, y: -9, width, height: 18, rx: 4 }), svg("text", { y: 4 }, text))),
      ...placed.boxes.map(boxElement));
    // Groups lie around each other: the outer one must not cover the inner one's lid.
    if (!selected || !elementOf(selected)) selected = placed.boxes[0]?.box ?? null;
    elementOf(selected)?.setAttribute("tabindex", "0");
  }

  drawing.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const order = placed.boxes.map(({ box }) => box);
    const at = order.indexOf(selected);
    const go = (index) => mark(order[Math.max(0, Math.min(order.length - 1, index))], { focus: true, move: true });
    const keys = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(order.length - 1),
      ArrowRight: () => selected?.kind === "group" && toggle(selected, true),
      Enter: () => selected?.kind === "group" && toggle(selected, true),
      " ": () => selected?.kind === "group" && toggle(selected, true),
      ArrowLeft: () => selected?.parent?.parent && toggle(selected.parent, false),
      "+": () => zoomBy(1.3),
      "=": () => zoomBy(1.3),
      "-": () => zoomBy(1 / 1.3),
      0: () => fitWhole(),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  new ResizeObserver(() => placed && !touched && fit()).observe(frame);

  return {
    element: frame,
    show(next) {
      model = next;
      selected = null;
      draw();
      fit();
    },
    redraw() {
      draw();
      fit();
    },
    fit: () => {
      fitWhole();
      touched = true;
    },
    zoomBy,
    // Shows a step that was chosen elsewhere; groups around it open.
    reveal(leaf) {
      for (let group = leaf.parent; group; group = group.parent) group.open = true;
      draw();
      mark(leaf, { move: true, quiet: true });
      touched = true;
    },
    deselect: () => mark(null, { quiet: true }),
  };
}
