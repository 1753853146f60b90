import { describe, expect, it } from "vitest";
import { agentScene, call, calls } from "./agent.fixture.ts";
import type { Conversation } from "./conversation.ts";
import type { Tool } from "./tools/tool.ts";

const scene = agentScene();
const userTexts = (messages: readonly { role: string; text: string }[]) =>
  messages.filter(({ role }) => role === "user").map(({ text }) => text);

describe("session_start", () => {
  it("Q-46 fires once per created session, after the creation event, with a source and no turn", async () => {
    scene.hooks({ on: "session_start" });
    const { agent } = await scene.agent(["one", "two"]);
    const conversation = await agent.open({ id: "s1" });
    expect(scene.types()).toEqual(["session_created"]);
    await conversation.send("a");
    await conversation.send("b");
    expect(scene.seen("session_start")).toHaveLength(1);
    expect(scene.seen("session_start")[0]).toMatchObject({ session_id: "s1", source: "startup" });
    expect(scene.seen("session_start")[0]).not.toHaveProperty("turn_id");
  });

  it("Q-47 a conversation that goes on says so by its source", async () => {
    scene.hooks({ on: "session_start" });
    const { agent } = await scene.agent(["one", "two"]);
    const first = await agent.open({ id: "s1" });
    await first.send("a");
    const second = await agent.open({ id: "s1", messages: first.messages });
    await second.send("b");
    expect(scene.seen("session_start").map(({ source }) => source)).toEqual(["startup", "resume"]);
    expect(userTexts(second.messages)).toEqual(["a", "b"]);
  });

  it("Q-48 it cannot block: continue:false leaves a visible record and the session works", async () => {
    scene.hooks({ on: "session_start", says: { continue: false, stop_reason: "no" } });
    const { agent } = await scene.agent(["done"]);
    const conversation = await agent.open();
    expect(await conversation.send("a")).toEqual({ status: "completed", text: "done" });
    expect(scene.of("notice")[0]?.notice).toMatchObject({ event_name: "session_start", is_error: false });
    expect(scene.records("notices")).toHaveLength(1);
  });

  it("what it has to say reaches the model before the first prompt, as the hooks' words", async () => {
    const says = { hook_specific_output: { hook_event_name: "session_start", additional_context: "tabs, not spaces" } };
    scene.hooks({ on: "session_start", says });
    const { agent, model } = await scene.agent(["done"]);
    await (await agent.open()).send("a");
    expect(userTexts(model.requests[0]?.messages ?? [])).toEqual([
      expect.stringMatching(/^<hook-context source="hooks, not the user">\n- tabs, not spaces\n/),
      "a",
    ]);
  });
});

describe("user_prompt_submit", () => {
  it("Q-49 the hook sees the prompt after slash expansion", async () => {
    scene.hooks({ on: "user_prompt_submit" });
    const slashCommands = { review: "Review the files in $ARGUMENTS." };
    const { agent, model } = await scene.agent(["done"], { slashCommands });
    await (await agent.open()).send("/review src/core");
    expect(scene.seen("user_prompt_submit")[0]).toMatchObject({ prompt: "Review the files in src/core." });
    expect(userTexts(model.requests[0]?.messages ?? [])).toEqual(["Review the files in src/core."]);
  });

  it("Q-50 a block: the prompt is not stored, the caller and the event stream have the reason, no model is called", async () => {
    scene.hooks({ on: "user_prompt_submit", says: { decision: "block", reason: "no secrets here" } });
    const { agent, model } = await scene.agent(["never"]);
    const conversation = await agent.open();
    expect(await conversation.send("the password is x")).toEqual({ status: "refused", text: "no secrets here" });
    expect(conversation.messages).toEqual([]);
    expect(model.requests).toEqual([]);
    expect(scene.of("error").map(({ message }) => message)).toEqual(["no secrets here"]);
  });

  it("Q-51 without a block the prompt is stored unchanged, whatever context comes with it", async () => {
    const says = {
      hook_specific_output: { hook_event_name: "user_prompt_submit", additional_context: "branch: main" },
    };
    scene.hooks({ on: "user_prompt_submit", says });
    const { agent } = await scene.agent(["done"]);
    const conversation = await agent.open();
    const prompt = "  do it <now>\n";
    await conversation.send(prompt);
    expect(conversation.messages).toContainEqual({ role: "user", text: prompt });
    expect(userTexts(conversation.messages)[0]).toContain("branch: main");
  });
});

describe("a session", () => {
  it("ends once, and a hook hears of it", async () => {
    const { agent } = await scene.agent(["done"]);
    const conversation = await agent.open();
    await conversation.end("the person left");
    await conversation.end("again");
    expect(scene.of("session_ended").map(({ reason }) => reason)).toEqual(["the person left"]);
    expect(scene.records("audit").map(({ event }) => event)).toEqual(["session_start", "session_end"]);
    await expect(conversation.send("a")).rejects.toThrow("has ended");
  });

  it("has one turn at a time", async () => {
    const { agent } = await scene.agent(["one", "two"]);
    const conversation = await agent.open();
    const first = conversation.send("a");
    await expect(conversation.send("b")).rejects.toThrow("busy with another turn");
    expect(await first).toMatchObject({ text: "one" });
  });

  it("that ends during a turn cancels it and ends after it, once: nothing happens in a session that is over", async () => {
    const conversations: Conversation[] = [];
    let ending = Promise.resolve();
    const ends: Tool = {
      name: "ends",
      description: "",
      input: {},
      needsPermission: false,
      run: async () => {
        ending = conversations[0]?.end("the person left") ?? ending;
        await ending;
        return "ended";
      },
    };
    const { agent } = await scene.agent([calls(call("ends", {})), "and on it goes"], { tools: [ends] });
    const conversation = await agent.open();
    conversations.push(conversation);
    expect(await conversation.send("a")).toMatchObject({ status: "cancelled" });
    await expect(conversation.send("b")).rejects.toThrow("has ended");
    await conversation.end("again");
    await ending;
    const events = scene.records("audit").map(({ event }) => event);
    expect(events.filter((event) => event === "session_end")).toHaveLength(1);
    expect(events.at(-1)).toBe("session_end");
    expect(scene.of("session_ended").map(({ reason }) => reason)).toEqual(["the person left"]);
  });
});
