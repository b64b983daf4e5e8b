"""A small client of the Language Server Protocol, for tests and measurements."""

import json
import pathlib
import queue
import subprocess
import threading

PATIENCE = 300  # seconds after which a server that does not answer counts as hanging


class Client:
    def __init__(self, binary, root=None, *, capabilities=None, options=None, arguments=(), initialize=True):
        self.process = subprocess.Popen([binary, "server", "--no-cache", *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.incoming = queue.Queue()
        self.seen = []  # notifications and requests of the server
        self.diagnostics = {}
        self.versions = {}
        self.next_id = 0
        self.next_version = 1
        threading.Thread(target=self._read, daemon=True).start()
        if initialize:
            self.initialized = self.request("initialize", {
                "processId": None, "rootUri": pathlib.Path(root).as_uri() if root else None,
                "capabilities": capabilities if capabilities is not None else {"textDocument": {"publishDiagnostics": {
                    "relatedInformation": True}}},
                "initializationOptions": options})
            self.notify("initialized", {})

    def _read(self):
        stream = self.process.stdout
        while True:
            length = None
            while (line := stream.readline()) not in (b"\r\n", b""):
                name, value = line.split(b":")
                assert name == b"Content-Length", line
                length = int(value)
            if line == b"":
                self.incoming.put(None)
                return
            self.incoming.put(json.loads(stream.read(length)))

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start_request(self, method, params):
        self.next_id += 1
        self.send({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params})
        return self.next_id

    def receive(self):
        """The next message; None at the end."""
        message = self.incoming.get(timeout=PATIENCE)
        if message is not None and "method" in message:
            self.seen.append(message)
            if message["method"] == "textDocument/publishDiagnostics":
                params = message["params"]
                self.diagnostics[params["uri"]] = params["diagnostics"]
                self.versions[params["uri"]] = params.get("version")
            elif "id" in message:
                self.answer(message)
        return message

    def answer(self, message):
        self.send({"jsonrpc": "2.0", "id": message["id"], "result": None})

    def wait_for(self, identifier):
        """The answer to a request."""
        while True:
            message = self.receive()
            assert message is not None, "the server has ended"
            if "method" not in message and message.get("id") == identifier:
                return message

    def request(self, method, params=None):
        message = self.wait_for(self.start_request(method, params))
        assert "error" not in message, message
        return message["result"]

    def error_of(self, method, params=None):
        return self.wait_for(self.start_request(method, params))["error"]["code"]

    def open(self, uri, text, language="python"):
        self.next_version += 1
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": language,
                                                              "version": self.next_version, "text": text}})

    def change(self, uri, *changes):
        """Each change is a text, or (start line, start character, end line, end character, text)."""
        self.next_version += 1
        content = [{"text": change} if isinstance(change, str) else
                   {"range": {"start": {"line": change[0], "character": change[1]},
                              "end": {"line": change[2], "character": change[3]}}, "text": change[4]}
                   for change in changes]
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.next_version},
                                               "contentChanges": content})

    def published(self, uri):
        """The diagnostics of the last version of a text that is open."""
        while self.versions.get(uri) != self.next_version:
            assert self.receive() is not None, "the server has ended"
        return self.diagnostics[uri]

    def settle(self):
        """All that the server publishes for what it has received so far: it answers in order, and checks before."""
        self.request("workspace/diagnostic", {"previousResultIds": []})

    def stop(self):
        """The exit code after a proper end."""
        self.request("shutdown")
        self.notify("exit", None)
        return self.end()

    def end(self):
        while self.receive() is not None:
            pass
        code = self.process.wait(PATIENCE)
        self.process.stdin.close()
        self.process.stdout.close()
        return code
