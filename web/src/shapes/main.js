// Puts the page of `deepperf shapes --format html` together.
import { announce, el, plural } from "../dom.js";
import { themeButton } from "../theme.js";
import { factsOf } from "./facts.js";
import { groupsOf, makeModel } from "./model.js";
import { makePicture } from "./picture.js";
import { makeTable } from "./table.js";

const data = JSON.parse(document.getElementById("data").textContent);
// The largest first: a block that the model is made of has a root of its own if nobody calls it.
const roots = data.roots.filter((root) => root.steps.length > 0 || (root.problems ?? []).length > 0)
  .sort((a, b) => b.steps.length - a.steps.length);
let model = null;

const facts = el("div", { class: "about-root" });
const count = el("p", { class: "count muted", "aria-live": "polite" });
const search = el("input", { type: "search", id: "search", placeholder: "Layer, operation or shape", autocomplete: "off", spellcheck: "false" });
const choice = el("select", { id: "root" }, roots.map((root, index) =>
  el("option", { value: index }, root.name === "<module>" ? `${root.file} (module)` : `${root.name}, line ${root.line}`)));

const table = makeTable({ onSelect: (leaf) => picture.reveal(leaf) });
const picture = makePicture({
  onSelect(box) {
    if (box?.kind === "step") table.select(box);
  },
  onChange: () => announce(""),
});

function openAll(open) {
  for (const group of groupsOf(model.top)) group.open = open;
  picture.redraw();
  announce(open ? "All modules are open" : "All modules are closed");
}

function showCount() {
  const shown = table.filter(search.value);
  const all = model.leaves.length;
  count.textContent = shown === all ? plural(all, "step") : `${shown.toLocaleString("en")} of ${plural(all, "step")}`;
}

function show(index) {
  model = makeModel(roots[index]);
  facts.replaceChildren(...factsOf(roots[index]));
  table.show(model);
  picture.show(model);
  showCount();
}

// A name of one sign needs a word for those who do not see it.
const button = (name, title, action) =>
  el("button", { type: "button", class: "quiet", "aria-label": name.length === 1 ? title : null, title, onclick: action }, name);

document.title = `Shapes of ${data.file}`;
document.getElementById("app").replaceChildren(
  roots.length > 0 ? el("a", { class: "skip", href: "#steps" }, "Skip to the table of steps") : "",
  el("header", { class: "banner" }, el("h1", {}, "DeepPerf"), el("p", { class: "muted" }, `Shapes of ${data.file}`), themeButton()),
  el("div", { id: "announcements", class: "for-screen-readers", "aria-live": "polite" }),
);

if (roots.length === 0) {
  document.getElementById("app").append(el("main", {}, el("p", { class: "empty" }, "No tensors of known shape in this file.")));
} else {
  document.getElementById("app").append(el("main", {},
    el("section", { class: "top", "aria-label": "The model" },
      roots.length > 1 ? el("label", { class: "choose" }, "Model ", choice) : el("h2", {}, roots[0].name === "<module>" ? data.file : roots[0].name), facts),
    el("div", { class: "halves" },
      el("section", { class: "half", "aria-labelledby": "picture-title" },
        el("div", { class: "bar" }, el("h2", { id: "picture-title" }, "Picture"),
          button("+", "Zoom in", () => picture.zoomBy(1.3)), button("−", "Zoom out", () => picture.zoomBy(1 / 1.3)),
          button("Fit", "Show all of it", () => picture.fit()), button("Open all", "Open all modules", () => openAll(true)),
          button("Close all", "Close all modules", () => openAll(false))),
        picture.element,
        el("p", { id: "picture-help", class: "help muted" },
          "Drag to move, scroll to zoom, click a module to open or close it. Keys: ↑ ↓ move, → opens, ← closes, + − 0 zoom.")),
      el("section", { class: "half", id: "steps", "aria-labelledby": "steps-title" },
        el("div", { class: "bar" }, el("h2", { id: "steps-title" }, "Steps"), el("label", { class: "for-screen-readers", for: "search" }, "Search steps"), search, count),
        table.element))));
  choice.addEventListener("change", () => show(Number(choice.value)));
  search.addEventListener("input", showCount);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target === search) return;
    event.preventDefault();
    search.focus();
  });
  show(0);
}
