import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import type { ModelScript } from "./script.ts";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.ts";
import type { ToolCall, Wire } from "./wire.ts";
import { type AnswerHeard, type CallHeard, type Said, type WireClient, wireClients } from "./wire-clients.fixture.ts";
import { anthropicWire } from "./wires/anthropic.ts";
import { geminiWire } from "./wires/gemini.ts";
import { responsesWire } from "./wires/responses.ts";

let model: ScriptedModel;

afterEach(() => model?.close());

describe.each(wireClients.map((client) => ({ name: client.wire.name, client })))("the $name wire", ({ client }) => {
  describe.each([
    { way: "streamed", stream: true },
    { way: "in one piece", stream: false },
  ])("$way", ({ stream }) => {
    test("a text arrives", async () => {
      await start(client.wire, { script: [{ text: "END" }] });

      expect(await ask(client, [user("hello")], { stream })).toEqual({ text: "END", calls: [] });
    });

    test("a tool call arrives, with the words before it", async () => {
      await start(client.wire, { script: [{ text: "FIRST", tools: [shell("one", "true")] }] });

      const answer = await ask(client, [user("hello")], { stream });

      expect(answer).toEqual({ text: "FIRST", calls: [heard(client, "one", "true")] });
    });

    test("two calls arrive side by side", async () => {
      await start(client.wire, { script: [{ tools: [shell("one", "true"), shell("two", "false")] }] });

      const answer = await ask(client, [user("hello")], { stream });

      expect(answer).toEqual({ text: "", calls: [heard(client, "one", "true"), heard(client, "two", "false")] });
    });
  });

  test("results are known by the ids of their calls, and all that the model was told is remembered", async () => {
    await start(client.wire, {
      script: [{ tools: [shell("one", "true"), shell("two", "false")] }, { tools: [shell("three", "true")] }],
    });
    const opening = [host("RULES"), user("hello")];
    const { calls } = await ask(client, opening);
    const [one, two] = calls as [CallHeard, CallHeard];
    const first = [...opening, called(one), called(two), result(one, "ONE"), result(two, "TWO", true)];
    const [three] = (await ask(client, first)).calls as [CallHeard];

    await ask(client, [...first, said("OWN-WORDS"), called(three), result(three, "THREE")]);

    expect([...model.toolResults().values()]).toEqual([
      { toolUseId: "one", isError: false, text: "ONE" },
      { toolUseId: "two", isError: client.knowsFailures, text: "TWO" },
      { toolUseId: "three", isError: false, text: "THREE" },
    ]);
    expect(model.textsSentToModel()).toEqual(["RULES", "hello", "ONE", "TWO", "THREE"]);
  });

  test("a sub-agent's conversation is known by its opening, even when both make the same call", async () => {
    await start(client.wire, {
      script: [{ tools: [shell("main", "true")] }, { text: "END" }],
      subAgents: [{ opening: "SUB-TASK", script: [{ tools: [shell("sub", "true")] }, { text: "SUB-END" }] }],
    });
    const main = [user("the host's prelude"), user("hello")];
    const sub = [user("the host's prelude"), user("SUB-TASK: do it")];
    const [mainCall] = (await ask(client, main)).calls as [CallHeard];
    const [subCall] = (await ask(client, sub)).calls as [CallHeard];

    expect(await ask(client, [...sub, called(subCall), result(subCall, "FROM-SUB")])).toMatchObject({
      text: "SUB-END",
    });
    const mention = result(mainCall, "the SUB-TASK is done");
    expect(await ask(client, [...main, called(mainCall), mention])).toMatchObject({ text: "END" });

    expect(model.toolResults().get("sub")).toMatchObject({ text: "FROM-SUB" });
    expect(model.toolResults().get("main")).toMatchObject({ text: "the SUB-TASK is done" });
    expect(model.requests.map(({ lane }) => lane)).toEqual(["main", "SUB-TASK", "SUB-TASK", "main"]);
    expect(model.textsSentToModel("SUB-TASK")).not.toContain("hello");
  });

  test("a side request does not move the script on", async () => {
    await start(client.wire, { script: [{ text: "END" }] });

    expect(await ask(client, [user("a title, please")], { tools: [] })).toMatchObject({ text: "ok" });
    expect(await ask(client, [user("hello")])).toMatchObject({ text: "END" });
    expect(model.requests.map(({ lane }) => lane)).toEqual(["side", "main"]);
  });

  test.each(["{ no json", "null", "7", "{}"])("the body %s is answered 400 and recorded", async (body) => {
    await start(client.wire, { script: [{ text: "END" }] });

    expect((await post(client.path(false), body)).status).toBe(400);

    expect(model.requests).toMatchObject([{ lane: "unreadable", problem: expect.stringContaining("Error") }]);
    expect(await ask(client, [user("hello")])).toMatchObject({ text: "END" });
  });

  test("what it does not know is answered 404 and recorded", async () => {
    await start(client.wire, { script: [] });

    expect((await post("/elsewhere", "{}")).status).toBe(404);
    expect((await fetch(`${model.url}/elsewhere`)).status).toBe(404);
    expect(model.requests.map(({ lane }) => lane)).toEqual(["other", "other"]);
  });
});

