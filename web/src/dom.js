// Making elements. Text only ever becomes text nodes, so nothing that is shown can become markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// What stands between backticks is code.
export function inlineCode(text) {
  return text.split("`").map((part, index, parts) => {
    if (index % 2 === 0) return part;
    return index === parts.length - 1 ? "`" + part : el("code", {}, part); // one that is never closed is just a character
  });
}

// A message for screen readers; nothing else changes.
export function announce(text) {
  document.getElementById("announcements").textContent = text;
}

export const plural = (count, one, many = one + "s") => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
