// Markdown of rule documentation as elements, without going through HTML.
import { lexer } from "marked";
import { codeOfDocumentation } from "./code.js";
import { el } from "./dom.js";

const isWebAddress = (address) => /^https?:\/\//i.test(address);

function inline(tokens = []) {
  return tokens.map((token) => {
    switch (token.type) {
      case "strong": return el("strong", {}, inline(token.tokens));
      case "em": return el("em", {}, inline(token.tokens));
      case "codespan": return el("code", {}, token.text);
      case "br": return el("br");
      case "link":
        return isWebAddress(token.href)
          ? el("a", { href: token.href, rel: "noopener noreferrer", target: "_blank" }, inline(token.tokens))
          : inline(token.tokens);
      case "text": return token.tokens ? inline(token.tokens) : token.text;
      case "escape": return token.text;
      default: return token.raw;
    }
  });
}

function table(token) {
  const row = (cells, tag) => el("tr", {}, cells.map((cell) => el(tag, {}, inline(cell.tokens))));
  return el("div", { class: "table-frame", tabindex: "0", role: "region", "aria-label": "Table" },
    el("table", {}, el("thead", {}, row(token.header, "th")), el("tbody", {}, token.rows.map((cells) => row(cells, "td")))));
}

function blocks(tokens, headingLevel) {
  let heading = "";
  return tokens.map((token) => {
    switch (token.type) {
      case "space": return null;
      case "heading":
        heading = token.text;
        return el(`h${headingLevel}`, {}, inline(token.tokens));
      case "paragraph": return el("p", {}, inline(token.tokens));
      case "code": return codeOfDocumentation(token.text, token.lang, `Example: ${heading || "code"}`);
      case "list":
        return el(token.ordered ? "ol" : "ul", {}, token.items.map((item) => el("li", {}, blocks(item.tokens, headingLevel))));
      case "blockquote": return el("blockquote", {}, blocks(token.tokens, headingLevel));
      case "table": return table(token);
      case "hr": return el("hr");
      case "text": return token.tokens ? inline(token.tokens) : token.text;
      default: return el("p", {}, token.raw);
    }
  });
}

export const markdown = (text, headingLevel) => blocks(lexer(text), headingLevel);
