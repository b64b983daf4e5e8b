// Starts `deepperf server` for Python files and notebooks; all else is done by the protocol's client.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function settings() {
  const { all, select, ignore, minSeverity, inlayHints } = vscode.workspace.getConfiguration("deepperf");
  return { all, select, ignore, minSeverity, inlayHints };
}

async function start() {
  const command = vscode.workspace.getConfiguration("deepperf").get("path") || "deepperf";
  client = new LanguageClient(
    "deepperf",
    "DeepPerf",
    { command, args: ["server"] },
    {
      // Not what other schemes show: the old side of a comparison is no part of the project.
      documentSelector: ["file", "untitled", "vscode-notebook-cell"].map((scheme) => ({ scheme, language: "python" })),
      initializationOptions: settings(),
    },
  );
  await client.start();
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand("deepperf.restart", async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("deepperf.path")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
};

exports.deactivate = stop;
