import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type OfflineResult, runOffline } from "../../src/proof/offline-run.ts";
import type { ModelScript } from "../../src/proof/script.ts";
import { answering, blockingWhenItSees, call, offlineProgram, resultOf, runInProject, told } from "./guarded-host.ts";
import { configureUserHooks, holdfast, holdfastEnvironment, type ShellHook } from "./holdfast.ts";
import { installedHost } from "./installed-host.ts";
import { withPi } from "./pi-with-person.ts";
import { describeRealHost } from "./scenarios.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

describeRealHost("pi");

const { says } = offlineProgram("pi");
let scratch: Scratch;

beforeEach(async () => {
  scratch = await makeScratch();
});
afterEach(() => scratch.remove());

const describeOnRealHosts = describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1");
const EXTENSION = ".pi/extensions/holdfast.js";

describeOnRealHosts("pi and its trust in projects", () => {
  test("a project that a person vouched for is guarded without --approve", async () => {
    await configureUserHooks(scratch, [guardForbidden]);
    await holdfast(scratch, "init", "--yes", "--hosts", "pi");
    const run = await runAsTrusted(FORBIDDEN);

    expect(resultOf(run, "call"), run.story).toContain("REASON-FORBIDDEN");
    expect(scratch.read("out.txt"), run.story).toBeUndefined();
  });

  test("uninstall takes the trust back, and gives what a person trusted its old bytes", async () => {
    const before = `{"/elsewhere"  :true}`;
    const store = await scratch.write("home/.pi/agent/trust.json", before);
    await holdfast(scratch, "init", "--yes", "--hosts", "pi");
    expect(JSON.parse(readFileSync(store, "utf8"))).toEqual({ "/elsewhere": true, [scratch.projectDir]: true });
    await holdfast(scratch, "uninstall");
    expect(readFileSync(store, "utf8")).toBe(before);
  });

  test("without it pi does not load us and says nothing: only what a person registered for all projects is loaded", async () => {
    await configureUserHooks(scratch, [guardForbidden]);
    await holdfast(scratch, "init", "--hosts", "pi");
    await runAsTrusted(FORBIDDEN);
    expect(scratch.read("out.txt")).toBe("forbidden");

    await holdfast(scratch, "init", "--user", "--hosts", "pi");
    const run = await runAsTrusted({ script: [{ tools: [call("call", says.shell("printf forbidden > b.txt"))] }] });
    expect(scratch.read("b.txt"), run.story).toBeUndefined();
  });

  /** As a person runs it: nothing is trusted but what the home says is. */
  async function runAsTrusted(script: ModelScript): Promise<OfflineResult> {
    return runOffline({
      ...(await installedHost("pi")),
      program: offlineProgram("pi"),
      script,
      prompt: "go",
      homeDir: scratch.home,
      projectDir: scratch.projectDir,
      env: holdfastEnvironment(scratch),
      trustAsIs: true,
      timeoutMs: 60_000,
    });
  }
});

