// Drives `visim dap` with the client that adapters of Visual Studio Code are tested with, over pipes and over a port.
//
//   npm install --prefix target/dap @vscode/debugadapter-testsupport
//   NODE_PATH=target/dap/node_modules node tests/faces/dap/client.js target/debug/visim
"use strict";
const assert = require("node:assert/strict");
const path = require("node:path");
const { spawn } = require("node:child_process");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const visim = path.resolve(process.argv[2] ?? "target/debug/visim");
const root = path.resolve(__dirname, "../../..");
const sample = name => path.join(root, "samples", name);

// A client of an adapter that it starts, or of one that listens.
async function client(port) {
  const client = new DebugClient(visim, "dap", "visim", { cwd: root });
  client.defaultTimeout = 60_000;
  await client.start(port);
  return client;
}

// A session up to the stop at the entry, whose breakpoints `configure` sets.
async function session(client, launch, configure = async () => {}) {
  const initialized = client.waitForEvent("initialized");
  const { body } = await client.initializeRequest();
  assert.ok(body.supportsStepBack && body.supportsDataBreakpoints && body.supportsFunctionBreakpoints);
  const stopped = client.waitForEvent("stopped");
  const launched = client.launchRequest({ stopOnEntry: true, ...launch });
  await initialized;
  await configure();
  await client.configurationDoneRequest();
  await launched;
  return (await stopped).body;
}

const top = async (client, threadId = 1) => (await client.stackTraceRequest({ threadId })).body.stackFrames[0];

// Lets the run go on; the event of its next stop.
async function until(client, command, threadId = 1) {
  const stopped = client.waitForEvent("stopped");
  await client.send(command, { threadId });
  return (await stopped).body;
}

// The variables of a scope by name.
async function scope(client, frameId, name) {
  const { scopes } = (await client.scopesRequest({ frameId })).body;
  const { variablesReference } = scopes.find(scope => scope.name === name);
  const { variables } = (await client.variablesRequest({ variablesReference })).body;
  return Object.fromEntries(variables.map(variable => [variable.name, variable]));
}

const tests = {
  // The package's own sequence: launch, breakpoint, stop at the place and for the reason.
  async "a breakpoint is hit"(client) {
    const program = sample("33-trace.visa");
    await client.hitBreakpoint({ program }, { path: program, line: 32 }, { path: program, line: 32 });
  },

  async "conditions, data, functions and the way back"(client) {
    const source = { path: sample("33-trace.visa") };
    const entry = await session(client, { program: source.path }, async () => {
      const { breakpoints } = (await client.setBreakpointsRequest({ source, breakpoints: [{ line: 32, condition: "LEFT lane 1 < 0" }] })).body;
      assert.equal(breakpoints[0].verified, true);
    });
    assert.equal(entry.reason, "entry");
    assert.equal((await until(client, "continue")).reason, "breakpoint");
    const frame = await top(client);
    assert.equal(frame.line, 32);
    const registers = await scope(client, frame.id, "Registers");
    assert.equal(registers.POWER.value, "3 9 9 9 9 9 9 9");
    const { result } = (await client.evaluateRequest({ expression: "POWER lane 2", frameId: frame.id })).body;
    assert.equal(result, "9");

    // An element of a register, and only where a condition holds.
    const info = (await client.dataBreakpointInfoRequest({ variablesReference: registers.POWER.variablesReference, name: "[0]" })).body;
    await client.setBreakpointsRequest({ source, breakpoints: [] });
    await client.setDataBreakpointsRequest({ breakpoints: [{ dataId: info.dataId, condition: "POWER lane 0 < 3" }] });
    const back = await until(client, "reverseContinue");
    assert.equal(back.reason, "data breakpoint", JSON.stringify(back));
    const value = (await client.evaluateRequest({ expression: "POWER lane 0", frameId: 1 })).body.result;
    assert.equal(value, "1");
    await client.setDataBreakpointsRequest({ breakpoints: [] });

    const named = (await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: "loop" }, { name: "lop" }] })).body.breakpoints;
    assert.deepEqual(named.map(one => one.verified), [true, false]);
    assert.equal((await until(client, "continue")).reason, "breakpoint");
    assert.equal((await top(client)).line, named[0].line);
    await client.setFunctionBreakpointsRequest({ breakpoints: [] });
    const exited = client.waitForEvent("exited");
    await client.continueRequest({ threadId: 1 });
    assert.equal((await exited).body.exitCode, 0);
  },

  async "threads meet at a barrier"(client) {
    const source = { path: sample("49-barrier.visa") };
    await session(client, { program: source.path }, () => client.setBreakpointsRequest({ source, breakpoints: [{ line: 30 }] }));
    const stop = await until(client, "continue");
    const { threads } = (await client.threadsRequest()).body;
    assert.equal(threads.length, 4);
    assert.equal((await top(client, stop.threadId)).line, 30);
    const { result } = (await client.evaluateRequest({ expression: "OTHER", frameId: stop.threadId })).body;
    assert.equal(result, "12");
  },

  // A compiled program has its text inside, which the adapter hands out.
  async "a compiled launch"(client) {
    const program = sample("kernels/52-soften.bin");
    await session(client, { program });
    const frame = await top(client);
    const { content } = (await client.customRequest("source", { source: frame.source, sourceReference: frame.source.sourceReference })).body;
    const line = content.split("\n").findIndex(text => text.includes("lsc_load.ugm")) + 1;
    assert.ok(line > 0, content);
    const { breakpoints } = (await client.setBreakpointsRequest({ source: frame.source, breakpoints: [{ line }] })).body;
    assert.deepEqual([breakpoints[0].verified, breakpoints[0].line], [true, line]);
    const stop = await until(client, "continue");
    const here = await top(client, stop.threadId);
    assert.equal(here.line, line);
    const messages = await scope(client, here.id, "Messages");
    assert.match(messages.next.value, /load\/store descriptor 0x/);
  },
};

async function main() {
  for (const [name, test] of Object.entries(tests)) {
    const one = await client();
    try {
      await test(one);
    } finally {
      await one.stop();
    }
    console.log(`ok ${name}`);
  }
  const server = spawn(visim, ["dap", "--port", "0"], { cwd: root });
  const port = await new Promise((resolve, reject) => {
    server.stderr.on("data", text => { const found = /127\.0\.0\.1:(\d+)/.exec(text); if (found) resolve(+found[1]); });
    server.on("exit", code => reject(new Error(`visim has ended with ${code}`)));
  });
  const one = await client(port);
  await tests["threads meet at a barrier"](one);
  const ended = new Promise(resolve => server.on("exit", resolve));
  await one.disconnectRequest();
  assert.equal(await ended, 0);
  console.log("ok the same over a port");
}

main().then(() => process.exit(0), error => { console.error(error); process.exit(1); });
