/** What Holdfast promises in every SDK. One list; each binding is run through it with the real package. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defineHook } from "../../src/custom/define-hook.ts";
import { withExtensions } from "./conformance-extensions.ts";
import { traps } from "./conformance-traps.ts";
import type { Driver, ModelStep, Ran } from "./driver.ts";
import { scenariosOf } from "./scenarios.ts";
import { rule, type Workbench, workbench } from "./workbench.ts";

const DONE: ModelStep = { text: "done" };
const bash = (command: string, id = "call_1") => ({ id, name: "bash", input: { command } });
const oneCall = (command: string): readonly ModelStep[] => [{ calls: [bash(command)] }, DONE];
const commandOf = (input: unknown) => (input as { command: string }).command;

const blocks = defineHook({ name: "no", on: ["pre_tool_use"], judge: () => ({ block: "not on a Sunday" }) });
const asks = defineHook({ name: "asks", on: ["pre_tool_use"], judge: () => ({ ask: "is this fine?" }) });

export function conformance(driver: Driver): void {
  withExtensions(driver);
  traps(driver);
  let bench: Workbench;
  beforeEach(() => {
    bench = workbench();
  });
  afterEach(() => bench.close());

  const where = scenariosOf(driver);
  const commands = () => bench.toolRuns.map(({ input }) => commandOf(input));

  describe(`${driver.name}: tool calls`, () => {
    it("without hooks the tool runs and the model sees its output", async () => {
      const { modelSaw, answer } = await bench.run(driver, { script: oneCall("ls") });
      expect(commands()).toEqual(["ls"]);
      expect(modelSaw).toHaveLength(2);
      expect(modelSaw[1]).toContain("output of ls");
      expect(answer).toContain("done");
    });

    it("Q-52 a blocked tool is not run, the model reads the reason, and the turn goes on", async () => {
      const { modelSaw, answer } = await bench.run(driver, { hooks: [blocks], script: oneCall("ls") });
      expect(commands()).toEqual([]);
      expect(modelSaw[1]).toContain("not on a Sunday");
      expect(answer).toContain("done");
    });

    where("see a shell command", "the built-in rules of a coding agent hold, unchanged", async () => {
      const { modelSaw } = await bench.run(driver, { script: oneCall("git push --force origin main") });
      expect(commands()).toEqual([]);
      expect(modelSaw[1]).toContain("git/force-push-protected");
    });

    it("a command hook of the config holds", async () => {
      const config = rule("bash$", "deny", "use the fetch tool");
      const script = oneCall("curl example.com");
      const { modelSaw } = await bench.run(driver, { config, script });
      expect(commands()).toEqual([]);
      expect(modelSaw[1]).toContain("use the fetch tool");
    });

    it("Q-57 a rewritten input is what runs, and what hooks after the call see", async () => {
      const seenAfter: string[] = [];
      const hooks = [
        defineHook({ name: "dry", on: ["pre_tool_use"], judge: () => ({ rewrite: { command: "deploy --dry-run" } }) }),
        defineHook({
          name: "after",
          on: ["post_tool_use"],
          judge: ({ tool }) => void seenAfter.push(commandOf(tool.input)),
        }),
      ];
      const { modelSaw } = await bench.run(driver, { hooks, script: oneCall("deploy --now") });
      expect(commands()).toEqual(["deploy --dry-run"]);
      expect(seenAfter).toEqual(["deploy --dry-run"]);
      expect(modelSaw[1]).toContain("output of deploy --dry-run");
      if (driver.history === "original") expect(modelSaw[1]).toContain("deploy --now");
      else expect(modelSaw[1]).not.toContain("deploy --now");
    });

    it("Q-59 a rewrite that the tool's schema refuses does not run, and its hook is reported", async () => {
      const hooks = [
        defineHook({ name: "spoils", on: ["pre_tool_use"], judge: () => ({ rewrite: { command: "x", extra: 7 } }) }),
      ];
      const { modelSaw, answer } = await bench.run(driver, { hooks, script: oneCall("ls") });
      expect(commands()).toEqual([]);
      expect(modelSaw[1]).toContain("spoils");
      expect(answer).toContain("done");
      expect(bench.records("notices")).toMatchObject([{ hook: "spoils" }]);
    });

    it("a rewritten output is all that the model sees", async () => {
      const hooks = [defineHook({ name: "hides", on: ["post_tool_use"], judge: () => ({ rewrite: "[hidden]" }) })];
      const tools = [bench.bash(() => "the key is 12345")];
      const { modelSaw } = await bench.run(driver, { hooks, tools, script: oneCall("ls") });
      expect(modelSaw[1]).toContain("[hidden]");
      expect(modelSaw.join()).not.toContain("12345");
    });

    it("Q-70 an output that hooks block is replaced by the reason", async () => {
      const hooks = [defineHook({ name: "bars", on: ["post_tool_use"], judge: () => ({ block: "too private" }) })];
      const tools = [bench.bash(() => "the key is 12345")];
      const { modelSaw } = await bench.run(driver, { hooks, tools, script: oneCall("ls") });
      expect(modelSaw[1]).toContain("too private");
      expect(modelSaw.join()).not.toContain("12345");
    });

    it("Q-69 a tool that fails is looked at too, the model reads its error, and the run goes on", async () => {
      const seen: unknown[] = [];
      const hooks = [
        defineHook({ name: "looks", on: ["post_tool_use"], judge: ({ failed }) => void seen.push(failed) }),
      ];
      const tools = [
        bench.bash(() => {
          throw new Error("disk is full");
        }),
      ];
      const { modelSaw, answer } = await bench.run(driver, { hooks, tools, script: oneCall("ls") });
      expect(seen).toEqual([true]);
      expect(modelSaw[1]).toContain("disk is full");
      expect(answer).toContain("done");
    });

    it("Q-60 parallel calls are judged each by itself", async () => {
      const hooks = [
        defineHook({
          name: "no-b",
          on: ["pre_tool_use"],
          judge: ({ tool }) => (commandOf(tool.input) === "b" ? { block: "b is out" } : undefined),
        }),
      ];
      const script = [{ calls: [bash("a", "call_1"), bash("b", "call_2"), bash("c", "call_3")] }, DONE];
      const { modelSaw } = await bench.run(driver, { hooks, script });
      expect(commands().sort()).toEqual(["a", "c"]);
      for (const text of ["output of a", "b is out", "output of c"]) expect(modelSaw[1]).toContain(text);
    });

    where("tool context", "context of a tool call reaches the model with the next request", async () => {
      const hooks = [
        defineHook({ name: "before", on: ["pre_tool_use"], judge: () => ({ context: "mind the gap" }) }),
        defineHook({ name: "after", on: ["post_tool_use"], judge: () => ({ context: "mind the step" }) }),
      ];
      const { modelSaw } = await bench.run(driver, { hooks, script: oneCall("ls") });
      expect(modelSaw[0]).not.toContain("mind the");
      expect(modelSaw[1]).toContain("mind the gap");
      expect(modelSaw[1]).toContain("mind the step");
      expect(modelSaw[1]).toContain("output of ls");
    });

    it("every call is in the audit, blocked ones too, with who acted", async () => {
      const hooks = [
        defineHook({
          name: "no-b",
          on: ["pre_tool_use"],
          judge: ({ tool }) => (commandOf(tool.input) === "b" ? { block: "b is out" } : undefined),
        }),
      ];
      const script = [{ calls: [bash("a")] }, { calls: [bash("b", "call_2")] }, DONE];
      await bench.run(driver, { hooks, script });
      const lines = bench.records("audit").filter(({ event }) => /tool_use/.test(String(event)));
      expect(lines.map(({ event, decision }) => [event, decision])).toEqual([
        ["pre_tool_use", "none"],
        ["post_tool_use", "none"],
        ["pre_tool_use", "block"],
      ]);
      expect(lines[0]?.input).toMatchObject({ user: "mona" });
    });
  });

  describe(`${driver.name}: hooks that fail`, () => {
    const crash = () => {
      throw new Error("boom");
    };
    const hang = () => new Promise<undefined>(() => {});
    for (const [how, judge, said] of [
      ["crashes", crash, "boom"],
      ["hangs", hang, "time"],
    ] as const) {
      it(`a guard that ${how} blocks that call only, and is reported`, async () => {
        const hooks = [defineHook({ name: "guard", on: ["pre_tool_use"], onError: "block", timeoutMs: 50, judge })];
        const { modelSaw, answer } = await bench.run(driver, { hooks, script: oneCall("ls") });
        expect(commands()).toEqual([]);
        expect(modelSaw[1]).toContain(said);
        expect(answer).toContain("done");
        expect(bench.records("notices")).toMatchObject([{ hook: "guard" }]);
      });

      it(`advice that ${how} stops nothing, and is reported`, async () => {
        const hooks = [defineHook({ name: "advice", on: ["pre_tool_use"], onError: "continue", timeoutMs: 50, judge })];
        const { answer } = await bench.run(driver, { hooks, script: oneCall("ls") });
        expect(commands()).toEqual(["ls"]);
        expect(answer).toContain("done");
        expect(bench.records("notices")).toMatchObject([{ hook: "advice" }]);
      });
    }
  });

  describe(`${driver.name}: asking`, () => {
    it("Q-55 what a hook asks about runs once a person says yes", async () => {
      const asked: string[] = [];
      const ask = ({ reason }: { reason: string }) => {
        asked.push(reason);
        return { allow: true } as const;
      };
      await bench.run(driver, { hooks: [asks], ask, script: oneCall("ls") });
      expect(asked).toHaveLength(1);
      expect(asked[0]).toContain("is this fine?");
      expect(commands()).toEqual(["ls"]);
    });

    it("Q-65 after a no the tool does not run and the model is told", async () => {
      const ask = () => ({ allow: false, reason: "mona said no" }) as const;
      const { modelSaw, answer } = await bench.run(driver, { hooks: [asks], ask, script: oneCall("ls") });
      expect(commands()).toEqual([]);
      expect(modelSaw[1]).toContain("mona said no");
      expect(answer).toContain("done");
    });

    it("where nobody can be asked the call is blocked, with the question as its reason", async () => {
      const { modelSaw } = await bench.run(driver, { hooks: [asks], script: oneCall("ls") });
      expect(commands()).toEqual([]);
      expect(modelSaw[1]).toContain("is this fine?");
    });

    it("Q-64 a hook may answer in the person's place", async () => {
      const answers = defineHook({ name: "yes", on: ["permission_request"], judge: () => ({ allow: true }) });
      await bench.run(driver, { hooks: [asks, answers], script: oneCall("ls") });
      expect(commands()).toEqual(["ls"]);
    });

    where("suspend", "a run waits for a person, and goes on with their yes", async () => {
      const first = await bench.run(driver, { hooks: [asks], suspend: true, script: oneCall("ls") });
      expect(commands()).toEqual([]);
      expect(first.suspended?.reason).toContain("is this fine?");
      const then = await first.suspended?.resume({ approve: true });
      expect(commands()).toEqual(["ls"]);
      expect(then?.modelSaw.at(-1)).toContain("output of ls");
      expect(then?.answer).toContain("done");
    });

    where("suspend", "a run waits for a person, and their no is what the model reads", async () => {
      const first = await bench.run(driver, { hooks: [asks], suspend: true, script: oneCall("ls") });
      const then = await first.suspended?.resume({ approve: false });
      expect(commands()).toEqual([]);
      expect(then?.modelSaw.at(-1)).toContain("a person said no");
      expect(then?.answer).toContain("done");
    });

    where("suspend", "on resume the rules are asked again: a yes does not outrank a new block", async () => {
      let judged = 0;
      const changes = defineHook({
        name: "changes",
        on: ["pre_tool_use"],
        judge: () => (++judged === 1 ? { ask: "is this fine?" } : { block: "closed meanwhile" }),
      });
      const first = await bench.run(driver, { hooks: [changes], suspend: true, script: oneCall("ls") });
      const then = await first.suspended?.resume({ approve: true });
      expect(commands()).toEqual([]);
      expect(then?.modelSaw.at(-1)).toContain("closed meanwhile");
    });

    where("suspend", "of parallel calls only the one that is asked about waits", async () => {
      const asksAboutB = defineHook({
        name: "asks",
        on: ["pre_tool_use"],
        judge: ({ tool }) => (commandOf(tool.input) === "b" ? { ask: "b as well?" } : undefined),
      });
      const script = [{ calls: [bash("a", "call_1"), bash("b", "call_2")] }, DONE];
      const first = await bench.run(driver, { hooks: [asksAboutB], suspend: true, script });
      expect(commands()).toEqual(["a"]);
      const then = await first.suspended?.resume({ approve: true });
      expect(commands()).toEqual(["a", "b"]);
      for (const text of ["output of a", "output of b"]) expect(then?.modelSaw.at(-1)).toContain(text);
    });
  });

  describe(`${driver.name}: whose question an answer is for`, () => {
    const APPROVAL = "approvals:\n  - { when: { tool: bash } }\n";
    const script = oneCall("ls");
    /** Where the SDK can, the new question is put; elsewhere the model reads it as the reason of a block. */
    const putOrBlocked = (then: Ran | undefined) => then?.suspended?.reason ?? then?.modelSaw.at(-1);

    where("suspend", "a yes to an approval answers no question that a hook has since", async () => {
      let isWorried = false;
      const worries = defineHook({
        name: "worries",
        on: ["pre_tool_use"],
        judge: () => (isWorried ? { ask: "on a Friday evening?" } : undefined),
      });
      const first = await bench.run(driver, { config: APPROVAL, hooks: [worries], suspend: true, script });
      const id = await bench.decide("approve");
      expect(first.suspended?.reason).toContain(id);
      isWorried = true;
      const then = await first.suspended?.resume({ approve: true });
      expect(commands()).toEqual([]);
      expect(putOrBlocked(then)).toContain("on a Friday evening?");
    });

    where("suspend", "what a hook asks besides an approval is put with it, and runs after both said yes", async () => {
      const first = await bench.run(driver, { config: APPROVAL, hooks: [asks], suspend: true, script });
      expect(first.suspended?.reason).toContain("is pending");
      expect(first.suspended?.reason).toContain("is this fine?");
      await bench.decide("approve");
      const then = await first.suspended?.resume({ approve: true });
      expect(commands()).toEqual(["ls"]);
      expect(then?.answer).toContain("done");
    });

    where("suspend", "a yes to one hook's question answers no other hook's", async () => {
      let question = "is this fine?";
      const changes = defineHook({ name: "changes", on: ["pre_tool_use"], judge: () => ({ ask: question }) });
      const first = await bench.run(driver, { hooks: [changes], suspend: true, script });
      expect(first.suspended?.reason).toContain("is this fine?");
      question = "with the customer's money?";
      const then = await first.suspended?.resume({ approve: true });
      expect(commands()).toEqual([]);
      expect(putOrBlocked(then)).toContain("with the customer's money?");
    });

    where("suspend", "an approval waits outside the process, and its denial is what the model reads", async () => {
      const first = await bench.run(driver, { config: APPROVAL, suspend: true, script });
      expect(commands()).toEqual([]);
      await bench.decide("deny", "not that one");
      const then = await first.suspended?.resume({ approve: true });
      expect(commands()).toEqual([]);
      expect(then?.modelSaw.at(-1)).toContain("not that one");
    });

    where("suspend", "a run that is resumed before people have decided runs nothing", async () => {
      const first = await bench.run(driver, { config: APPROVAL, suspend: true, script });
      const early = await first.suspended?.resume({ approve: true });
      expect(commands()).toEqual([]);
      if (!early?.suspended) return expect(early?.modelSaw.at(-1)).toContain("is pending");
      await bench.decide("approve");
      const then = await early.suspended.resume({ approve: true });
      expect(commands()).toEqual(["ls"]);
      expect(then.answer).toContain("done");
    });

    where("suspend", "of two answers to one question the last counts", async () => {
      const first = await bench.run(driver, { config: APPROVAL, hooks: [asks], suspend: true, script });
      const early = await first.suspended?.resume({ approve: true });
      if (!early?.suspended) return expect(commands()).toEqual([]);
      await bench.decide("approve");
      const then = await early.suspended.resume({ approve: false });
      expect(commands()).toEqual([]);
      expect(then.modelSaw.at(-1)).toContain("a person said no");
    });

    where(
      "suspend",
      "when a call that waited is over nothing is kept of what was asked, after a no either",
      async () => {
        for (const approve of [true, false]) {
          const first = await bench.run(driver, { hooks: [asks], suspend: true, script });
          expect(bench.questionsKept()).toHaveLength(1);
          const then = await first.suspended?.resume({ approve });
          expect(then?.answer).toContain("done");
          expect(bench.questionsKept()).toEqual([]);
        }
      },
    );

    where("suspend", "nor where hooks no longer ask when the run goes on", async () => {
      let judged = 0;
      const once = defineHook({
        name: "once",
        on: ["pre_tool_use"],
        judge: () => (++judged === 1 ? { ask: "is this fine?" } : undefined),
      });
      const first = await bench.run(driver, { hooks: [once], suspend: true, script });
      expect(bench.questionsKept()).toHaveLength(1);
      await first.suspended?.resume({ approve: true });
      expect(commands()).toEqual(["ls"]);
      expect(bench.questionsKept()).toEqual([]);
    });

    it("where two hooks ask, the person is asked both questions", async () => {
      const asked: string[] = [];
      const ask = ({ reason }: { reason: string }) => {
        asked.push(reason);
        return { allow: true } as const;
      };
      const also = defineHook({ name: "also", on: ["pre_tool_use"], judge: () => ({ ask: "and on a Friday?" }) });
      await bench.run(driver, { hooks: [asks, also], ask, script });
      expect(asked.join("\n")).toContain("is this fine?");
      expect(asked.join("\n")).toContain("and on a Friday?");
      expect(commands()).toEqual(["ls"]);
    });
  });

  describe(`${driver.name}: prompts and turns`, () => {
    where("block a prompt", "Q-50 a blocked prompt reaches no model, and the caller gets the reason", async () => {
      const hooks = [defineHook({ name: "no", on: ["user_prompt_submit"], judge: () => ({ block: "no secrets" }) })];
      const { modelSaw, answer } = await bench.run(driver, { hooks, script: [DONE] });
      expect(modelSaw).toEqual([]);
      expect(answer).toContain("no secrets");
    });

    where(
      "two messages at once",
      "Q-50 every message that nobody answered is looked at, not only the last",
      async () => {
        const hooks = [
          defineHook({
            name: "no-keys",
            on: ["user_prompt_submit"],
            judge: ({ prompt }) => (prompt.includes("12345") ? { block: "no keys" } : undefined),
          }),
        ];
        const said = ["the key is 12345"];
        const { modelSaw, answer } = await bench.run(driver, { hooks, said, prompt: "use it", script: [DONE] });
        expect(modelSaw).toEqual([]);
        expect(answer).toContain("no keys");
        const harmless = await bench.run(driver, { hooks, said: ["good day"], prompt: "go", script: [DONE] });
        expect(harmless.modelSaw[0]).toContain("good day");
      },
    );

    where("prompt context", "context of session start and prompt reaches the first request", async () => {
      const hooks = [
        defineHook({ name: "start", on: ["session_start"], judge: () => ({ context: "the house rules" }) }),
        defineHook({
          name: "prompt",
          on: ["user_prompt_submit"],
          judge: ({ prompt }) => ({ context: `about ${prompt}` }),
        }),
      ];
      const { modelSaw } = await bench.run(driver, { hooks, prompt: "the roof", script: [DONE] });
      expect(modelSaw).toHaveLength(1);
      expect(modelSaw[0]).toContain("the house rules");
      expect(modelSaw[0]).toContain("about the roof");
    });

    where(
      "continue a stop",
      "Q-74 a stop hook continues the turn once, with its reason and the whole turn",
      async () => {
        const seen: unknown[] = [];
        const hooks = [
          defineHook({
            name: "tests-first",
            on: ["stop"],
            judge({ lastAssistantMessage, continuations }) {
              seen.push([lastAssistantMessage, continuations]);
              return { continue: "run the tests first" };
            },
          }),
        ];
        const script = [
          { calls: [bash("ls")] },
          { text: "finished early" },
          { text: "tests pass" },
          { text: "too far" },
        ];
        const { modelSaw, answer } = await bench.run(driver, { hooks, script });
        expect(modelSaw).toHaveLength(3);
        expect(modelSaw[2]).toContain("run the tests first");
        expect(modelSaw[2]).toContain("output of ls");
        expect(answer).toContain("tests pass");
        expect(seen).toEqual([
          ["finished early", 0],
          ["tests pass", 1],
        ]);
      },
    );

    where("continue a stop", "29.9 how often hooks may continue a turn is bounded by the engine", async () => {
      const hooks = [defineHook({ name: "never-done", on: ["stop"], judge: () => ({ continue: "go on" }) })];
      const script = ["one", "two", "three", "four", "five"].map((text) => ({ text }));
      const { modelSaw, answer } = await bench.run(driver, { hooks, maxContinuations: 2, script });
      expect(modelSaw).toHaveLength(3);
      expect(answer).toContain("three");
    });

    where("continue a stop", "Q-80 a stop hook without an opinion lets the turn end", async () => {
      const hooks = [defineHook({ name: "looks", on: ["stop"], judge: () => undefined })];
      const { modelSaw, answer } = await bench.run(driver, { hooks, script: [DONE, { text: "too far" }] });
      expect(modelSaw).toHaveLength(1);
      expect(answer).toContain("done");
    });

    it("Q-101 all hooks of one turn see one turn and one session", async () => {
      const seen = new Set<string>();
      const hooks = [
        defineHook({
          name: "who",
          on: ["user_prompt_submit", "pre_tool_use", "post_tool_use", "stop"],
          judge: ({ session, turn }) => void seen.add(`${session} ${turn}`),
        }),
      ];
      await bench.run(driver, { hooks, script: oneCall("ls") });
      expect(seen.size).toBe(1);
      expect([...seen][0]).toMatch(/^\S+ \S+$/);
    });
  });

  describe(`${driver.name}: delegation`, () => {
    const delegating: readonly ModelStep[] = [
      { calls: [{ id: "call_1", name: "researcher", input: { objective: "count the files" } }] },
      DONE,
    ];
    const researcher = () => ({
      name: "researcher",
      description: "finds things out",
      script: [{ calls: [bash("ls", "call_9")] }, { text: "there are three" }],
      tools: [bench.bash()],
    });

    where("delegation", "a sub-agent's calls ask the same hooks, in its own name", async () => {
      const events: unknown[] = [];
      const hooks = [
        defineHook({
          name: "sees",
          on: ["pre_delegation", "delegation_start", "post_delegation"],
          judge: ({ name, targetAgentId, objective }) => void events.push([name, targetAgentId, objective]),
        }),
        defineHook({
          name: "guards",
          on: ["pre_tool_use"],
          judge: ({ agent, parentAgent, tool }) =>
            tool.name === "bash" ? { block: `not for ${agent} of ${parentAgent}` } : undefined,
        }),
      ];
      const { modelSaw, subAgentSaw, answer } = await bench.run(driver, {
        hooks,
        tools: [],
        subAgents: [researcher()],
        script: delegating,
      });
      expect(events).toEqual(
        ["pre_delegation", "delegation_start", "post_delegation"].map((name) => [
          name,
          "researcher",
          "count the files",
        ]),
      );
      expect(commands()).toEqual([]);
      expect(subAgentSaw[0]).toContain("count the files");
      expect(subAgentSaw[1]).toContain("not for researcher of lead");
      expect(modelSaw[1]).toContain("there are three");
      expect(answer).toContain("done");
    });

    where("delegation", "Q-88 a blocked delegation starts no sub-agent, and the model reads why", async () => {
      const hooks = [defineHook({ name: "no", on: ["pre_delegation"], judge: () => ({ block: "do it yourself" }) })];
      const ran = await bench.run(driver, { hooks, tools: [], subAgents: [researcher()], script: delegating });
      expect(ran.subAgentSaw).toEqual([]);
      expect(ran.modelSaw[1]).toContain("do it yourself");
      expect(ran.answer).toContain("done");
    });

    where("rewrite a delegation", "Q-89 a rewritten objective is what the sub-agent is asked", async () => {
      const hooks = [
        defineHook({ name: "w", on: ["pre_delegation"], judge: () => ({ rewrite: { objective: "count twice" } }) }),
      ];
      const ran = await bench.run(driver, { hooks, tools: [], subAgents: [researcher()], script: delegating });
      expect(ran.subAgentSaw[0]).toContain("count twice");
      expect(ran.subAgentSaw[0]).not.toContain("count the files");
    });
  });
}