describeOnRealHosts("Holdfast in pi's own process", () => {
  test("module hooks run there, in TypeScript, and what they print stays out of pi's answer", async () => {
    await scratch.write(
      "config/rewrite.ts",
      `import { defineHook } from "holdfast";
export default defineHook({
  name: "rewrite", on: ["pre_tool_use"], when: { kind: "shell" },
  judge(event) {
    console.log("PRINTED-BY-HOOK");
    return { rewrite: { ...event.tool.input, command: "printf module > out.txt" } };
  },
});
`,
    );
    await scratch.write(
      "config/holdfast.yaml",
      `version: 1\nhooks:\n  pre_tool_use:\n    - hooks: [{ type: module, path: ./rewrite.ts }]\n`,
    );
    await holdfast(scratch, "init", "--yes", "--hosts", "pi");
    const run = await runInProject("pi", scratch, {
      script: [{ tools: [call("call", says.shell("printf original > out.txt"))] }, { text: "END" }],
    });

    expect(scratch.read("out.txt"), run.story).toBe("module");
    expect(run.stdout).not.toContain("PRINTED-BY-HOOK");
    expect(run.exitCode, run.story).toBe(0);
  });

  test("where Holdfast cannot be loaded nothing runs, and the person reads what to do", async () => {
    await configureUserHooks(scratch, []);
    await holdfast(scratch, "init", "--yes", "--hosts", "pi");
    const text = scratch.read(EXTENSION) ?? "";
    await scratch.write(`project/${EXTENSION}`, text.replace("plugin.cjs", "gone.cjs"));
    const run = await runInProject("pi", scratch, FORBIDDEN);

    expect(scratch.read("out.txt"), run.story).toBeUndefined();
    expect(run.model.requests, run.story).toEqual([]);
    expect(run.stderr, run.story).toMatch(/Blocked by holdfast: its rules could not be loaded .*holdfast init/);
  });

  test("output that a hook rewrote is what the model reads, also of a call that failed", async () => {
    const output = { hook_event_name: "post_tool_use", updated_output: "REWRITTEN" };
    await configureUserHooks(scratch, [
      { event: "post_tool_use", matcher: "^shell$", script: answering({ hook_specific_output: output }) },
    ]);
    await holdfast(scratch, "init", "--yes", "--hosts", "pi");
    const run = await runInProject("pi", scratch, {
      script: [
        { tools: [call("fine", says.shell("echo LINE-NOBODY-MAY-SEE"))] },
        { tools: [call("failed", says.shell("echo LINE-NOBODY-MAY-SEE; exit 3"))] },
        { text: "END" },
      ],
    });

    for (const id of ["fine", "failed"]) expect(resultOf(run, id), run.story).toBe("REWRITTEN");
    expect(told(run, "LINE-NOBODY-MAY-SEE"), run.story).toEqual([]);
  });

  test("registered for the project and for the person, a call is judged and recorded once", async () => {
    await configureUserHooks(scratch, [guardForbidden]);
    await holdfast(scratch, "init", "--yes", "--hosts", "pi");
    await holdfast(scratch, "init", "--user", "--hosts", "pi");
    const run = await runInProject("pi", scratch, {
      script: [
        { tools: [call("ran", says.shell("printf fine > fine.txt"))] },
        { tools: [call("blocked", says.shell("printf forbidden > out.txt"))] },
        { text: "END" },
      ],
    });

    expect(scratch.read("out.txt"), run.story).toBeUndefined();
    expect(recordsOf("ledger").length, run.story).toBe(1);
    const judged = recordsOf("audit").filter((line) => line.includes("pre_tool_use"));
    expect(judged.length, run.story).toBe(2);
  });

  test("a file is found by whatever spelling pi takes for it", async () => {
    await scratch.write("project/.env", "LINE-NOBODY-MAY-SEE");
    await configureUserHooks(scratch, []);
    await holdfast(scratch, "init", "--yes", "--hosts", "pi");
    const spellings = [".env", "@.env", `file://${encodeURI(scratch.projectDir)}/.env`, `${scratch.projectDir}/.env`];
    const run = await runInProject("pi", scratch, {
      script: [
        ...spellings.map((path, index) => ({ tools: [call(`read${index}`, says.read(path))] })),
        { text: "END" },
      ],
    });

    for (const index of spellings.keys()) expect(resultOf(run, `read${index}`), run.story).toContain("holds secrets");
    expect(told(run, "LINE-NOBODY-MAY-SEE"), run.story).toEqual([]);
  });

  const recordsOf = (name: string) =>
    readFileSync(join(scratch.projectDir, ".holdfast", "tracking", `${name}.jsonl`), "utf8")
      .split("\n")
      .filter(Boolean);
});

