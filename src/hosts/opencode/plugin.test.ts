import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { Ask, Asked } from "../plugin.ts";
import { plugin } from "./plugin.ts";
import type { Hooks } from "./plugin-api.ts";

const SILENT: Asked = { stdout: "", stderr: "", exitCode: 0, remarks: [] };
const saying = (answer: object): Asked => ({ ...SILENT, stdout: JSON.stringify(answer) });
const BLOCKED: Asked = { ...SILENT, stderr: "Blocked by holdfast: no", exitCode: 2 };

/** The plugin with an engine that answers by event, and what both were told. */
async function loaded(answers: Readonly<Record<string, Asked>> = {}) {
  const payloads: JsonObject[] = [];
  const requests: unknown[] = [];
  const asking = async (payload: JsonObject) => {
    payloads.push(payload);
    return answers[String(payload.hook_event_name)] ?? SILENT;
  };
  const ask: Ask = Object.assign(asking, { now: () => undefined });
  const send = async (request: unknown) => requests.push(request);
  const client = { app: { log: send }, session: { promptAsync: send }, postSessionIdPermissionsPermissionId: send };
  const context = { directory: "/project", client };
  const start = plugin(() => ask) as (given: object) => Promise<Hooks>;
  const hooks = await start(context);
  const again = await start(context);
  return { hooks, again, payloads, requests, events: () => payloads.map((payload) => payload.hook_event_name) };
}

const CALL = { tool: "bash", sessionID: "ses_1", callID: "call_1" };
const failedPart = {
  type: "message.part.updated",
  properties: {
    part: { type: "tool", id: "prt_1", callID: "call_1", sessionID: "ses_1", state: { status: "error", error: "E" } },
  },
};
const prompt = (text: string) => ({
  message: { id: "msg_1", agent: "build", model: { providerID: "p", modelID: "m" } },
  parts: [{ id: "prt_1", sessionID: "ses_1", messageID: "msg_1", type: "text", text }],
});

it("a block is thrown, and the error it becomes is no call that ran", async () => {
  const { hooks, events } = await loaded({ "tool.execute.before": BLOCKED });
  await expect(hooks["tool.execute.before"](CALL, { args: {} })).rejects.toThrow("Blocked by holdfast: no");
  await hooks.event({ event: failedPart });
  expect(events()).toEqual(["tool.execute.before"]);
});

it("a call that was let pass and failed is reported once", async () => {
  const { hooks, events } = await loaded();
  await hooks["tool.execute.before"](CALL, { args: {} });
  await hooks.event({ event: failedPart });
  await hooks.event({ event: failedPart });
  expect(events()).toEqual(["tool.execute.before", "message.part.updated"]);
});

it("a rewrite changes the fields of the object that is there", async () => {
  const { hooks } = await loaded({ "tool.execute.before": saying({ args: { command: "b" } }) });
  const args = { command: "a", timeout: 5 };
  await hooks["tool.execute.before"](CALL, { args });
  expect(args).toEqual({ command: "b" });
});

it("context before a call comes with what it returned, after a hidden output, and once", async () => {
  const { hooks } = await loaded({
    "tool.execute.before": saying({ context: "BESIDE" }),
    "tool.execute.after": saying({ output: "HIDDEN" }),
  });
  await hooks["tool.execute.before"](CALL, { args: {} });
  const output = { output: "secret", attachments: ["image"], metadata: { output: "secret", exit: 0 } };
  await hooks["tool.execute.after"]({ ...CALL, args: {} }, output);
  expect(output).toEqual({ output: "HIDDEN\n\nBESIDE", metadata: { output: "HIDDEN", exit: 0 } });
});

it("what an MCP server returned is replaced whole, and the server is named", async () => {
  const { hooks, payloads } = await loaded({ "tool.execute.after": saying({ output: "HIDDEN" }) });
  await hooks.config({ mcp: { notes: {} } });
  const output = { content: [{ type: "text", text: "secret" }, { type: "image" }] };
  await hooks["tool.execute.after"]({ ...CALL, tool: "notes_leave", args: {} }, output);
  expect(output.content).toEqual([{ type: "text", text: "HIDDEN" }]);
  expect(payloads[0]).toMatchObject({ tool_name: "mcp__notes__leave", tool_response: "secret" });
});

it("a command's directory is told beside the project's", async () => {
  const { hooks, payloads } = await loaded();
  await hooks["tool.execute.before"](CALL, { args: { command: "ls", workdir: "../other" } });
  expect(payloads[0]).toMatchObject({ cwd: "/project", workdir: "/other" });
});

it("the first prompt starts the session, loses its quotes, and carries what hooks say", async () => {
  const { hooks, payloads } = await loaded({ "chat.message": saying({ context: "TOLD" }) });
  const output = prompt('"two words"');
  await hooks["chat.message"]({ sessionID: "ses_1" }, output);
  await hooks["chat.message"]({ sessionID: "ses_1" }, prompt("more"));
  expect(payloads).toMatchObject([
    { hook_event_name: "session.created", source: "resume" },
    { hook_event_name: "chat.message", prompt: "two words" },
    { hook_event_name: "chat.message", prompt: "more" },
  ]);
  expect(output.parts.map(({ text }) => text)).toEqual(['"two words"', "TOLD"]);
});

it("a sub-agent's first prompt is a delegation, never a person's prompt", async () => {
  const { hooks, payloads } = await loaded();
  const info = { id: "ses_2", parentID: "ses_1" };
  await hooks.event({ event: { type: "session.created", properties: { info } } });
  await hooks["chat.message"]({ sessionID: "ses_2" }, prompt("do it"));
  expect(payloads).toMatchObject([{ hook_event_name: "session.created", session_id: "ses_1", agent_id: "ses_2" }]);
});

it("the turn's end is asked about, and our own prompt is not taken for the person's", async () => {
  const { hooks, requests, events } = await loaded({ "step-finish": saying({ prompt: "GO ON" }) });
  await hooks["chat.message"]({ sessionID: "ses_1" }, prompt("go"));
  const part = { type: "step-finish", reason: "stop", sessionID: "ses_1", messageID: "msg_2" };
  await hooks.event({ event: { type: "message.part.updated", properties: { part } } });
  await hooks["chat.message"]({ sessionID: "ses_1" }, prompt("GO ON"));
  expect(events()).toEqual(["session.created", "chat.message", "step-finish"]);
  expect(requests).toMatchObject([{ path: { id: "ses_1" }, body: { agent: "build", parts: [{ text: "GO ON" }] } }]);
});

it.each(["once", "reject"])("a permission is answered with %s", async (permission) => {
  const { hooks, requests } = await loaded({ "permission.asked": saying({ permission }) });
  const properties = { id: "per_1", sessionID: "ses_1", permission: "bash", metadata: { command: "ls" } };
  await hooks.event({ event: { type: "permission.asked", properties } });
  expect(requests).toEqual([{ path: { id: "ses_1", permissionID: "per_1" }, body: { response: permission } }]);
});

it("loaded twice with one context, it serves once", async () => {
  expect((await loaded()).again).toEqual({});
});
