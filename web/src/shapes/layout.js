// Where boxes, groups and arrows go. dagre does the work.
import dagre from "@dagrejs/dagre";

import { lastPart, shapeText, shortNumber } from "./format.js";
import { plural } from "../dom.js";

const LETTER = 7.3; // width of a letter of the picture's monospaced font, 12 pixels high
const PADDING = 12;

// The two lines of a box.
export function boxTexts(box) {
  if (box.kind === "group") {
    const size = box.parameters ? `, ${shortNumber(box.parameters)} parameters` : "";
    return [box.name, `${plural(box.steps, "step")}${size}`];
  }
  if (box.kind !== "step") return [box.name, shapeText(box.tensor)];
  const operation = lastPart(box.step.operation ?? "");
  const size = box.step.parameters ? `  ${shortNumber(box.step.parameters)}` : "";
  const within = `${(box.step.path ?? []).join(".")}.`;
  const name = box.name.startsWith(within) && box.name !== within ? box.name.slice(within.length) : box.name;
  return name === operation && !size ? [name, ""] : [name, operation + size];
}

const shorten = (text) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

export function arrange({ boxes, groups, arrows }) {
  const graph = new dagre.graphlib.Graph({ compound: true, multigraph: false });
  graph.setGraph({ rankdir: "TB", nodesep: 28, ranksep: 30, edgesep: 16, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const group of groups) graph.setNode(group.id, {});
  for (const box of boxes) {
    const texts = boxTexts(box).map(shorten);
    box.texts = texts;
    graph.setNode(box.id, {
      width: Math.max(96, Math.max(...texts.map((text) => text.length)) * LETTER + 2 * PADDING),
      height: texts[1] ? 46 : 30,
    });
  }
  const shown = new Set(groups.map((group) => group.id));
  for (const node of [...groups, ...boxes]) if (node.parent && shown.has(node.parent.id)) graph.setParent(node.id, node.parent.id);
  for (const arrow of arrows) {
    const [first, ...more] = arrow.texts;
    const text = more.length > 0 ? `${first} +${more.length}` : first;
    graph.setEdge(arrow.from.id, arrow.to.id, { text, width: text.length * LETTER * 0.92 + 8, height: 16, labelpos: "c" });
  }
  dagre.layout(graph);
  const { width, height } = graph.graph();
  return {
    width: Math.max(1, width),
    height: Math.max(1, height),
    boxes: boxes.map((box) => ({ box, ...graph.node(box.id) })),
    groups: groups.map((group) => ({ group, ...graph.node(group.id) })),
    arrows: arrows.map((arrow) => ({ arrow, ...graph.edge(arrow.from.id, arrow.to.id) })),
  };
}