describeOnRealHosts("pi with a person at it", () => {
  const ask = { hook_event_name: "pre_tool_use", permission_decision: "ask", permission_decision_reason: "REASON-ASK" };
  const asking: ShellHook = {
    event: "pre_tool_use",
    matcher: "^shell$",
    script: answering({ hook_specific_output: { ...ask, updated_input: { command: "printf asked >> out.txt" } } }),
  };

  test("they are asked about the call as it would run: a yes runs it, a no is told to the model", async () => {
    await configureUserHooks(scratch, [asking]);
    await holdfast(scratch, "init", "--yes", "--hosts", "pi");
    const script = [
      { tools: [call("yes", says.shell("printf first > out.txt"))] },
      { tools: [call("no", says.shell("printf second > out.txt"))] },
      { text: "END" },
    ];
    let answers = 0;
    await withPi(
      scratch,
      { script },
      () => ++answers === 1,
      async ({ prompt, model, questions }) => {
        await prompt("go");
        expect(questions).toHaveLength(2);
        expect(questions[0]).toContain("REASON-ASK");
        expect(questions[0]).toContain("printf asked >> out.txt");
        expect(scratch.read("out.txt")).toBe("asked");
        expect(model.toolResults().get("no")?.text).toMatch(/^Blocked by holdfast: REASON-ASK\nThe person was asked/);
      },
    );
  });

  test("a compaction that a hook forbids does not happen, and the person reads why", async () => {
    await smallSessions();
    await configureUserHooks(scratch, [
      { event: "pre_compaction", script: answering({ decision: "block", reason: "REASON-KEEP" }) },
    ]);
    await holdfast(scratch, "init", "--yes", "--hosts", "pi");
    await withPi(
      scratch,
      { script: TALK },
      () => false,
      async ({ prompt, command, shown }) => {
        await prompt("first");
        await prompt("second");
        expect(await command({ type: "compact" })).toMatchObject({ success: false });
        expect(shown).toEqual(["Blocked by holdfast: REASON-KEEP"]);
      },
    );
  });

  test("after a compaction the model is told again what it was told at the start", async () => {
    await smallSessions();
    const events = ["session_start", "pre_compaction", "post_compaction"];
    await configureUserHooks(
      scratch,
      events.map((event) => ({ event, script: telling(event) })),
    );
    await holdfast(scratch, "init", "--yes", "--hosts", "pi");
    await withPi(
      scratch,
      { script: TALK },
      () => false,
      async ({ prompt, command, model }) => {
        const last = () =>
          model.requests
            .filter(({ lane }) => lane === "main")
            .at(-1)
            ?.turn?.texts.join("\n") ?? "";
        await prompt("first");
        expect(last()).toContain("CANARY-session_start");
        await prompt("second");
        expect(await command({ type: "compact" })).toMatchObject({ success: true });
        await prompt("third");
        for (const event of events) expect(last(), event).toContain(`CANARY-${event}`);
        expect(last().match(/CANARY-session_start/g), last()).toHaveLength(1);
      },
    );
  });

  test("what is said to an agent at work is judged too, and starts no turn of its own", async () => {
    await configureUserHooks(scratch, [
      { event: "user_prompt_submit", script: blockingWhenItSees("SECRET-PLAN", "REASON-PROMPT") },
      { event: "user_prompt_submit", script: telling("user_prompt_submit") },
    ]);
    await holdfast(scratch, "init", "--yes", "--hosts", "pi");
    const script = [{ tools: [call("slow", says.shell("sleep 2"))] }, { text: "ONE" }, { text: "TWO" }];
    await withPi(
      scratch,
      { script },
      () => false,
      async ({ prompt, send, shown, model }) => {
        await prompt("go", () => send({ type: "steer", message: "the SECRET-PLAN" }));
        expect(shown).toEqual([expect.stringContaining("REASON-PROMPT")]);
        expect(model.textsSentToModel().filter((text) => text.includes("SECRET-PLAN"))).toEqual([]);
        expect(model.textsSentToModel().filter((text) => text.includes("CANARY-user_prompt_submit"))).toHaveLength(1);
        expect(model.requests.map(({ answer }) => answer?.text)).toEqual([undefined, "ONE"]);
      },
    );
  });

  test("context at the end of a turn starts no other one, and is read with the next prompt", async () => {
    await configureUserHooks(scratch, [{ event: "stop", script: telling("stop") }]);
    await holdfast(scratch, "init", "--yes", "--hosts", "pi");
    await withPi(
      scratch,
      { script: TALK },
      () => false,
      async ({ prompt, model }) => {
        await prompt("first");
        expect(model.requests).toHaveLength(1);
        await prompt("second");
        expect(model.requests).toHaveLength(2);
        expect(model.requests[1]?.turn?.texts.join("\n")).toContain("CANARY-stop");
      },
    );
  });

  test("a person's own command is theirs: no hook looks at it", async () => {
    await configureUserHooks(scratch, [guardForbidden]);
    await holdfast(scratch, "init", "--yes", "--hosts", "pi");
    await withPi(
      scratch,
      { script: TALK },
      () => false,
      async ({ command }) => {
        expect(await command({ type: "bash", command: "printf forbidden > own.txt" })).toMatchObject({ success: true });
        expect(scratch.read("own.txt")).toBe("forbidden");
      },
    );
  });

  const TALK = [{ text: `FIRST ${"word ".repeat(50)}` }, { text: "SECOND" }, { text: "THIRD" }];

  /** So that there is something to compact after two prompts. */
  const smallSessions = () =>
    scratch.write(
      "home/.pi/agent/settings.json",
      JSON.stringify({ compaction: { keepRecentTokens: 5, reserveTokens: 100 } }),
    );

  const telling = (event: string) =>
    answering({ hook_specific_output: { hook_event_name: event, additional_context: `CANARY-${event}` } });
});

const FORBIDDEN: ModelScript = {
  script: [{ tools: [call("call", says.shell("printf forbidden > out.txt"))] }, { text: "END" }],
};

const guardForbidden: ShellHook = {
  event: "pre_tool_use",
  script: blockingWhenItSees("forbidden", "REASON-FORBIDDEN"),
};
