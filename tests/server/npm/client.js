// Uses the server as VS Code does, through its own protocol library: client.js FOLDER BINARY PROJECT, where FOLDER has node_modules.
const assert = require("assert");
const { spawn } = require("child_process");
const { createRequire } = require("module");
const path = require("path");
const { pathToFileURL } = require("url");

const [folder, binary, project] = process.argv.slice(2);
const lsp = createRequire(path.join(folder, "package.json"))("vscode-languageserver-protocol/node");

const SLOW = "import tensorflow as tf\n\nds = tf.data.Dataset.list_files('*').map(lambda p: tf.io.read_file(p))\n";
const FAST = SLOW.replace("read_file(p))", "read_file(p), num_parallel_calls=tf.data.AUTOTUNE)");
const TENSORS = "import torch\n\n\ndef f(n):\n    x = torch.zeros(4, 8)\n    y = torch.relu(x)\n    return y\n";
const LOSS = `def train(opt, loader):
    model = torch.nn.Linear(3, 1); total = 0
    for x, y in loader:
        loss = torch.nn.functional.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss
    return total
`;
const capabilities = {
  general: { positionEncodings: ["utf-16"] },
  textDocument: {
    diagnostic: { dynamicRegistration: false, relatedDocumentSupport: false },
    inlayHint: {},
    hover: { contentFormat: ["markdown"] },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } },
  },
  notebookDocument: { synchronization: {} },
  window: { workDoneProgress: true },
  workspace: {
    configuration: false,
    diagnostics: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
    workspaceEdit: { documentChanges: true },
  },
};

const uriOf = (name) => pathToFileURL(path.join(project, name)).href;
const at = (line, character) => ({ line, character });

async function start(options = {}) {
  const child = spawn(binary, ["server", "--no-cache"], { cwd: project, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.on("exit", (code, signal) => resolve(code ?? signal)));
  const connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(child.stdout),
    new lsp.StreamMessageWriter(child.stdin),
  );
  const seen = { progress: [] };
  connection.onRequest(lsp.WorkDoneProgressCreateRequest.type, () => null);
  connection.onRequest(lsp.DiagnosticRefreshRequest.type, () => null);
  const hintsRefreshed = new Promise((resolve) => connection.onRequest(lsp.InlayHintRefreshRequest.type, () => (resolve(), null)));
  connection.onNotification("$/progress", (params) => seen.progress.push(params.value.kind));
  connection.onError((error) => assert.fail(String(error)));
  connection.listen();
  const initialized = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(project).href,
    capabilities,
    workspaceFolders: [{ uri: pathToFileURL(project).href, name: "project" }],
    initializationOptions: options,
  });
  await connection.sendNotification(lsp.InitializedNotification.type, {});
  return { child, ended, connection, seen, initialized, hintsRefreshed };
}

async function stop({ connection, ended }) {
  await connection.sendRequest(lsp.ShutdownRequest.type);
  await connection.sendNotification(lsp.ExitNotification.type);
  assert.strictEqual(await ended, 0);
}

const pull = ({ connection }, uri, previousResultId) =>
  connection.sendRequest(lsp.DocumentDiagnosticRequest.type, { textDocument: { uri }, previousResultId });
const codes = (report) => report.items.map((item) => item.code);

function open({ connection }, uri, text) {
  return connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "python", version: 1, text },
  });
}

async function testCapabilities(server) {
  const offered = server.initialized.capabilities;
  assert.ok(offered.diagnosticProvider.interFileDependencies);
  assert.ok(offered.inlayHintProvider && offered.hoverProvider && offered.notebookDocumentSync);
  assert.match(server.initialized.serverInfo.version, /^\d+\.\d+\.\d+/);
}

// While the first check runs, what waits behind it can be called off; every request is answered in any case.
async function testCancellation(server) {
  const first = server.connection.sendRequest(lsp.WorkspaceDiagnosticRequest.type, { previousResultIds: [] });
  const others = [];
  for (let i = 0; i < 20; i++) {
    const source = new lsp.CancellationTokenSource();
    const params = { textDocument: { uri: uriOf("slow.py") }, position: at(2, 30) };
    others.push(server.connection.sendRequest(lsp.HoverRequest.type, params, source.token).then(() => 0, (error) => error.code));
    source.cancel();
  }
  const answers = await Promise.all(others);
  assert.ok(answers.every((code) => code === 0 || code === lsp.LSPErrorCodes.RequestCancelled), String(answers));
  assert.ok(answers.includes(lsp.LSPErrorCodes.RequestCancelled), "no request was cancelled");
  const report = await first;
  const slow = report.items.find((item) => item.uri === uriOf("slow.py"));
  assert.deepStrictEqual(codes(slow), ["DP101"]);
  assert.ok(server.seen.progress.length === 0 || server.seen.progress.at(-1) === "end", String(server.seen.progress));
}

async function testPull(server) {
  const uri = uriOf("edited.py");
  await open(server, uri, SLOW);
  const report = await pull(server, uri);
  assert.deepStrictEqual(codes(report), ["DP101"]);
  assert.strictEqual((await pull(server, uri, report.resultId)).kind, "unchanged");
  const line = SLOW.split("\n")[2];
  await server.connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 },
    contentChanges: [{ range: { start: at(2, line.length - 1), end: at(2, line.length - 1) }, text: ", num_parallel_calls=8" }],
  });
  assert.deepStrictEqual(codes(await pull(server, uri, report.resultId)), []);
}

