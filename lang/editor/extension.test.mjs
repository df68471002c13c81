// The extension without VS Code: what it registers, what the lenses of cdpor lsp start, and how the debugger is found.
// In place of the module vscode stands one that records calls; what it does not know it answers with itself.
import assert from "node:assert";
import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import test from "node:test";

const require = createRequire(import.meta.url), manifest = JSON.parse(readFileSync("package.json", "utf8"));
const commands = {}, tasks = [], started = [], factories = {};
class Anything { constructor(...args) { this.args = args; } }
const any = new Proxy(function () {}, {
  get: (_, name) => name === Symbol.toPrimitive ? () => "" : name === "then" ? undefined :
    name === "prototype" ? Object.prototype : any,
  apply: () => any, construct: (_, args) => new Anything(...args),
});
const known = {
  commands: { registerCommand: (name, f) => (commands[name] = f, any) },
  tasks: { executeTask: task => tasks.push(task.args) },
  debug: {
    registerDebugAdapterDescriptorFactory: (type, f) => (factories[type] = f, any),
    startDebugging: (_, configuration) => started.push(configuration),
  },
  workspace: new Proxy({ getConfiguration: () => ({ get: () => "/bin/cdpor" }) }, { get: (o, n) => o[n] ?? any }),
  DebugAdapterExecutable: class { constructor(command, args) { Object.assign(this, { command, args }); } },
};
const vscode = Object.setPrototypeOf(known, new Proxy({}, { get: () => any }));
const load = Module._load;
Module._load = (name, ...rest) => name === "vscode" ? vscode : load(name, ...rest);

test("the extension", async () => {
  const extension = require("./out/extension.js");
  const context = { subscriptions: [] };
  extension.activate(context).catch(() => {}); // the language client needs more of VS Code than there is here
  assert.deepStrictEqual(Object.keys(commands).sort(), ["cdpor.debug", "cdpor.replay", "cdpor.run"]);
  assert.strictEqual(context.subscriptions.length, 4);

  commands["cdpor.run"]("run", "/a b", "--func", "TestX", "--save", "/a b/TestX.replay.yaml");
  const [definition, , name, , execution] = tasks[0];
  assert.strictEqual(name, "cdpor TestX");
  assert.deepStrictEqual(execution.args, ["/bin/cdpor", definition.args]);
  assert.deepStrictEqual(definition.args.slice(0, 4), ["run", "/a b", "--func", "TestX"]);

  commands["cdpor.debug"]("/a b/TestX.replay.yaml");
  assert.strictEqual(started[0].program, "/a b/TestX.replay.yaml");
  const [declared] = manifest.contributes.debuggers;
  assert.strictEqual(started[0].type, declared.type);
  assert.ok(declared.configurationAttributes.launch.required.every(name => name in started[0]));
  assert.deepStrictEqual({ ...factories[declared.type].createDebugAdapterDescriptor() },
    { command: "/bin/cdpor", args: ["dap"] });
});
