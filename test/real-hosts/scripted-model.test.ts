import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.ts";

let model: ScriptedModel;

beforeEach(async () => {
  model = await startScriptedModel({
    script: [{ tools: [{ id: "call", name: "Bash", input: { command: "true" } }] }, { text: "END" }],
    subAgents: [{ opening: "SUB-TASK", script: [{ text: "SUB-END" }] }],
  });
});

afterEach(() => model.close());

describe("the scripted model", () => {
  test("plays a conversation step by step and remembers what it was told", async () => {
    const first = await ask([user("hello")]);
    expect(first).toMatchObject({
      stop_reason: "tool_use",
      content: [{ type: "tool_use", id: "call", name: "Bash", input: { command: "true" } }],
    });

    const result = {
      type: "tool_result",
      tool_use_id: "call",
      is_error: true,
      content: [{ type: "text", text: "DENIED" }],
    };
    const second = await ask([user("hello"), { role: "assistant", content: "OWN-WORDS" }, user([result])]);
    expect(second).toMatchObject({ stop_reason: "end_turn", content: [{ type: "text", text: "END" }] });

    expect(model.toolResults().get("call")).toEqual({ toolUseId: "call", isError: true, text: "DENIED" });
    expect(model.textsSentToModel()).toEqual(["hello", "DENIED"]);
  });

  test("keeps a sub-agent's conversation and side requests apart from the main one", async () => {
    expect(await ask([user("a title, please")], { tools: [] })).toMatchObject({ content: [{ text: "ok" }] });
    expect(await ask([user("SUB-TASK: do it")])).toMatchObject({ content: [{ text: "SUB-END" }] });
    expect(await ask([user("hello")])).toMatchObject({ content: [{ id: "call" }] });

    expect(model.requests.map((request) => request.lane)).toEqual(["side", "SUB-TASK", "main"]);
    expect(model.textsSentToModel("main")).toEqual(["hello"]);
  });

  test("streams the same answer as events", async () => {
    const response = await post("/v1/messages", { model: "m", stream: true, tools: [{}], messages: [user("hello")] });

    const events = (await response.text()).match(/^event: .*$/gm);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(events).toEqual([
      "event: message_start",
      "event: content_block_start",
      "event: content_block_delta",
      "event: content_block_stop",
      "event: message_delta",
      "event: message_stop",
    ]);
  });

  test("counts tokens, and answers 404 to what it does not know", async () => {
    expect(await (await post("/v1/messages/count_tokens", {})).json()).toEqual({ input_tokens: 100 });
    expect((await post("/v1/elsewhere", {})).status).toBe(404);
    expect(model.requests.map((request) => request.lane)).toEqual(["other", "other"]);
  });
});

function user(content: string | object[]): object {
  return { role: "user", content };
}

async function ask(messages: object[], { tools = [{}] }: { tools?: object[] } = {}): Promise<unknown> {
  return (await post("/v1/messages", { model: "m", tools, messages })).json();
}

function post(path: string, body: object): Promise<Response> {
  return fetch(`${model.url}${path}`, { method: "POST", body: JSON.stringify(body) });
}
