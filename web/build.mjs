// Bundles the pages of `deepperf check --format html` and `deepperf shapes --format html` into one file each.
//
// usage: node build.mjs REPORT_PAGE SHAPES_PAGE, in a folder that holds this one's files and their packages
//
// Script and style are named by their hashes in the page's Content-Security-Policy: nothing else runs, and nothing is
// loaded. The program puts the data where the mark stands.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const MARK = "@DATA@";
// The build embeds the page in pieces that end at line ends, none of which may be long.
const LONGEST_LINE = 8000;

async function bundle(entry) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome109", "firefox115", "safari16"],
    charset: "ascii",
    legalComments: "none",
    lineLimit: 200,
  });
  return result.outputFiles[0].text;
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

async function makePage(folder, output) {
  const script = await bundle(`${folder}/main.js`);
  const style = await bundle(`${folder}/style.css`);
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;

  const page = readFileSync(`${folder}/page.html`, "utf8").replace(/@(POLICY|STYLE|SCRIPT)@/g, (_, name) =>
    ({ POLICY: policy, STYLE: style, SCRIPT: script })[name]);

  if (page.split(MARK).length !== 2) throw new Error(`the page must hold ${MARK} once`);
  // `<!--` alone does no harm: only `<script` after it would hide the end of the element.
  if (/<\/?script/i.test(script) || /<\/style/i.test(style)) throw new Error("the bundle would end its own element");
  if (page.includes(')TEXT"')) throw new Error("the page holds what ends the literal that it is embedded in");
  if (page.split("\n").some((line) => line.length > LONGEST_LINE)) throw new Error("a line is too long to be embedded");
  writeFileSync(output, page);
}

await makePage("src", process.argv[2]);
await makePage("src/shapes", process.argv[3]);
