// Shapes and numbers as text.

export function shapeText(tensor) {
  if (!tensor || !tensor.shape) return "?";
  const sizes = tensor.shape.map((size) => (size === null ? "?" : String(size)));
  if (tensor.head) sizes.unshift("…");
  return `[${sizes.join(", ")}]`;
}

// What is said only where it is not as usual.
export function remarks(tensor) {
  const parts = [];
  if (tensor?.dtype && tensor.dtype !== "float32") parts.push(tensor.dtype);
  if (tensor?.device && tensor.device !== "cpu") parts.push(tensor.device);
  return parts.join(" ");
}

export const tensorText = (tensor) => [shapeText(tensor), remarks(tensor)].filter(Boolean).join(" ");

const UNITS = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

export function shortNumber(value) {
  if (typeof value === "string") return value; // a form with symbols
  if (value === null || value === undefined) return "?";
  for (const [unit, name] of UNITS) {
    if (value >= unit) return `${(value / unit).toFixed(value >= 100 * unit ? 0 : value >= 10 * unit ? 1 : 2)} ${name}`;
  }
  return String(value);
}

export function wholeNumber(value) {
  return typeof value === "number" ? value.toLocaleString("en") : shortNumber(value);
}

export function bytesText(value) {
  if (typeof value !== "number") return shortNumber(value);
  for (const [unit, name] of [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
    if (value >= unit) return `${(value / unit).toFixed(value >= 100 * unit ? 0 : 1)} ${name}`;
  }
  return `${value} B`;
}

export const lastPart = (name) => name.slice(name.lastIndexOf(".") + 1);
