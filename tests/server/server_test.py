#!/usr/bin/env python3
"""Talks to `deepperf server` as an editor does.

usage: server_test.py DEEPPERF_BINARY

More random edits: DEEPPERF_EDITS=10000 server_test.py DEEPPERF_BINARY RandomEdits
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lsp_client import Client, PATIENCE  # noqa: E402

BINARY = os.path.abspath(sys.argv.pop(1))
EDITS = int(os.environ.get("DEEPPERF_EDITS", "300"))
CACHE = tempfile.TemporaryDirectory()  # not the user's
os.environ["XDG_CACHE_HOME"] = CACHE.name

DATA = """import tensorflow as tf


def parse(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))
"""
CHEAP_DATA = DATA.replace("tf.io.decode_jpeg(tf.io.read_file(path))", "path")
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


def codes(diagnostics):
    return [diagnostic.get("code", "error") for diagnostic in diagnostics]


def apply_edits(text, edits):
    """With characters of UTF-16; the last edit first."""
    units = text.encode("utf-16-le")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode("utf-16-le")))

    def offset(position):
        return starts[position["line"]] + 2 * position["character"]
    for edit in sorted(edits, key=lambda edit: offset(edit["range"]["start"]), reverse=True):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        units = units[:start] + edit["newText"].encode("utf-16-le") + units[end:]
    return units.decode("utf-16-le")


class Server(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(os.path.realpath(holder.name))

    def write(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target.as_uri()

    def uri(self, path):
        return (self.folder / path).as_uri()

    def start(self, **options):
        client = Client(BINARY, options.pop("root", self.folder), **options)

        def clean():
            if client.process.poll() is None:
                client.process.kill()
                client.process.wait()
            client.process.stdin.close()
            client.process.stdout.close()
        self.addCleanup(clean)
        return client

    def check(self, *arguments):
        """What a new check says, as {path: [(start, end, code, severity)]}."""
        result = subprocess.run([BINARY, "check", "--no-cache", "--format", "json", *arguments, "."], cwd=self.folder,
                                capture_output=True, text=True, timeout=PATIENCE)
        findings = {}
        for finding in json.loads(result.stdout)["findings"]:
            findings.setdefault(self.uri(finding["path"]), []).append(
                ((finding["line"] - 1, finding["column"] - 1), (finding["end_line"] - 1, finding["end_column"] - 1),
                 finding["code"], ["", "error", "warning", "advice", "note"].index(finding["severity"])))
        return {uri: sorted(found) for uri, found in findings.items()}

    def shown(self, client):
        """The same of what the client has got, if it counts in UTF-32."""
        shown = {}
        for uri, diagnostics in client.diagnostics.items():
            found = [((d["range"]["start"]["line"], d["range"]["start"]["character"]),
                      (d["range"]["end"]["line"], d["range"]["end"]["character"]), d["code"], d["severity"])
                     for d in diagnostics if "code" in d]
            if found:
                shown[uri] = sorted(found)
        return shown


UTF32 = {"general": {"positionEncodings": ["utf-32"]}, "textDocument": {"publishDiagnostics": {}}}


class Lifecycle(Server):
    def test_a_proper_end_is_0_and_any_other_1(self):
        self.assertEqual(self.start().stop(), 0)
        client = self.start()
        client.notify("exit", None)
        self.assertEqual(client.end(), 1)
        client = self.start()
        client.process.stdin.close()
        self.assertEqual(client.process.wait(PATIENCE), 1)

    def test_all_messages_at_once(self):
        messages = [{"id": 1, "method": "initialize", "params": {"capabilities": {}}},
                    {"method": "initialized", "params": {}}, {"id": 2, "method": "shutdown"}, {"method": "exit"}]
        data = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
                        for body in (json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages))
        result = subprocess.run([BINARY, "server"], input=data, capture_output=True, timeout=PATIENCE)
        self.assertEqual(result.returncode, 0)
        self.assertIn(b'"id":1', result.stdout)
        self.assertIn(b'"id":2', result.stdout)
        self.assertEqual(result.stderr, b"")

    def test_order_of_requests(self):
        client = Client(BINARY, initialize=False)
        self.assertEqual(client.error_of("textDocument/hover", {}), -32002)
        self.assertEqual(client.error_of("shutdown"), -32002)
        client.notify("textDocument/didOpen", {"textDocument": {}})
        client.request("initialize", {"capabilities": {}})
        self.assertEqual(client.error_of("initialize", {"capabilities": {}}), -32600)
        client.request("shutdown")
        self.assertEqual(client.error_of("textDocument/hover", {}), -32600)
        client.notify("exit", None)
        self.assertEqual(client.end(), 0)

    def test_kill_and_restart(self):
        uri = self.write("loss.py", LOSS)
        client = self.start()
        client.settle()
        client.process.kill()
        client.process.wait()
        client = self.start()
        client.settle()
        self.assertEqual(codes(client.diagnostics[uri]), ["DP230"])
        self.assertEqual(client.stop(), 0)

    def test_capabilities(self):
        client = self.start(capabilities={"general": {"positionEncodings": ["utf-99", "utf-8", "utf-16"]}})
        found = client.initialized["capabilities"]
        self.assertEqual(found["positionEncoding"], "utf-8")
        self.assertEqual(found["textDocumentSync"]["change"], 2)
        self.assertTrue(found["diagnosticProvider"]["workspaceDiagnostics"])
        self.assertEqual(self.start(capabilities={}).initialized["capabilities"]["positionEncoding"], "utf-16")


class Garbage(Server):
    def test_the_server_survives_it(self):
        uri = self.write("loss.py", LOSS)
        client = self.start()
        client.settle()
        self.assertEqual(client.error_of("no/such/request"), -32601)
        self.assertEqual(client.error_of("$/no/such/request"), -32601)
        client.notify("no/such/notification", {"x": 1})

        def error_without_id(data, framed=True):
            client.send(data) if framed else client.send_bytes(data)
            return client.wait_for(None)["error"]["code"]
        self.assertEqual(error_without_id(b"{"), -32700)
        self.assertEqual(error_without_id(b"\xff\xfe"), -32700)
        self.assertEqual(error_without_id(b"garbage\r\n\r\n", framed=False), -32700)
        client.settle()
        self.assertEqual(error_without_id(b"Content-Length: 999999999999\r\n\r\n", framed=False), -32700)
        client.settle()
        for message in (b"[]", b"1", b"null", b'{"jsonrpc": "2.0"}', b'{"method": 1}', b'{"id": {}, "method": "x"}'):
            self.assertEqual(error_without_id(message), -32600, message[:40])
        self.assertEqual(error_without_id(b"[" * 100000 + b"]" * 100000), -32700, "nested too deeply to be read")
        for params in (None, [], {}, 1, {"textDocument": 1}, {"textDocument": {"uri": 1}},
                       {"textDocument": {"uri": uri}, "position": {"line": -1, "character": 0}, "range": []}):
            self.assertEqual(client.error_of("textDocument/hover", params), -32602, params)
            self.assertEqual(client.error_of("textDocument/codeAction", params), -32602, params)
            for name in ("textDocument/didOpen", "textDocument/didChange", "textDocument/didClose",
                         "notebookDocument/didOpen", "notebookDocument/didChange", "notebookDocument/didClose",
                         "workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders", "$/cancelRequest",
                         "workspace/didChangeConfiguration", "$/setTrace"):
                client.notify(name, params)
        client.settle()
        self.assertEqual(codes(client.diagnostics[uri]), ["DP230"])
        self.assertEqual(client.stop(), 0)


class Corners(Server):
    def test_headers_and_ids(self):
        client = Client(BINARY, initialize=False)
        body = json.dumps({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {"capabilities": {}}}).encode()
        client.send_bytes(b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: %d\r\n\r\n%s"
                          % (len(body), body))
        self.assertIn("result", client.wait_for("a"))
        for identifier in ("x", 2 ** 40, -5, 0):
            client.send({"jsonrpc": "2.0", "id": identifier, "method": "no/such"})
            self.assertEqual(client.wait_for(identifier)["error"]["code"], -32601)
        self.assertEqual(client.stop(), 0)

    def test_the_end_has_an_order(self):
        client = Client(BINARY, initialize=False)
        client.notify("exit", None)
        self.assertEqual(client.end(), 1)
        client = self.start()
        client.request("shutdown")
        client.process.stdin.close()
        self.assertEqual(client.process.wait(PATIENCE), 0)
        client = self.start()
        client.request("shutdown")
        self.assertEqual(client.error_of("shutdown"), -32600)
        client.open("untitled:a", LOSS)
        client.notify("exit", None)
        self.assertEqual(client.end(), 0)
        self.assertNotIn("untitled:a", client.diagnostics)

    def test_half_a_character_and_places_that_are_not(self):
        uri = self.write("loss.py", LOSS)
        client = self.start()
        client.open(uri, LOSS)
        client.change(uri, (0, 0, 0, 0, "x = '\ud83d'\n"))  # editors count in UTF-16, and may cut between two units
        self.assertEqual(client.published(uri)[0]["range"]["start"]["line"], 11)
        client.change(uri, LOSS, (99, 99, 99, 99, "\nx = 1\n"), (0, 999, 0, 0, "import torch"))
        self.assertEqual(codes(client.published(uri)), ["DP230"])
        client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": None},
                                                 "contentChanges": [{"text": "import torch\n"}]})
        client.settle()
        self.assertEqual(client.diagnostics[uri], [])

    def test_names_that_need_escapes(self):
        path = "ü a+b(1)#%é@x.py"
        self.write(path, LOSS)
        client = self.start()
        client.settle()
        [shown] = client.diagnostics
        uri = "file://" + urllib.parse.quote(str(self.folder / path), safe="/").replace("%C3", "%c3")
        self.assertNotEqual(shown, uri)
        client.open(uri, LOSS)
        self.assertEqual(codes(client.published(uri)), ["DP230"])
        client.settle()
        self.assertEqual(client.diagnostics[shown], [], "the same file must not be shown twice")

    def test_texts_of_other_schemes_stay_apart(self):
        train, _ = self.write("train.py", TRAIN), self.write("data.py", CHEAP_DATA)
        client = self.start()
        client.open(train, TRAIN)
        self.assertEqual(client.published(train), [])
        old = f"git:{self.folder}/data.py?HEAD"
        client.open(old, DATA)
        client.published(old)
        client.settle()
        self.assertEqual(client.diagnostics[train], [])

    def test_a_byte_order_mark_and_an_encoding(self):
        uri = self.write("mark.py", LOSS)
        client = self.start()
        client.open(uri, LOSS)
        [diagnostic] = client.published(uri)
        client.change(uri, "\ufeff" + LOSS)
        self.assertEqual(client.published(uri), [diagnostic])
        text = "# -*- coding: latin-1 -*-\n" + LOSS.replace("        total += loss", "        s = 'é'; total += loss")
        (self.folder / "latin.py").write_bytes(text.encode("latin-1"))
        latin = self.uri("latin.py")
        client = self.start()
        client.settle()
        shown = client.diagnostics[latin]
        client.open(latin, text)
        self.assertEqual(client.published(latin), shown)

    def test_a_folder_that_is_removed(self):
        uri = self.write("pkg/loss.py", LOSS)
        client = self.start(capabilities={"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}})
        client.settle()
        self.assertEqual(codes(client.diagnostics[uri]), ["DP230"])
        (self.folder / "pkg/loss.py").unlink()
        (self.folder / "pkg").rmdir()
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": self.uri("pkg"), "type": 3}]})
        client.settle()
        self.assertEqual(client.diagnostics[uri], [])

    def test_several_folders_from_the_start(self):
        one, two = self.write("one/loss.py", LOSS), self.write("two/loss.py", LOSS)
        client = Client(BINARY, initialize=False)
        client.request("initialize", {"capabilities": {}, "rootUri": self.uri("one"), "workspaceFolders": [
            {"uri": self.uri(name), "name": name} for name in ("one", "two")]})
        client.notify("initialized", {})
        client.settle()
        self.assertEqual({uri: codes(found) for uri, found in client.diagnostics.items()}, {one: ["DP230"], two: ["DP230"]})
        client.open(one, LOSS.replace("+= loss", "+= loss.item()"))
        self.assertEqual(client.published(one), [])
        self.assertEqual(client.stop(), 0)

    def test_hover_and_hints_everywhere(self):
        text = (TRAIN + "\n\n" + LOSS + "x = '😀'; y = x\r\nz = [i for i in range(3)]\r\nlambda: (yield)\nclass A(B): pass\n"
                "@dec\nasync def f(*a, b: int = 3, **k) -> int:\n    async with x as y: pass\n(")
        uri = self.write("all.py", text)
        self.write("data.py", DATA)
        client = self.start(options={"inlayHints": True})
        client.open(uri, text)
        for number, line in enumerate(text.splitlines()):
            for character in range(len(line) + 2):
                client.request("textDocument/hover", {"textDocument": {"uri": uri},
                                                      "position": {"line": number, "character": character}})

        def hints(*numbers):
            places = [{"line": line, "character": character} for line, character in zip(numbers[::2], numbers[1::2])]
            found = client.request("textDocument/inlayHint", {"textDocument": {"uri": uri},
                                                              "range": {"start": places[0], "end": places[1]}})
            return [hint["position"]["line"] for hint in found]
        everywhere = hints(0, 0, 999, 0)
        self.assertIn(5, everywhere)
        self.assertEqual(hints(5, 0, 6, 0), [5])
        self.assertEqual(hints(6, 0, 5, 0), [5], "the other way round")
        self.assertEqual(hints(100, 0, 200, 0), [])


class Push(Server):
    def test_the_workspace_is_reported_at_the_start(self):
        uri = self.write("sub/loss.py", LOSS)
        client = self.start()
        client.settle()
        [diagnostic] = client.diagnostics[uri]
        self.assertEqual(diagnostic["code"], "DP230")
        self.assertEqual(diagnostic["severity"], 2)
        self.assertEqual(diagnostic["source"], "deepperf")
        self.assertEqual(diagnostic["range"]["start"], {"line": 10, "character": 8})
        for related in diagnostic.get("relatedInformation", []):
            self.assertEqual(related["location"]["uri"], uri)

    def test_edits_and_vanishing(self):
        uri = self.write("loss.py", LOSS)
        client = self.start()
        client.open(uri, LOSS)
        self.assertEqual(codes(client.published(uri)), ["DP230"])
        client.change(uri, (10, 21, 10, 21, ".item()"))
        self.assertEqual(client.published(uri), [])
        client.change(uri, (10, 21, 10, 28, ""), (0, 0, 0, 0, "\n\n"))
        self.assertEqual(client.published(uri)[0]["range"]["start"]["line"], 12)
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        client.settle()
        self.assertEqual(client.diagnostics[uri][0]["range"]["start"]["line"], 10)
        self.assertEqual(client.stop(), 0)

    def test_unsaved_texts_across_files(self):
        train, data = self.write("train.py", TRAIN), self.write("data.py", CHEAP_DATA)
        client = self.start()
        client.open(train, TRAIN)
        self.assertEqual(client.published(train), [])
        client.open(data, DATA)
        client.published(data)
        self.assertEqual(codes(client.diagnostics[train]), ["DP101"])
        client.change(data, CHEAP_DATA)
        client.published(data)
        client.settle()
        self.assertEqual(client.diagnostics[train], [])

    def test_shapes_across_files(self):
        """Of a program whose files share one, so that an edit leaves most of the others as they are."""
        net = ("import torch\nfrom torch import nn\nfrom sizes import WIDTH, STATE\n\n\nclass {0}(nn.Module):\n    def __init__(self):\n"
               "        super().__init__()\n        self.first = nn.Linear(16, WIDTH)\n        self.second = nn.Linear({1}, 2)\n\n"
               "    def forward(self, x):\n        return self.second(self.first(x))\n")
        files = {"sizes.py": "import torch\nWIDTH = 8\nSTATE = []\n", "fits.py": net.format("Fits", 8),
                 "wrong.py": net.format("Wrong", 9), "alone.py": net.format("Alone", 7).replace("WIDTH", "8").replace(", STATE", ""),
                 "main.py": "import torch\nimport alone\nimport fits\nimport wrong\n"}
        uri = {name: self.write(name, text) for name, text in files.items()}
        client = self.start()

        def reported():
            client.settle()
            return {name for name in files if "DP601" in codes(client.diagnostics.get(uri[name], []))}
        self.assertEqual(reported(), {"wrong.py", "alone.py"})
        client.open(uri["sizes.py"], files["sizes.py"])
        client.open(uri["alone.py"], files["alone.py"])
        self.assertEqual(reported(), {"wrong.py", "alone.py"})
        client.change(uri["sizes.py"], files["sizes.py"].replace("8", "9"))
        self.assertEqual(reported(), {"fits.py", "alone.py"})
        client.change(uri["alone.py"], files["alone.py"] + "x = 1\n")
        self.assertEqual(reported(), {"fits.py", "alone.py"})
        client.change(uri["alone.py"], files["alone.py"].replace("7", "8"))
        self.assertEqual(reported(), {"fits.py"})
        client.change(uri["alone.py"], files["alone.py"] + "import sizes\nsizes.WIDTH = 8\n")
        changed = reported()  # one file changes what belongs to another
        client.change(uri["alone.py"], files["alone.py"].replace("7", "8"))
        self.assertEqual(reported(), {"fits.py"})
        client.change(uri["sizes.py"], files["sizes.py"])
        self.assertEqual(reported(), {"wrong.py"})
        self.assertIn("alone.py", changed)

    def test_a_text_that_was_never_saved(self):
        for root in (self.folder, None):
            client = self.start(root=root)
            for uri in (self.uri("new.py"), "untitled:Untitled-1"):
                client.open(uri, LOSS)
                self.assertEqual(codes(client.published(uri)), ["DP230"])
                client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
                client.settle()
                self.assertEqual(client.diagnostics[uri], [])
            client.open(self.uri("notes.txt"), LOSS, "plaintext")
            self.assertEqual(client.published(self.uri("notes.txt")), [])

    def test_characters_of_every_size(self):
        line = '    é = "😀€é"; total += loss\n'
        text = LOSS.replace("        total += loss\n", "    " + line)
        uri = self.write("loss.py", text)
        for encoding, size in (("utf-8", lambda text: len(text.encode())), ("utf-32", len),
                               ("utf-16", lambda text: len(text.encode("utf-16-le")) // 2)):
            client = self.start(capabilities={"general": {"positionEncodings": [encoding]}})
            client.open(uri, text)
            [diagnostic] = client.published(uri)
            self.assertEqual(diagnostic["range"]["start"]["character"], size("    " + line[:line.index("total")]))
            # Right after the character that takes two units of UTF-16.
            at = size("    " + line[:line.index("😀") + 1])
            client.change(uri, (10, at, 10, at, "😀"), (10, at - size("😀"), 10, at, ""))
            self.assertEqual(client.published(uri), [diagnostic])
            end = size("    " + line[:-1])
            client.change(uri, (10, end, 10, end, ".item()"))
            self.assertEqual(client.published(uri), [])
            self.assertEqual(client.stop(), 0)

    def test_syntax_errors(self):
        uri = self.write("broken.py", "import torch\nx = (1,\n")
        client = self.start()
        client.settle()
        self.assertTrue(client.diagnostics[uri])
        self.assertEqual(client.diagnostics[uri][0]["severity"], 1)

    def test_files_that_change_on_disk(self):
        uri = self.write("loss.py", LOSS)
        client = self.start(capabilities={"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}})
        client.settle()
        self.assertEqual(codes(client.diagnostics[uri]), ["DP230"])
        self.assertIn("client/registerCapability", [message["method"] for message in client.seen])
        (self.folder / "loss.py").unlink()
        added = self.write("other.py", LOSS)
        client.notify("workspace/didChangeWatchedFiles",
                      {"changes": [{"uri": uri, "type": 3}, {"uri": added, "type": 1}]})
        client.settle()
        self.assertEqual(client.diagnostics[uri], [])
        self.assertEqual(codes(client.diagnostics[added]), ["DP230"])

    def test_an_editor_that_does_not_watch(self):
        uri = self.write("loss.py", "import torch\n")
        client = self.start()
        client.settle()
        self.write("loss.py", LOSS)
        while codes(client.diagnostics.get(uri, [])) != ["DP230"]:
            self.assertIsNotNone(client.receive())

    def test_folders_that_come_and_go(self):
        one, two = self.write("one/loss.py", LOSS), self.write("two/loss.py", LOSS)
        client = self.start(root=self.folder / "one")
        client.settle()
        self.assertEqual(list(client.diagnostics), [one])
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {
            "added": [{"uri": self.uri("two"), "name": "two"}], "removed": [{"uri": self.uri("one"), "name": "one"}]}})
        client.settle()
        self.assertEqual(client.diagnostics[one], [])
        self.assertEqual(codes(client.diagnostics[two]), ["DP230"])


class Settings(Server):
    def test_they_are_those_of_the_command_line(self):
        uri = self.write("loss.py", LOSS)
        for options, expected in (({"ignore": ["DP230"]}, []), ({"select": "DP1"}, []), ({"minSeverity": "error"}, []),
                                  ({"select": ["DP2"]}, ["DP230"]), ({"settings": {"ignore": "DP2"}}, [])):
            client = self.start(options=options)
            client.open(uri, LOSS)
            self.assertEqual(codes(client.published(uri)), expected, options)

    def test_they_can_change(self):
        uri = self.write("loss.py", LOSS)
        client = self.start()
        client.settle()
        self.assertEqual(codes(client.diagnostics[uri]), ["DP230"])
        client.notify("workspace/didChangeConfiguration", {"settings": {"deepperf": {"ignore": ["DP230"]}}})
        client.settle()
        self.assertEqual(client.diagnostics[uri], [])

    def test_editors_that_are_asked_for_them(self):
        uri = self.write("loss.py", LOSS)
        client = self.start(capabilities={"workspace": {"configuration": True}})
        settings = {"path": "deepperf", "select": [], "ignore": [], "minSeverity": "", "all": False, "inlayHints": False}

        def answer(message):
            asked = message["method"] == "workspace/configuration"
            client.send({"jsonrpc": "2.0", "id": message["id"], "result": [settings] if asked else None})
        client.answer = answer
        client.open(uri, LOSS)
        self.assertEqual(codes(client.published(uri)), ["DP230"])
        for ignored, expected in ((["DP230"], []), ([], ["DP230"])):
            settings["ignore"] = ignored
            client.notify("workspace/didChangeConfiguration", {"settings": None})
            while codes(client.diagnostics[uri]) != expected:
                self.assertIsNotNone(client.receive())
        self.assertNotIn("window/showMessage", [message["method"] for message in client.seen])

    def test_the_configuration_file_counts(self):
        uri = self.write("loss.py", LOSS)
        config = self.write("deepperf.toml", 'ignore = ["DP230"]\n')
        client = self.start()
        client.open(uri, LOSS)
        self.assertEqual(client.published(uri), [])
        for text, expected in (("", ["DP230"]), ('[severity]\nDP230 = "off"\n', []), ("wrong", ["DP230"])):
            self.write("deepperf.toml", text)
            client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": config, "type": 2}]})
            client.settle()
            self.assertEqual(codes(client.diagnostics[uri]), expected, text)
        shown = [m["params"]["message"] for m in client.seen if m["method"] == "window/showMessage"]
        self.assertIn("deepperf.toml", shown[-1])

    def test_wrong_ones_are_explained(self):
        client = self.start(options={"select": ["DP23O"], "all": "yes", "minSeverity": "bad"})
        client.settle()
        shown = [m["params"]["message"] for m in client.seen if m["method"] == "window/showMessage"]
        self.assertEqual(len(shown), 3, shown)
        self.assertIn("DP23O", shown[-1])


class Pull(Server):
    CAPABILITIES = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}}

    def test_documents_and_the_workspace(self):
        uri, other = self.write("loss.py", LOSS), self.write("a b.py", LOSS)
        client = self.start(capabilities=self.CAPABILITIES)
        client.open(uri, LOSS)
        report = client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        self.assertEqual((report["kind"], codes(report["items"])), ("full", ["DP230"]))
        again = client.request("textDocument/diagnostic", {"textDocument": {"uri": uri},
                                                           "previousResultId": report["resultId"]})
        self.assertEqual(again, {"kind": "unchanged", "resultId": report["resultId"]})
        items = client.request("workspace/diagnostic", {"previousResultIds": [
            {"uri": uri, "value": report["resultId"]}, {"uri": "file:///gone.py", "value": "x"}]})["items"]
        self.assertEqual({item["uri"]: item["kind"] for item in items},
                         {uri: "unchanged", other: "full", "file:///gone.py": "full"})
        client.change(uri, (10, 21, 10, 21, ".item()"))
        self.assertEqual(client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"], [])
        self.assertNotIn("textDocument/publishDiagnostics", [message["method"] for message in client.seen])
        self.assertEqual(client.stop(), 0)

    def test_what_is_on_disk_counts_again_after_closing(self):
        uri = self.write("loss.py", LOSS)
        client = self.start(capabilities=self.CAPABILITIES)

        def pull(uri):
            return codes(client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"])
        client.open(uri, "")
        self.assertEqual(pull(uri), [])
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        self.assertEqual(pull(uri), ["DP230"])
        self.assertEqual((pull("file:///nowhere.py"), pull("untitled:x")), ([], []))

    def test_the_editor_is_told_to_ask_again(self):
        self.write("loss.py", LOSS)
        client = self.start(capabilities=self.CAPABILITIES)
        client.notify("workspace/didChangeConfiguration", {"settings": {"ignore": ["DP230"]}})
        while client.receive().get("method") != "workspace/diagnostic/refresh":
            pass
        self.assertEqual(client.request("workspace/diagnostic", {"previousResultIds": []})["items"], [])


class Help(Server):
    def test_hover(self):
        uri = self.write("loss.py", LOSS)
        client = self.start()
        client.open(uri, LOSS)

        def hover(line, character):
            return client.request("textDocument/hover", {"textDocument": {"uri": uri},
                                                         "position": {"line": line, "character": character}})
        found = hover(10, 10)
        self.assertEqual(found["contents"]["kind"], "markdown")
        for expected in ("DP230", "graph", "## Bad"):
            self.assertIn(expected, found["contents"]["value"])
        self.assertIsNone(hover(0, 0))
        self.assertIsNone(hover(99999, 99999))
        self.assertIsNone(client.request("textDocument/hover", {"textDocument": {"uri": "file:///no.py"},
                                                                "position": {"line": 0, "character": 0}}))

    def test_hover_and_hints_with_shapes(self):
        text = ("import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                "        self.conv = nn.Conv2d(3, 16, 3, stride=2, padding=1)\n\n    def forward(self, x):\n        y = self.conv(x)\n"
                "        return y.flatten(1)\n\n\nz = Net()(torch.rand(8, 3, 32, 32))\nprint(z)\n")
        uri = self.write("net.py", text)
        client = self.start(options={"inlayHints": True})
        client.open(uri, text)
        place = {"line": 15, "character": 6}
        found = client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
        self.assertIn("[8, 4096] float32 on cpu", found["contents"]["value"])
        hints = client.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": {
            "start": {"line": 0, "character": 0}, "end": {"line": 16, "character": 0}}})
        self.assertEqual([hint["label"] for hint in hints], [": [8, 16, 16, 16] float32 on cpu", ": [8, 4096] float32 on cpu"])

    def actions(self, client, uri, line, only=None):
        place = {"line": line, "character": 0}
        context = {"diagnostics": [], **({"only": only} if only else {})}
        return client.request("textDocument/codeAction", {
            "textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": context})

    def test_every_edit_does_what_it_says(self):
        text = TRAIN.replace("    ds =", '    é = "😀"; ds =') + "\n\n" + LOSS
        train = self.write("train.py", text)
        self.write("data.py", DATA)
        client = self.start()
        client.open(train, text)
        before = codes(client.published(train))
        self.assertEqual(before, ["DP101", "DP230"])
        lines = [diagnostic["range"]["start"]["line"] for diagnostic in client.published(train)]
        for line, code in zip(lines, before):
            actions = self.actions(client, train, line, ["quickfix"])
            edits = [action for action in actions if "edit" in action]
            self.assertGreaterEqual(len(edits), 1)
            self.assertTrue(any("ignore" in action["title"] for action in edits))
            for action in edits:
                self.assertEqual(codes(action["diagnostics"]), [code])
                client.change(train, apply_edits(text, action["edit"]["changes"][train]))
                self.assertNotIn(code, codes(client.published(train)), action["title"])
            client.change(train, text)
            client.published(train)
        [fix_all] = self.actions(client, train, 0, ["source.fixAll"])
        self.assertEqual(fix_all["kind"], "source.fixAll.deepperf")
        fixed = subprocess.run([BINARY, "check", "--no-cache", "--fix", "--exit-zero", "-q", "train.py", "data.py"],
                               cwd=self.folder, capture_output=True, timeout=PATIENCE)
        self.assertEqual(fixed.returncode, 0, fixed.stderr)
        self.assertEqual(apply_edits(text, fix_all["edit"]["changes"][train]), (self.folder / "train.py").read_text())

    def test_a_comment_goes_where_it_is_one(self):
        text = TRAIN.replace(".map(parse)", ".map(\\\n        parse)").replace("paths)", "'''\n'''.split())")
        train = self.write("train.py", text)
        self.write("data.py", DATA)
        client = self.start()
        client.open(train, text)
        for diagnostic in client.published(train):
            actions = self.actions(client, train, diagnostic["range"]["start"]["line"], ["quickfix"])
            for action in actions:
                if "ignore" in action["title"]:
                    client.change(train, apply_edits(text, action["edit"]["changes"][train]))
                    self.assertEqual(client.published(train), [])

    def test_documentation(self):
        uri = self.write("loss.py", LOSS)
        client = self.start(capabilities={"window": {"showDocument": {"support": True}},
                                          "workspace": {"workspaceEdit": {"documentChanges": True}}})
        client.open(uri, LOSS)
        actions = self.actions(client, uri, 10)
        [action] = [action for action in actions if "command" in action]
        client.request("workspace/executeCommand", {key: action["command"][key] for key in ("command", "arguments")})
        while client.seen[-1]["method"] != "window/showDocument":
            client.receive()
        page = pathlib.Path(client.seen[-1]["params"]["uri"].removeprefix("file://"))
        self.assertIn("DP230", page.read_text())
        [ignore] = [action for action in actions if "ignore" in action["title"]]
        self.assertEqual(ignore["edit"]["documentChanges"][0]["textDocument"],
                         {"uri": uri, "version": client.next_version})
        self.assertEqual(client.error_of("workspace/executeCommand", {"command": "rm"}), -32602)

    def test_cancelled_requests(self):
        uri = self.write("loss.py", LOSS)
        client = self.start()
        client.open(uri, LOSS)
        first = client.start_request("workspace/diagnostic", {"previousResultIds": []})
        second = client.start_request("textDocument/hover", {"textDocument": {"uri": uri},
                                                             "position": {"line": 10, "character": 10}})
        client.notify("$/cancelRequest", {"id": second})
        client.wait_for(first)
        answer = client.wait_for(second)
        self.assertTrue("result" in answer or answer["error"]["code"] == -32800)
        client.notify("$/cancelRequest", {"id": 12345})
        self.assertEqual(client.stop(), 0)


class Progress(Server):
    def test_it_ends_if_it_has_begun(self):
        for number in range(50):
            self.write(f"loss{number}.py", LOSS)
        client = self.start(capabilities={"window": {"workDoneProgress": True}})
        client.settle()
        kinds = [m["params"]["value"]["kind"] for m in client.seen if m["method"] == "$/progress"]
        self.assertIn("window/workDoneProgress/create", [message["method"] for message in client.seen])
        self.assertEqual(kinds.count("begin"), kinds.count("end"))


class Notebooks(Server):
    CELLS = ["import torch\n", "# a note", LOSS.split("\n\n\n")[1]]

    def open(self, client, uri):
        documents = [{"uri": f"cell:{number}", "version": 1, "text": text,
                      "languageId": "markdown" if number == 1 else "python"} for number, text in enumerate(self.CELLS)]
        client.notify("notebookDocument/didOpen", {
            "notebookDocument": {"uri": uri, "notebookType": "jupyter-notebook", "version": 1, "cells": [
                {"kind": 1 if number == 1 else 2, "document": f"cell:{number}"} for number in range(3)]},
            "cellTextDocuments": documents})

    def test_cells_are_texts(self):
        client = self.start()
        uri = self.uri("n.ipynb")
        self.open(client, uri)
        client.settle()
        [diagnostic] = client.diagnostics["cell:2"]
        self.assertEqual((diagnostic["code"], diagnostic["range"]["start"]), ("DP230", {"line": 7, "character": 8}))
        self.assertEqual(client.diagnostics["cell:0"], [])
        place = {"textDocument": {"uri": "cell:2"}, "position": {"line": 7, "character": 9}}
        self.assertIn("DP230", client.request("textDocument/hover", place)["contents"]["value"])
        actions = client.request("textDocument/codeAction", {
            **place, "range": diagnostic["range"], "context": {"diagnostics": []}})
        for action in actions:
            for changed, edits in action["edit"]["changes"].items():
                self.assertEqual(changed, "cell:2")
                self.assertNotEqual(apply_edits(self.CELLS[2], edits), self.CELLS[2])
        self.assertTrue(actions)
        client.notify("notebookDocument/didChange", {
            "notebookDocument": {"uri": uri, "version": 2},
            "change": {"cells": {"textContent": [{"document": {"uri": "cell:2", "version": 2}, "changes": [
                {"range": {"start": {"line": 7, "character": 21}, "end": {"line": 7, "character": 21}},
                 "text": ".item()"}]}]}}})
        client.settle()
        self.assertEqual(client.diagnostics["cell:2"], [])
        client.notify("notebookDocument/didChange", {
            "notebookDocument": {"uri": uri, "version": 3},
            "change": {"cells": {"structure": {
                "array": {"start": 0, "deleteCount": 3, "cells": [{"kind": 2, "document": "cell:9"}]},
                "didOpen": [{"uri": "cell:9", "version": 1, "text": LOSS, "languageId": "python"}],
                "didClose": [{"uri": f"cell:{number}"} for number in range(3)]}}}})
        client.settle()
        self.assertEqual(codes(client.diagnostics["cell:9"]), ["DP230"])
        client.notify("notebookDocument/didClose", {"notebookDocument": {"uri": uri},
                                                    "cellTextDocuments": [{"uri": "cell:9"}]})
        client.settle()
        self.assertEqual(client.diagnostics["cell:9"], [])
        self.assertEqual(client.stop(), 0)

    def test_cells_that_move_and_modules_that_they_import(self):
        client = self.start()
        uri = self.uri("n.ipynb")
        self.open(client, uri)
        client.notify("notebookDocument/didChange", {"notebookDocument": {"uri": uri, "version": 2}, "change": {"cells": {"structure": {
            "array": {"start": 0, "deleteCount": 3, "cells": [{"kind": 2, "document": "cell:2"}, {"kind": 1, "document": "cell:1"},
                                                              {"kind": 2, "document": "cell:0"}]}}}}})
        client.settle()
        self.assertEqual([d["range"]["start"] for d in client.diagnostics["cell:2"]], [{"line": 7, "character": 8}])
        data = self.write("data.py", CHEAP_DATA)
        client.notify("notebookDocument/didOpen", {
            "notebookDocument": {"uri": "untitled:Untitled-1.ipynb", "notebookType": "jupyter-notebook", "version": 1,
                                 "cells": [{"kind": 2, "document": "train:0"}]},
            "cellTextDocuments": [{"uri": "train:0", "version": 1, "languageId": "python", "text": TRAIN}]})
        client.open(data, CHEAP_DATA)
        client.settle()
        before = client.diagnostics["train:0"]
        client.change(data, DATA)
        client.settle()
        self.assertEqual((before, codes(client.diagnostics["train:0"])), ([], ["DP101"]))
        self.assertEqual(client.stop(), 0)

    def test_one_that_is_not_open_is_reported_where_it_is_in_the_file(self):
        cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
                  "source": text.splitlines(keepends=True)} for text in (self.CELLS[0], self.CELLS[2])]
        text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}, indent=1)
        uri = self.write("n.ipynb", text)
        client = self.start()
        client.settle()
        [diagnostic] = client.diagnostics[uri]
        line = text.splitlines()[diagnostic["range"]["start"]["line"]]
        self.assertTrue(line[diagnostic["range"]["start"]["character"]:].startswith("total += loss"), line)


class RandomEdits(Server):
    PIECES = ["\n", "    ", "😀", "é", "#", '"', "(", ")", ".item()", "loss", "total += loss\n", "for i in range(10):\n",
              "import torch\n", "from data import parse\n", "ds = ds.map(parse)\n", "\r\n", "'''", "def parse(x):\n", ""]

    def test_the_last_state_is_that_of_a_new_check(self):
        dice = random.Random(18)
        texts = {"data.py": DATA, "train.py": TRAIN, "loss.py": LOSS, "pkg/more.py": LOSS + TRAIN.replace("train(", "t(")}
        originals = dict(texts)
        for path, text in texts.items():
            self.write(path, text)
        client = self.start(capabilities=UTF32)
        for path, text in texts.items():
            client.open(self.uri(path), text)
        for number in range(EDITS):
            path = dice.choice(list(texts))
            if dice.random() < 0.1:  # or else soon nothing is Python any more
                texts[path] = originals[path]
                client.change(self.uri(path), texts[path])
                continue
            lines = split_lines(texts[path])
            changes = []
            for _ in range(dice.randrange(1, 4)):
                lines = split_lines(texts[path])
                first = dice.randrange(len(lines))
                start = (first, dice.randrange(len(lines[first].rstrip("\r\n")) + 1))
                last = min(first + (dice.random() < 0.1), len(lines) - 1)
                end = max(start, (last, dice.randrange(len(lines[last].rstrip("\r\n")) + 1)))
                if end[0] == start[0] and dice.random() < 0.7:
                    end = start
                piece = dice.choice(self.PIECES)
                before = "".join(lines[:start[0]]) + lines[start[0]][:start[1]]
                after = lines[end[0]][end[1]:] + "".join(lines[end[0] + 1:])
                texts[path] = before + piece + after
                changes.append((*start, *end, piece))
            client.change(self.uri(path), *changes)
            if number % 50 == 49:
                for name, text in texts.items():
                    (self.folder / name).write_bytes(text.encode())
                client.settle()
                self.assertEqual(self.shown(client), self.check(), f"after edit {number}")
        self.assertEqual(client.stop(), 0)


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


if __name__ == "__main__":
    unittest.main()
