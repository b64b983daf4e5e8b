// What ruff reports about Python files, as a list that `deepperf bench assess` reads.
//
//   node assess_ruff.js FILE…
//
// npm has ruff as WebAssembly only, without its command line.
const { readFileSync } = require("node:fs");
const { PositionEncoding, Workspace } = require("@astral-sh/ruff-wasm-nodejs");

// The families that are about what code does and costs, and not about how it looks.
const families = ["PERF", "C4", "NPY", "PD", "FURB", "SIM", "B", "RUF"];
const settings = { preview: true, lint: { select: families } };
const workspace = new Workspace(settings, PositionEncoding.Utf32);
const findings = [];
for (const path of process.argv.slice(2)) {
  for (const found of workspace.check(readFileSync(path, "utf8"))) {
    if (found.code) {
      findings.push({ path, line: found.start_location.row, code: found.code });
    }
  }
}
console.log(JSON.stringify(findings));
