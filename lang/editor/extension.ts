// The extension for VS Code: it starts the language server and the debugger of cdpor, and carries out what lenses ask.
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

const cdpor = () => vscode.workspace.getConfiguration("cdpor").get<string>("path") || "cdpor";

// run runs cdpor in a terminal: VS Code quotes the arguments for the shell.
function run(...args: string[]): Thenable<vscode.TaskExecution> {
  const name = args.find(a => a.startsWith("Test")) ?? args[1] ?? args[0];
  const task = new vscode.Task({ type: "cdpor", args }, vscode.TaskScope.Workspace, `cdpor ${name}`, "cdpor",
    new vscode.ProcessExecution(cdpor(), args));
  task.presentationOptions = { clear: true, showReuseMessage: false };
  return vscode.tasks.executeTask(task);
}

function debug(program: string): Thenable<boolean> {
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(program));
  return vscode.debug.startDebugging(folder, { type: "cdpor", request: "launch", name: "schedule", program });
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("cdpor.run", run),
    vscode.commands.registerCommand("cdpor.replay", run),
    vscode.commands.registerCommand("cdpor.debug", debug),
    vscode.debug.registerDebugAdapterDescriptorFactory("cdpor", {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(cdpor(), ["dap"]),
    }),
  );
  client = new LanguageClient("cdpor", "cdpor", { command: cdpor(), args: ["lsp"] }, {
    documentSelector: [{ scheme: "file", language: "yaml" }, { scheme: "file", language: "go" }],
  });
  await client.start();
}

export function deactivate(): Thenable<void> | undefined {
  return client?.stop();
}