describe("the scripted model", () => {
  const body = JSON.stringify({ model: "m", tools: [{}], messages: [{ role: "user", content: "hello" }] });

  test.each([
    ["gzip", gzipSync(body)],
    ["deflate", deflateSync(body)],
    ["br", brotliCompressSync(body)],
  ])("reads a body in %s", async (encoding, compressed) => {
    await start(anthropicWire, { script: [{ text: "END" }] });

    const response = await post("/v1/messages", compressed, { "content-encoding": encoding });

    expect(response.status).toBe(200);
    expect(model.textsSentToModel()).toEqual(["hello"]);
  });

  test.each(["gzip", "rot13"])("answers 400 to a body that is not the %s it says", async (encoding) => {
    await start(anthropicWire, { script: [] });

    expect((await post("/v1/messages", body, { "content-encoding": encoding })).status).toBe(400);
    expect(model.requests).toMatchObject([{ lane: "unreadable", body }]);
  });

  test("refuses a script with what its wire cannot send", async () => {
    const script = [{ tools: [{ name: "apply_patch", input: {}, freeform: "PATCH" }] }];

    await expect(startScriptedModel({ script }, anthropicWire)).rejects.toThrow("apply_patch has a freeform");
  });

  test.each([
    [anthropicWire, "/v1/messages/count_tokens", { input_tokens: 100 }],
    [geminiWire, "/v1beta/models/m:countTokens", { totalTokens: 100 }],
    [responsesWire, "/v1/models", { object: "list", data: [], models: [] }],
  ])("answers $name's small questions", async (wire, path, answer) => {
    await start(wire, { script: [] });

    expect(await (await post(path, "{}")).json()).toEqual(answer);
    expect(model.requests).toMatchObject([{ lane: "other" }]);
  });
});

describe("the Responses wire, for Codex", () => {
  test("sends namespaces and free texts, and reads the result of a custom tool", async () => {
    const spawn = { id: "spawn", name: "spawn_agent", namespace: "multi_agent_v1", input: { message: "go" } };
    const patch = { id: "patch", name: "apply_patch", input: {}, freeform: "*** Begin Patch" };
    await start(responsesWire, { script: [{ tools: [spawn, patch] }] });
    const output = {
      type: "custom_tool_call_output",
      call_id: "earlier",
      output: [{ type: "input_text", text: "OK" }],
    };

    const response = await post("/v1/responses", JSON.stringify({ model: "m", tools: [{}], input: [output] }));

    expect(await response.json()).toMatchObject({
      output: [
        { type: "function_call", call_id: "spawn", namespace: "multi_agent_v1", arguments: '{"message":"go"}' },
        { type: "custom_tool_call", call_id: "patch", name: "apply_patch", input: "*** Begin Patch" },
      ],
    });
    expect(model.toolResults().get("earlier")).toMatchObject({ text: "OK" });
  });

  test("finds tools that come as an item of the input", async () => {
    await start(responsesWire, { script: [{ text: "END" }] });
    const input = [{ type: "additional_tools", role: "developer", tools: [{}] }];

    await post("/v1/responses", JSON.stringify({ model: "m", input }));

    expect(model.requests).toMatchObject([{ lane: "main" }]);
  });
});

describe("the Gemini wire", () => {
  test("goes by the host's own ids where it sends them, in whatever order the results come", async () => {
    await start(geminiWire, { script: [{ tools: [shell("one", "true"), shell("two", "false")] }] });
    const path = "/v1beta/models/m:generateContent";
    const opening = { role: "user", parts: [{ text: "hello" }] };
    const call = (id: string, command: string) => ({ functionCall: { id, name: "shell", args: { command } } });
    const response = (id: string, output: string) => ({
      functionResponse: { id, name: "shell", response: { output } },
    });
    await post(path, JSON.stringify({ tools: [{}], contents: [opening] }));

    const calls = { role: "model", parts: [call("host-1", "true"), call("host-2", "false")] };
    const results = { role: "user", parts: [response("host-2", "TWO"), response("host-1", "ONE")] };
    await post(path, JSON.stringify({ tools: [{}], contents: [opening, calls, results] }));

    expect(model.toolResults().get("one")).toMatchObject({ text: "ONE" });
    expect(model.toolResults().get("two")).toMatchObject({ text: "TWO" });
  });
});

async function start(wire: Wire, script: ModelScript): Promise<void> {
  model = await startScriptedModel(script, wire);
}

async function ask(
  client: WireClient,
  conversation: readonly Said[],
  { tools = [{}], stream = false }: { tools?: readonly object[]; stream?: boolean } = {},
): Promise<AnswerHeard> {
  const body = { model: "m", stream, ...client.body(conversation, tools) };
  const response = await post(client.path(stream), JSON.stringify(body));
  expect(response.headers.get("content-type")).toBe(stream ? "text/event-stream" : "application/json");
  if (!stream) return client.readAnswer([await response.json()]);
  const events = [...(await response.text()).matchAll(/^data: (\{.*\})$/gm)];
  return client.readAnswer(events.map(([, data]) => JSON.parse(data as string)));
}

function post(path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${model.url}${path}`, { method: "POST", body, headers });
}

function shell(id: string, command: string): ToolCall {
  return { id, name: "shell", input: { command } };
}

/** On Gemini's wire a call has no id. */
function heard(client: WireClient, id: string, command: string): CallHeard {
  return { id: client.wire === geminiWire ? "" : id, name: "shell", input: { command } };
}

function host(text: string): Said {
  return { by: "host", text };
}

function user(text: string): Said {
  return { by: "user", text };
}

function said(text: string): Said {
  return { by: "model", text };
}

function called(call: CallHeard): Said {
  return { by: "model", call };
}

function result(call: CallHeard, text: string, failed = false): Said {
  return { by: "tool", call, text, failed };
}
