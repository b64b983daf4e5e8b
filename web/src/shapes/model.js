// The steps of one root as a tree of groups, and what of it is visible while some groups are closed.
//
// A group is a run of steps within one module: a module that is called twice is two groups.

import { lastPart, shapeText } from "./format.js";

const FEW = 48; // boxes that are easy to look at

let nextId = 0;

function makeGroup(name, parent) {
  return { kind: "group", id: `g${nextId++}`, name, parent, children: [], open: false, first: 0, last: 0 };
}

// The module of a step. A layer's own name may end its path; it is the step, and no group around it.
function pathOf(step) {
  const path = step.path ?? [];
  const own = lastPart(step.name ?? "");
  return path.length > 0 && path[path.length - 1] === own ? path.slice(0, -1) : path;
}

function addTotals(group) {
  let parameters = 0;
  let steps = 0;
  let problem = null;
  for (const child of group.children) {
    if (child.kind === "group") addTotals(child);
    const own = child.kind === "group" ? child.parameters : child.step.parameters;
    if (typeof own === "string" || typeof parameters === "string") parameters = "?";
    else parameters += own ?? 0;
    steps += child.kind === "group" ? child.steps : 1;
    problem ??= child.problem;
  }
  Object.assign(group, { parameters, steps, problem });
}

// A group of one child says no more than the child.
function dropThin(group) {
  group.children = group.children.map((child) => {
    if (child.kind !== "group") return child;
    dropThin(child);
    if (child.children.length !== 1) return child;
    const [only] = child.children;
    only.name = only.kind === "group" ? `${child.name}.${only.name}` : only.name;
    only.parent = group;
    return only;
  });
}

export function makeModel(root) {
  const top = makeGroup(root.name, null);
  top.open = true;
  const leaves = [];
  const byId = new Map();
  const problems = root.problems ?? [];
  let current = top;
  let path = [];
  for (const step of root.steps) {
    const wanted = pathOf(step);
    let same = 0;
    while (same < path.length && same < wanted.length && path[same] === wanted[same]) ++same;
    for (let depth = path.length; depth > same; --depth) current = current.parent;
    for (const name of wanted.slice(same)) {
      const group = makeGroup(name, current);
      current.children.push(group);
      current = group;
    }
    path = wanted;
    const problem = problems.find((one) => one.line === step.line && (one.file ?? root.file) === (step.file ?? root.file)) ?? null;
    const leaf = { kind: "step", id: `s${step.id}`, step, name: step.name, parent: current, problem };
    current.children.push(leaf);
    leaves.push(leaf);
    byId.set(step.id, leaf);
  }
  dropThin(top);
  addTotals(top);
  const inputs = root.inputs.map((input, index) => ({ kind: "input", id: `i${index}`, name: input.name, tensor: input }));
  const model = { root, top, leaves, byId, inputs };
  openSome(model);
  return model;
}

export function* groupsOf(group) {
  for (const child of group.children) {
    if (child.kind !== "group") continue;
    yield child;
    yield* groupsOf(child);
  }
}

function countVisible(group) {
  return group.children.reduce((sum, child) => sum + (child.kind === "group" && child.open ? countVisible(child) : 1), 0);
}

// At first as many levels are open as give a picture of few boxes.
function openSome(model) {
  for (;;) {
    const closed = [...groupsOf(model.top)].filter((group) => !group.open && group.parent.open);
    if (closed.length === 0) return;
    for (const group of closed) group.open = true;
    if (countVisible(model.top) > FEW) {
      for (const group of closed) group.open = false;
      return;
    }
  }
}

// The box that stands for a step: itself, or the outermost closed group around it.
export function boxOf(node) {
  let box = node;
  for (let group = node.parent; group; group = group.parent) if (!group.open) box = group;
  return box;
}

function inputFor(model, tensor) {
  const same = model.inputs.filter((input) => shapeText(input.tensor) === shapeText(tensor));
  return same[0] ?? model.inputs[0];
}

// Boxes in the order of execution, open groups around them, and arrows between them with the tensors they carry.
export function visible(model) {
  const boxes = [...model.inputs];
  const groups = [];
  const walk = (group) => {
    for (const child of group.children) {
      if (child.kind === "group" && child.open) {
        groups.push(child);
        walk(child);
      } else {
        boxes.push(child);
      }
    }
  };
  walk(model.top);

  const arrows = new Map();
  const used = new Set();
  const connect = (from, to, tensor) => {
    if (from === to) return;
    const key = `${from.id} ${to.id}`;
    const arrow = arrows.get(key) ?? { from, to, texts: new Set() };
    arrow.texts.add(shapeText(tensor));
    arrows.set(key, arrow);
  };
  for (const leaf of model.leaves) {
    for (const input of leaf.step.inputs ?? []) {
      if (input.from === null || input.from === undefined) continue;
      const source = input.from < 0 ? inputFor(model, input) : model.byId.get(input.from);
      if (!source) continue;
      used.add(source);
      connect(boxOf(source), boxOf(leaf), input);
    }
  }
  // What nothing takes is a result.
  const results = model.leaves.filter((leaf) => !used.has(leaf) && leaf === model.leaves[model.leaves.length - 1]);
  for (const leaf of results) {
    for (const [index, tensor] of (leaf.step.outputs ?? []).slice(0, 3).entries()) {
      const output = { kind: "output", id: `o${index}`, name: "output", tensor };
      boxes.push(output);
      connect(boxOf(leaf), output, tensor);
    }
  }
  return { boxes, groups, arrows: [...arrows.values()] };
}
