#!/usr/bin/env python3
"""Random sessions of an editor: texts and notebooks are opened, edited, saved and closed, files come, go and get other names, the
client sends garbage, and the server is killed now and then. What the editor shows must be what a new check says.

usage: session_test.py DEEPPERF_BINARY [--steps N] [--seed N] [--files FOLDER]

--files takes Python files of FOLDER for the project (else some small ones).
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lsp_client import Client, PATIENCE  # noqa: E402

DATA = """import tensorflow as tf


def parse(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))
"""
TRAIN = """import tensorflow as tf
from data import parse


def train(paths, model):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(parse).batch(32).prefetch(1)
    model.fit(ds, epochs=5)
"""
LOSS = """import torch


def train(opt, loader):
    model = torch.nn.Linear(3, 1); total = 0
    for x, y in loader:
        loss = torch.nn.functional.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss
    return total
"""
PIECES = ["\n", "    ", "😀", "é", "#", '"', "(", ")", ".item()", "loss", "total += loss\n", "import torch\n", "\r\n", "'''",
          "from data import parse\n", "ds = ds.map(parse)\n", "# deepperf: ignore[DP230]\n", "def parse(x):\n    return x\n", ""]
GARBAGE = [b"{", b"[]", b"null", b'{"jsonrpc": "2.0"}', b'{"method": 1}', b'{"jsonrpc":"2.0","method":"textDocument/didChange"}',
           b'{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":7}}}', b"\xff\xfe\x00",
           b'{"jsonrpc":"2.0","method":"notebookDocument/didChange","params":{"notebookDocument":{"uri":"x"}}}',
           b'{"jsonrpc":"2.0","id":{},"method":"textDocument/hover"}', b'{"jsonrpc":"2.0","id":"g","method":"no/such"}',
           b'{"jsonrpc":"2.0","id":"h","method":"textDocument/hover","params":{"textDocument":{"uri":"file:///x.py"},"position":{}}}']
CAPABILITIES = {"general": {"positionEncodings": ["utf-32"]}, "textDocument": {"publishDiagnostics": {}},
                "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}


def split_lines(text):
    """As the protocol counts: \\n, \\r\\n and \\r end a line, and nothing else does."""
    lines, start, at = [], 0, 0
    while at < len(text):
        if text[at] == "\r" and text[at + 1:at + 2] == "\n":
            at += 1
        if text[at] in "\r\n":
            lines.append(text[start:at + 1])
            start = at + 1
        at += 1
    return lines + [text[start:]]


def notebook_bytes(cells):
    """As an editor would save it; `cells` are (kind, text)."""
    def cell(kind, text):
        more = {"outputs": [], "execution_count": None} if kind == "code" else {}
        return {"cell_type": kind, "metadata": {}, "source": text, **more}
    return json.dumps({"cells": [cell(*one) for one in cells], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4,
                       "nbformat_minor": 4}).encode()


class Session:
    def __init__(self, binary, folder, seed, sources):
        self.binary = binary
        self.folder = folder
        self.dice = random.Random(seed)
        self.disk = {}  # text by path
        self.open = {}  # the same
        self.notebooks = {}  # path: list of cell URIs
        self.cells = {}  # URI: (kind, text)
        self.counter = 0
        self.sources = sources
        for path, text in sources.items():
            self.write(path, text)
        self.client = None
        self.start()

    def uri(self, path):
        return (self.folder / path).as_uri()

    def write(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
        self.disk[path] = text

    def start(self):
        self.client = Client(self.binary, self.folder, capabilities=CAPABILITIES)
        for path, text in self.open.items():
            self.client.open(self.uri(path), text)
        for path in self.notebooks:
            self.send_notebook(path)

    def document(self, cell):
        kind, text = self.cells[cell]
        return {"uri": cell, "version": 1, "languageId": "python" if kind == "code" else "markdown", "text": text}

    def entry(self, cell):
        return {"kind": 2 if self.cells[cell][0] == "code" else 1, "document": cell}

    def send_notebook(self, path):
        cells = self.notebooks[path]
        self.client.notify("notebookDocument/didOpen", {
            "notebookDocument": {"uri": self.uri(path), "notebookType": "jupyter-notebook", "version": 1,
                                 "cells": [self.entry(cell) for cell in cells]},
            "cellTextDocuments": [self.document(cell) for cell in cells]})

    # Steps.

    def random_edit(self, text):
        """The range of a replacement, what is put there, and the text then."""
        lines = split_lines(text)
        first = self.dice.randrange(len(lines))
        start = (first, self.dice.randrange(len(lines[first].rstrip("\r\n")) + 1))
        last = min(first + (self.dice.random() < 0.1), len(lines) - 1)
        end = max(start, (last, self.dice.randrange(len(lines[last].rstrip("\r\n")) + 1)))
        if end[0] == start[0] and self.dice.random() < 0.7:
            end = start
        piece = self.dice.choice(PIECES)
        before = "".join(lines[:start[0]]) + lines[start[0]][:start[1]]
        return (*start, *end, piece), before + piece + lines[end[0]][end[1]:] + "".join(lines[end[0] + 1:])

    def edit(self):
        if not self.open:
            return self.open_text()
        path = self.dice.choice(sorted(self.open))
        if self.dice.random() < 0.15:  # or else soon nothing is Python any more
            self.open[path] = self.sources.get(path, LOSS)
            self.client.change(self.uri(path), self.open[path])
            return
        changes = []
        for _ in range(self.dice.randrange(1, 4)):
            change, self.open[path] = self.random_edit(self.open[path])
            changes.append(change)
        self.client.change(self.uri(path), *changes)

    def open_text(self):
        closed = sorted(set(self.disk) - set(self.open))
        if closed:
            path = self.dice.choice(closed)
            self.open[path] = self.disk[path]
            self.client.open(self.uri(path), self.open[path])

    def open_unsaved(self):
        self.counter += 1
        path = f"new{self.counter}.py"
        self.open[path] = self.dice.choice([LOSS, TRAIN, DATA])
        self.client.open(self.uri(path), self.open[path])

    def close(self):
        if self.open:
            path = self.dice.choice(sorted(self.open))
            self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(path)}})
            del self.open[path]

    def watched(self, *changes):
        self.client.notify("workspace/didChangeWatchedFiles",
                           {"changes": [{"uri": self.uri(path), "type": kind} for path, kind in changes]})

    def save(self):
        if self.open:
            path = self.dice.choice(sorted(self.open))
            is_new = path not in self.disk
            self.write(path, self.open[path])
            self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri(path)}})
            self.watched((path, 1 if is_new else 2))

    def change_on_disk(self):
        path = self.dice.choice(sorted(self.sources))
        is_new = path not in self.disk
        self.write(path, self.dice.choice([LOSS, TRAIN, DATA, self.sources[path], self.random_edit(self.sources[path])[1]]))
        self.watched((path, 1 if is_new else 2))

    def remove(self):
        if len(self.disk) > 2:
            path = self.dice.choice(sorted(self.disk))
            (self.folder / path).unlink()
            del self.disk[path]
            self.watched((path, 3))

    def rename(self):
        path = self.dice.choice(sorted(self.disk)) if self.disk else None
        self.counter += 1
        target = self.dice.choice(["data.py", "loss.py", f"renamed{self.counter}.py", f"pkg/data{self.counter}.py"])
        if path is None or target in self.disk or target in self.open:
            return
        (self.folder / target).parent.mkdir(exist_ok=True)
        os.rename(self.folder / path, self.folder / target)
        self.disk[target] = self.disk.pop(path)
        if path in self.open:
            self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(path)}})
            self.open[target] = self.open.pop(path)
            self.client.open(self.uri(target), self.open[target])
        self.watched((path, 3), (target, 1))

    def open_notebook(self):
        if len(self.notebooks) >= 3:
            return
        self.counter += 1
        path = f"n{self.counter}.ipynb"
        texts = [("code", "import torch\n"), ("markdown", "# (a note"), ("code", LOSS.split("\n\n\n")[1]), ("code", TRAIN)]
        self.notebooks[path] = [self.new_cell(*text) for text in texts]
        self.send_notebook(path)

    def new_cell(self, kind, text):
        self.counter += 1
        uri = f"vscode-notebook-cell:{self.folder}/n.ipynb#{self.counter}"
        self.cells[uri] = (kind, text)
        return uri

    def change_notebook(self):
        if not self.notebooks:
            return self.open_notebook()
        path = self.dice.choice(sorted(self.notebooks))
        cells = self.notebooks[path]
        change = {}
        what = self.dice.choice(["text", "text", "text", "move", "add", "remove"])
        if what == "text" and cells:
            cell = self.dice.choice(cells)
            kind, text = self.cells[cell]
            edit, text = self.random_edit(text)
            if self.dice.random() < 0.2:
                text = LOSS
                content = {"text": text}
            else:
                content = {"range": {"start": {"line": edit[0], "character": edit[1]}, "end": {"line": edit[2], "character": edit[3]}},
                           "text": edit[4]}
            self.cells[cell] = (kind, text)
            change = {"textContent": [{"document": {"uri": cell, "version": 2}, "changes": [content]}]}
        elif what == "move" and len(cells) > 1:
            moved = cells[:]
            self.dice.shuffle(moved)
            self.notebooks[path] = moved
            change = {"structure": {"array": {"start": 0, "deleteCount": len(cells), "cells": [self.entry(cell) for cell in moved]}}}
        elif what == "add":
            cell = self.new_cell(self.dice.choice(["code", "markdown"]), self.dice.choice([LOSS, DATA, "1 +\n", "%matplotlib inline\n"]))
            at = self.dice.randrange(len(cells) + 1)
            cells.insert(at, cell)
            change = {"structure": {"array": {"start": at, "deleteCount": 0, "cells": [self.entry(cell)]},
                                    "didOpen": [self.document(cell)]}}
        elif what == "remove" and cells:
            at = self.dice.randrange(len(cells))
            cell = cells.pop(at)
            del self.cells[cell]
            change = {"structure": {"array": {"start": at, "deleteCount": 1}, "didClose": [{"uri": cell}]}}
        self.client.notify("notebookDocument/didChange", {"notebookDocument": {"uri": self.uri(path), "version": 2},
                                                          "change": {"cells": change}})

    def close_notebook(self):
        if self.notebooks:
            path = self.dice.choice(sorted(self.notebooks))
            cells = self.notebooks.pop(path)
            self.client.notify("notebookDocument/didClose", {"notebookDocument": {"uri": self.uri(path)},
                                                             "cellTextDocuments": [{"uri": cell} for cell in cells]})
            for cell in cells:
                del self.cells[cell]

    def garbage(self):
        self.client.send(self.dice.choice(GARBAGE))

    def ask(self):
        """Something in the middle, perhaps cancelled."""
        if not self.open:
            return
        uri = self.uri(self.dice.choice(sorted(self.open)))
        place = {"line": self.dice.randrange(15), "character": self.dice.randrange(30)}
        method = self.dice.choice(["hover", "codeAction", "diagnostic", "inlayHint"])
        identifier = self.client.start_request("textDocument/" + method, {
            "textDocument": {"uri": uri}, "position": place, "range": {"start": place, "end": place},
            "context": {"diagnostics": []}})
        if self.dice.random() < 0.3:
            self.client.notify("$/cancelRequest", {"id": identifier})

    def kill(self):
        self.client.process.kill()
        self.client.process.wait()
        while self.client.incoming.get(timeout=PATIENCE) is not None:
            pass
        self.client.process.stdin.close()
        self.client.process.stdout.close()
        self.start()

    def step(self):
        steps = [(self.edit, 50), (self.open_text, 5), (self.open_unsaved, 1), (self.close, 4), (self.save, 4),
                 (self.change_on_disk, 4), (self.remove, 2), (self.rename, 3), (self.open_notebook, 2), (self.change_notebook, 15),
                 (self.close_notebook, 1), (self.garbage, 3), (self.ask, 6), (self.kill, 0.3)]
        self.dice.choices([step for step, _ in steps], [weight for _, weight in steps])[0]()

    # What is shown, and what is right.

    def shown(self):
        self.client.settle()
        shown = {}
        for uri, diagnostics in self.client.diagnostics.items():
            found = [(d["range"]["start"]["line"], d["range"]["start"]["character"], d["range"]["end"]["line"],
                      d["range"]["end"]["character"], d["code"]) for d in diagnostics if "code" in d]
            if found:
                shown[uri] = sorted(found)
        return shown

    def right(self):
        with tempfile.TemporaryDirectory() as holder:
            copy = pathlib.Path(holder)
            for path, text in {**self.disk, **self.open}.items():
                (copy / path).parent.mkdir(parents=True, exist_ok=True)
                (copy / path).write_bytes(text.encode())
            for path, cells in self.notebooks.items():
                (copy / path).write_bytes(notebook_bytes([self.cells[cell] for cell in cells]))
            run = subprocess.run([self.binary, "check", "--no-cache", "--format", "json", "."], cwd=copy, capture_output=True,
                                 text=True, timeout=PATIENCE)
            assert run.returncode in (0, 1, 2), run.stderr  # 2: edits make comments that name no rule
        right = {}
        for finding in json.loads(run.stdout)["findings"]:
            path = finding["path"]
            uri = self.notebooks[path][finding["cell"] - 1] if path in self.notebooks else self.uri(path)
            right.setdefault(uri, []).append((finding["line"] - 1, finding["column"] - 1, finding["end_line"] - 1,
                                              finding["end_column"] - 1, finding["code"]))
        return {uri: sorted(found) for uri, found in right.items()}


def small_sources():
    return {"data.py": DATA, "train.py": TRAIN, "loss.py": LOSS, "pkg/more.py": LOSS + TRAIN.replace("train(", "t(")}


def sources_of(folder):
    sources = {}
    for path in sorted(pathlib.Path(folder).rglob("*.py")):
        data = path.read_bytes()
        try:
            sources[str(path.relative_to(folder))] = data.decode()
        except UnicodeDecodeError:
            pass  # what an editor sends is text
    return sources


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=20, help="steps between two comparisons")
    parser.add_argument("--files")
    arguments = parser.parse_args()
    holder = tempfile.mkdtemp()
    os.environ["XDG_CACHE_HOME"] = os.path.join(holder, "cache")  # not the user's
    folder = pathlib.Path(os.path.realpath(holder)) / "project"
    folder.mkdir()
    session = Session(os.path.abspath(arguments.binary), folder, arguments.seed,
                      sources_of(arguments.files) if arguments.files else small_sources())
    compared = 0
    for number in range(1, arguments.steps + 1):
        session.step()
        if number % arguments.every == 0 or number == arguments.steps:
            shown, right = session.shown(), session.right()
            compared += sum(map(len, right.values()))
            if shown != right:
                for uri in sorted({*shown, *right}):
                    if shown.get(uri) != right.get(uri):
                        print(f"{uri}:\n  shown {shown.get(uri)}\n  right {right.get(uri)}")
                print(f"different after step {number} of seed {arguments.seed}; the project is in {holder}")
                return 1
    code = session.client.stop()
    shutil.rmtree(holder)
    print(f"{arguments.steps} steps, {compared} findings compared")
    return 0 if code == 0 and compared > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