async function testFix(server) {
  const uri = uriOf("fixed.py");
  await open(server, uri, SLOW);
  const { items } = await pull(server, uri);
  const actions = await server.connection.sendRequest(lsp.CodeActionRequest.type, {
    textDocument: { uri },
    range: items[0].range,
    context: { diagnostics: items, only: ["quickfix"] },
  });
  const fix = actions.find((action) => action.isPreferred);
  const edits = fix.edit.documentChanges[0].edits;
  const lines = SLOW.split("\n");
  for (const { range, newText } of [...edits].reverse()) {
    assert.strictEqual(range.start.line, range.end.line);
    const text = lines[range.start.line];
    lines[range.start.line] = text.slice(0, range.start.character) + newText + text.slice(range.end.character);
  }
  assert.strictEqual(lines.join("\n"), FAST);
}

async function testHover(server) {
  const uri = uriOf("tensors.py");
  await open(server, uri, TENSORS);
  const hover = async (line, character) => {
    const answer = await server.connection.sendRequest(lsp.HoverRequest.type, { textDocument: { uri }, position: at(line, character) });
    return answer && answer.contents.value;
  };
  assert.match(await hover(5, 19), /^`x`: \*\*PyTorch tensor\*\*.*torch\.zeros/);
  assert.match(await hover(5, 15), /torch\.relu/);
  assert.strictEqual(await hover(0, 0), null);
}

async function testInlayHints(server) {
  const uri = uriOf("tensors.py");
  const ask = () =>
    server.connection.sendRequest(lsp.InlayHintRequest.type, { textDocument: { uri }, range: { start: at(0, 0), end: at(99, 0) } });
  assert.strictEqual(await ask(), null); // only on request
  await server.connection.sendNotification(lsp.DidChangeConfigurationNotification.type, { settings: { deepperf: { inlayHints: true } } });
  const hints = await ask();
  assert.deepStrictEqual(hints.map((hint) => hint.position), [at(4, 5), at(5, 5)]);
  assert.strictEqual(hints[0].label, ": [4, 8] float32 on cpu");
  await server.hintsRefreshed; // the editor is told to ask again, when the server has nothing else to do
}

async function testNotebook(server) {
  const notebook = uriOf("study.ipynb");
  const cell = (n) => `${notebook.replace("file:", "vscode-notebook-cell:")}#c${n}`;
  const item = (n, text) => ({ uri: cell(n), languageId: "python", version: 1, text });
  await server.connection.sendNotification(lsp.DidOpenNotebookDocumentNotification.type, {
    notebookDocument: {
      uri: notebook, notebookType: "jupyter-notebook", version: 1,
      cells: [{ kind: 1, document: cell(0) }, { kind: 2, document: cell(1) }, { kind: 2, document: cell(2) }],
    },
    cellTextDocuments: [item(1, "import torch"), item(2, LOSS)],
  });
  assert.deepStrictEqual(codes(await pull(server, cell(1))), []);
  assert.deepStrictEqual(codes(await pull(server, cell(2))), ["DP230"]);
  const hover = await server.connection.sendRequest(lsp.HoverRequest.type, { textDocument: { uri: cell(2) }, position: at(3, 46) });
  assert.match(hover.contents.value, /^`model`: \*\*PyTorch module\*\*/);
  // Another cell goes in front, and the text of the old one changes.
  await server.connection.sendNotification(lsp.DidChangeNotebookDocumentNotification.type, {
    notebookDocument: { uri: notebook, version: 2 },
    change: {
      cells: {
        structure: {
          array: { start: 0, deleteCount: 0, cells: [{ kind: 2, document: cell(3) }] },
          didOpen: [item(3, "n = 8")],
        },
        textContent: [{ document: { uri: cell(2), version: 2 }, changes: [{ text: "x = torch.zeros(3)" }] }],
      },
    },
  });
  assert.deepStrictEqual(codes(await pull(server, cell(2))), []);
  await server.connection.sendNotification(lsp.DidCloseNotebookDocumentNotification.type, {
    notebookDocument: { uri: notebook },
    cellTextDocuments: [1, 2, 3].map((n) => ({ uri: cell(n) })),
  });
  assert.deepStrictEqual(codes(await pull(server, cell(2))), []);
}

// An editor whose server is killed starts another one, and tells it the same.
async function testKillAndRestart() {
  const first = await start();
  await open(first, uriOf("edited.py"), SLOW);
  assert.deepStrictEqual(codes(await pull(first, uriOf("edited.py"))), ["DP101"]);
  first.child.kill("SIGKILL");
  assert.strictEqual(await first.ended, "SIGKILL");
  const second = await start();
  await open(second, uriOf("edited.py"), SLOW);
  assert.deepStrictEqual(codes(await pull(second, uriOf("edited.py"))), ["DP101"]);
  await stop(second);
}

(async () => {
  const server = await start();
  for (const test of [testCapabilities, testCancellation, testPull, testFix, testHover, testInlayHints, testNotebook]) {
    await test(server);
    console.log(`${test.name}: ok`);
  }
  await stop(server);
  await testKillAndRestart();
  console.log("testKillAndRestart: ok");
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
