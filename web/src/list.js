// The list of findings. Only the rows in view are elements, so that thousands of them stay fast.
import { placeText } from "./data.js";
import { el, inlineCode } from "./dom.js";

const EXTRA_ROWS = 6; // above and below what is in view

export function findingList({ onSelect, onOpen }) {
  const sizer = el("div", { class: "list-sizer", role: "presentation" });
  const box = el("div", { class: "list", role: "listbox", tabindex: "0", "aria-label": "Findings" }, sizer);
  let items = [];
  let active = -1; // index of the selected finding
  const rows = new Map(); // by index
  let rowHeight = 0;

  function row(index) {
    const finding = items[index];
    const { place, rule } = finding;
    const shortPlace = placeText({ ...place, path: finding.shortPath, column: 0 });
    return el("div", {
      class: "row",
      role: "option",
      id: `finding-${index}`,
      "aria-selected": String(index === active),
      "aria-setsize": items.length,
      "aria-posinset": index + 1,
      "data-id": finding.id,
      style: { transform: `translateY(${index * rowHeight}px)` },
      onclick: () => {
        select(index);
        onOpen(finding);
      },
    },
    el("span", { class: "row-top" },
      el("span", { class: `severity is-${finding.severity}` }, finding.severity),
      el("span", { class: "row-rule" }, `${rule.code} ${rule.name}`),
      finding.fix && el("span", { class: "tag" }, finding.fix.safe ? "fix" : "unsafe fix")),
    el("span", { class: "row-message" }, inlineCode(finding.message)),
    el("span", { class: "row-place" }, el("bdi", {}, shortPlace)));
  }

  function draw() {
    const view = box.getBoundingClientRect();
    if (rowHeight === 0 || view.width === 0) return;
    const top = Math.max(view.top, 0) - sizer.getBoundingClientRect().top;
    const height = Math.min(view.bottom, innerHeight) - Math.max(view.top, 0);
    const first = Math.max(0, Math.floor(top / rowHeight) - EXTRA_ROWS);
    const last = Math.min(items.length - 1, Math.ceil((top + Math.max(height, 0)) / rowHeight) + EXTRA_ROWS);
    for (const [index, element] of rows) {
      if ((index < first || index > last) && index !== active) {
        element.remove();
        rows.delete(index);
      }
    }
    const wanted = active >= 0 && active < items.length ? [active] : []; // what has the focus must exist
    for (let index = first; index <= last; ++index) wanted.push(index);
    for (const index of wanted) {
      if (rows.has(index)) continue;
      const element = row(index);
      rows.set(index, element);
      sizer.append(element);
    }
  }

  let isDue = false;
  function drawSoon() {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      draw();
    });
  }

  function redraw() {
    for (const element of rows.values()) element.remove();
    rows.clear();
    rowHeight = parseFloat(getComputedStyle(box).getPropertyValue("--row-rem")) *
      parseFloat(getComputedStyle(document.documentElement).fontSize);
    sizer.style.height = `${items.length * rowHeight}px`;
    draw();
  }

  function reveal(index) {
    const top = index * rowHeight;
    if (box.scrollHeight > box.clientHeight + 1) {
      if (top < box.scrollTop) box.scrollTop = top;
      else if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight;
    } else {
      rows.get(index)?.scrollIntoView({ block: "nearest" });
    }
  }

  function mark(index) {
    rows.get(active)?.setAttribute("aria-selected", "false");
    active = index;
    draw();
    rows.get(active)?.setAttribute("aria-selected", "true");
    if (active >= 0) box.setAttribute("aria-activedescendant", `finding-${active}`);
    else box.removeAttribute("aria-activedescendant");
  }

  function select(index) {
    if (index < 0 || index >= items.length) return;
    mark(index);
    reveal(index);
    draw();
    onSelect(items[index], index);
  }

  box.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(Math.min(box.clientHeight, innerHeight) / rowHeight) - 1);
    const last = items.length - 1;
    const steps = {
      ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: last,
    };
    if (event.key in steps && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      select(Math.min(Math.max(steps[event.key], 0), last));
    } else if ((event.key === "Enter" || event.key === " ") && active >= 0) {
      event.preventDefault();
      onOpen(items[active]);
    }
  });
  box.addEventListener("scroll", drawSoon, { passive: true });
  addEventListener("scroll", drawSoon, { passive: true });
  new ResizeObserver(redraw).observe(box.ownerDocument.documentElement);

  return {
    element: box,
    // Keeps what is selected, if it is still there.
    setItems(findings, selected) {
      items = findings;
      active = selected ? findings.indexOf(selected) : -1;
      box.scrollTop = 0;
      redraw();
      mark(active);
      if (active >= 0 && box.scrollHeight > box.clientHeight + 1) reveal(active);
      draw();
    },
    select,
    draw,
    indexOf: (finding) => items.indexOf(finding),
    count: () => items.length,
  };
}
