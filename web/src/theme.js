// Light or dark: as the system has it, until the reader chooses.
import { el } from "./dom.js";

const KEY = "deepperf-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

// Storage may be forbidden for files; then the choice lasts as long as the page.
function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function store(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // see above
  }
}

export function themeButton() {
  const root = document.documentElement;
  const before = stored();
  if (before === "light" || before === "dark") root.dataset.theme = before;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const button = el("button", { type: "button", class: "quiet theme" });
  const show = () => {
    button.textContent = isDark() ? "Light mode" : "Dark mode";
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    store(root.dataset.theme);
    show();
  });
  system.addEventListener("change", show);
  show();
  return button;
}
