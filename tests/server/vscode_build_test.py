#!/usr/bin/env python3
"""The extension for VS Code: npm builds it, and what was built starts the server when it is activated.

usage: vscode_build_test.py SOURCE_FOLDER BUILD_FOLDER
Skips (exit code 77) where npm cannot install its packages. VS Code itself is replaced by an object that says yes to everything.
"""

import json
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import npm_packages  # noqa: E402: its folder is known only now

ACTIVATE = """
const Module = require("module");
const anything = new Proxy(function () {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => "" : name === "then" ? undefined : anything),
  apply: () => anything,
  construct: () => anything,
});
const vscode = new Proxy(
  { workspace: { getConfiguration: () => ({ get: () => "deepperf", select: ["DP1"], inlayHints: true }), onDidChangeConfiguration: () => ({}) } },
  { get: (target, name) => target[name] ?? anything },
);
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
const extension = require(process.argv[2]);
console.log(Object.keys(extension).sort().join(" "));
"""


def main():
    source = pathlib.Path(sys.argv[1]) / "editors" / "vscode"
    try:
        folder = npm_packages.install(source, sys.argv[2], "vscode-extension")
    except npm_packages.Missing as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    shutil.copy(source / "extension.js", folder)
    built = subprocess.run(["npm", "run", "build"], cwd=folder, capture_output=True, text=True)
    if built.returncode != 0:
        sys.exit(built.stdout + built.stderr)
    manifest = json.loads((source / "package.json").read_text())
    loaded = subprocess.run(["node", "-e", ACTIVATE, "extension", str((folder / manifest["main"]).resolve())], capture_output=True, text=True)
    if loaded.stdout.split() != ["activate", "deactivate"]:
        sys.exit(f"the extension cannot be loaded: {loaded.stdout}{loaded.stderr}")
    # Settings that the server reads are those that the extension offers.
    offered = {name.removeprefix("deepperf.") for name in manifest["contributes"]["configuration"]["properties"]} - {"path"}
    sent = set((source / "extension.js").read_text().split("const {")[2].split("}")[0].replace(",", " ").split())
    if offered != sent:
        sys.exit(f"offered {sorted(offered)}, but sent {sorted(sent)}")


main()
