import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Answer, EventName } from "../../src/core/event.ts";
import type { Delivery, SupportRow } from "../../src/hosts/host.ts";
import { hostById } from "../../src/hosts/registry.ts";
import {
  answering,
  blockingWhenItSees,
  call,
  offlineProgram,
  resultOf,
  runGuarded,
  runInProject,
  saidByModel,
  told,
} from "./guarded-host.ts";
import { configureUserHooks, holdfast, type ShellHook } from "./holdfast.ts";
import type { HostName } from "./installed-host.ts";
import { record } from "./matrix.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

// Only this folder's own vitest config sets the variable: the default run leaves these tests out.
const describeOnRealHosts = describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1");

/** The one suite every real program passes. What a host cannot do must be what its support table says. */
export function describeRealHost(host: HostName): void {
  const { title, support } = hostById(host) ?? { title: host, support: {} };
  const { says } = offlineProgram(host);
  const { mcp } = says;
  let scratch: Scratch;

  beforeEach(async () => {
    scratch = await makeScratch();
  });
  afterEach(() => scratch.remove());

  const inProject = (file: string) => `${scratch.projectDir}/${file}`;
  const prove = (capability: string, rule: string, body: () => Promise<void>) =>
    test(rule, () => record(host, capability, body));
  const deliveryOf = (event: EventName, answer: Answer): Delivery | undefined =>
    (support[event] as SupportRow | undefined)?.answers[answer];

  describeOnRealHosts(`${title}, the real program`, () => {
    prove("block a call", "a blocked call does not run, whatever its kind, and the model is told why", async () => {
      await scratch.write("project/kept.txt", "as it was");
      const run = await runGuarded(host, scratch, [guardForbidden], {
        script: [
          { tools: [call("shell", says.shell("printf forbidden > shell.txt"))] },
          { tools: [call("passed", says.shell("printf fine > passed.txt"))] },
          { tools: [call("write", says.write(inProject("written.txt"), "forbidden"))] },
          // Some hosts let a file be edited only once it was read.
          { tools: [call("read", says.read(inProject("kept.txt")))] },
          { tools: [call("edit", says.edit(inProject("kept.txt"), "as it was", "forbidden"))] },
          ...(mcp
            ? [
                { tools: [call("mcp", mcp("notes", "leave", { path: inProject("mcp.txt"), note: "forbidden" }))] },
                { tools: [call("mcp passed", mcp("notes", "leave", { path: inProject("note.txt"), note: "fine" }))] },
              ]
            : []),
          { text: "END" },
        ],
      });

      for (const id of ["shell", "write", "edit", ...(mcp ? ["mcp"] : [])]) {
        expect(resultOf(run, id), run.story).toContain("Blocked by holdfast: REASON-FORBIDDEN");
      }
      expect(scratch.read("shell.txt"), run.story).toBeUndefined();
      expect(scratch.read("written.txt"), run.story).toBeUndefined();
      expect(scratch.read("mcp.txt"), run.story).toBeUndefined();
      expect(scratch.read("kept.txt"), run.story).toBe("as it was");
      expect(scratch.read("passed.txt"), run.story).toBe("fine");
      if (mcp) expect(scratch.read("note.txt"), run.story).toBe("fine");
      expect(run.exitCode, run.story).toBe(0);
    });

    prove("parallel calls", "of two calls at once the one is blocked and the other runs", async () => {
      const run = await runGuarded(host, scratch, [guardForbidden], {
        script: [
          {
            tools: [
              call("blocked", says.shell("printf forbidden > blocked.txt")),
              call("passed", says.shell("printf fine > passed.txt")),
            ],
          },
          { text: "END" },
        ],
      });

      expect(resultOf(run, "blocked"), run.story).toContain("REASON-FORBIDDEN");
      expect(scratch.read("blocked.txt"), run.story).toBeUndefined();
      expect(scratch.read("passed.txt"), run.story).toBe("fine");
    });

    prove("rewrite a call", "a rewritten command runs as rewritten, or not at all", async () => {
      const rewrite = preToolUse({ updated_input: { command: "printf rewritten > out.txt" } });
      const run = await runGuarded(
        host,
        scratch,
        [{ event: "pre_tool_use", matcher: "^shell$", script: answering(rewrite) }],
        { script: [{ tools: [call("call", says.shell("printf original > out.txt"))] }, { text: "END" }] },
      );

      const delivery = deliveryOf("pre_tool_use", "rewrite");
      if (delivery === "native") expect(scratch.read("out.txt"), run.story).toBe("rewritten");
      else {
        expect(scratch.read("out.txt"), run.story).toBeUndefined();
        expect(resultOf(run, "call"), run.story).toContain("printf rewritten > out.txt");
      }
    });

    prove("context", "what hooks tell the model reaches it: at the start, with the prompt, around a call", async () => {
      const events = ["session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use"] as const;
      const tellers = events.map((event): ShellHook => {
        const output = { hook_event_name: event, additional_context: `CANARY-${event}` };
        return { event, script: answering({ hook_specific_output: output }) };
      });
      const run = await runGuarded(host, scratch, tellers, {
        prompt: "PROMPT-CANARY",
        script: [{ tools: [call("call", says.shell("printf ran > out.txt"))] }, { text: "END" }],
      });

      expect(scratch.read("out.txt"), run.story).toBe("ran");
      expect(told(run, "PROMPT-CANARY"), run.story).not.toEqual([]);
      for (const event of events) {
        if (deliveryOf(event, "context") !== "native") continue;
        expect(told(run, `CANARY-${event}`), `${event}\n${run.story}`).not.toEqual([]);
      }
    });

    prove("hide output", "a block after the call hides the output, where the host can hide it", async () => {
      await scratch.write("project/notes.txt", "LINE-NOBODY-MAY-SEE");
      const block = { decision: "block", reason: "REASON-WITHHELD" };
      const run = await runGuarded(
        host,
        scratch,
        [{ event: "post_tool_use", matcher: "^shell$", script: answering(block) }],
        { script: [{ tools: [call("call", says.shell("cat notes.txt; touch ran.txt"))] }, { text: "END" }] },
      );

      expect(scratch.read("ran.txt"), run.story).toBe("");
      const delivery = deliveryOf("post_tool_use", "block");
      if (delivery === "native" || (typeof delivery === "object" && "partly" in delivery)) {
        expect(told(run, "REASON-WITHHELD"), run.story).not.toEqual([]);
        expect(told(run, "LINE-NOBODY-MAY-SEE"), run.story).toEqual([]);
      } else expect(await noticesOf(scratch), run.story).toContain("undelivered");
    });

    prove("block a prompt", "a blocked prompt never reaches the model", async () => {
      const guard = { event: "user_prompt_submit", script: blockingWhenItSees("SECRET-PLAN", "REASON-PROMPT") };
      const run = await runGuarded(host, scratch, [guard], { prompt: "the SECRET-PLAN", script: [{ text: "END" }] });

      const delivery = deliveryOf("user_prompt_submit", "block");
      if (delivery === "native") expect(told(run, "SECRET-PLAN"), run.story).toEqual([]);
      else expect(await noticesOf(scratch), run.story).toContain("undelivered");
    });

    prove("continue a turn", "a stop hook that always wants more is heard exactly once", async () => {
      const goOn = { decision: "block", reason: "REASON-GO-ON" };
      const run = await runGuarded(host, scratch, [{ event: "stop", script: answering(goOn) }], {
        script: [{ text: "FIRST" }, { text: "SECOND" }, { text: "THIRD" }],
      });

      const goesOn = deliveryOf("stop", "continue") === "native";
      expect(saidByModel(run, "main"), run.story).toEqual(goesOn ? ["FIRST", "SECOND"] : ["FIRST"]);
      if (goesOn) expect(told(run, "REASON-GO-ON", "main"), run.story).not.toEqual([]);
    });

    const { delegate, endOfTask, wait } = says;
    if (delegate) {
      prove("sub-agents", "a sub-agent's command is blocked like the main agent's", async () => {
        const run = await runGuarded(host, scratch, [guardForbidden], {
          script: [
            { tools: [call("delegate", delegate("SUB-TASK: do it"))] },
            ...(wait ? [{ tools: [call("wait", wait())] }] : [{ text: "WAITING" }, { text: "STILL" }]),
            { text: "END" },
          ],
          subAgents: [
            {
              opening: "SUB-TASK",
              script: [
                { tools: [call("blocked", says.shell("printf forbidden > blocked.txt"))] },
                { tools: [call("passed", says.shell("printf fine > passed.txt"))] },
                endOfTask ? { tools: [call("end", endOfTask("SUB-END"))] } : { text: "SUB-END" },
              ],
            },
          ],
        });

        expect(resultOf(run, "blocked"), run.story).toContain("REASON-FORBIDDEN");
        expect(scratch.read("blocked.txt"), run.story).toBeUndefined();
        expect(scratch.read("passed.txt"), run.story).toBe("fine");
      });
    }

    prove("ask a person", "a call that needs a person's yes does not run without one", async () => {
      const ask = preToolUse({ permission_decision: "ask", permission_decision_reason: "REASON-ASK" });
      const run = await runGuarded(
        host,
        scratch,
        [{ event: "pre_tool_use", matcher: "^shell$", script: answering(ask) }],
        { script: [{ tools: [call("call", says.shell("printf ran > out.txt"))] }, { text: "END" }] },
      );

      expect(scratch.read("out.txt"), run.story).toBeUndefined();
      expect(told(run, "REASON-ASK"), run.story).not.toEqual([]);
    });

    prove("a guard that fails", "a guard that crashes, hangs or talks nonsense blocks the call", async () => {
      const run = await runGuarded(host, scratch, [failingGuard], {
        script: [
          ...FAILURES.map((failure) => ({ tools: [call(failure, says.shell(`printf ran > ${failure}.txt`))] })),
          { tools: [call("fine", says.shell("printf ran > fine.txt"))] },
          { text: "END" },
        ],
      });

      for (const failure of FAILURES) {
        expect(scratch.read(`${failure}.txt`), `${failure}\n${run.story}`).toBeUndefined();
        expect(resultOf(run, failure), run.story).toContain("Blocked by holdfast");
      }
      expect(scratch.read("fine.txt"), run.story).toBe("ran");
    });

    prove("broken config", "rules that cannot be read close the door", async () => {
      await configureUserHooks(scratch, []);
      await holdfast(scratch, "init", "--yes", "--hosts", host);
      await scratch.write("config/holdfast.yaml", "version: 1\nhooks: [\n");
      const run = await runInProject(host, scratch, {
        script: [{ tools: [call("call", says.shell("printf ran > out.txt"))] }, { text: "END" }],
      });

      expect(scratch.read("out.txt"), run.story).toBeUndefined();
    });

    prove("uninstall", "uninstall leaves no trace in the project, and nothing is blocked any more", async () => {
      await configureUserHooks(scratch, [guardForbidden]);
      const before = scratch.files();
      await holdfast(scratch, "init", "--yes", "--hosts", host);
      expect(scratch.files()).not.toEqual(before);
      await holdfast(scratch, "uninstall");
      expect(scratch.files()).toEqual(before);

      const run = await runInProject(host, scratch, {
        script: [{ tools: [call("call", says.shell("printf forbidden > out.txt"))] }, { text: "END" }],
      });
      expect(scratch.read("out.txt"), run.story).toBe("forbidden");
    });

    prove("ledger", "the ledger has a line for every call that ran, and none for one that did not", async () => {
      const run = await runGuarded(host, scratch, [guardForbidden], {
        script: [
          { tools: [call("ok", says.shell("printf ran > ran-ok.txt"))] },
          { tools: [call("blocked", says.shell("printf forbidden > ran-blocked.txt"))] },
          { tools: [call("written", says.write(inProject("ran-written.txt"), "written"))] },
          { text: "END" },
        ],
      });

      const ledger = scratch.read(".holdfast/tracking/ledger.jsonl") ?? "";
      expect(ledger, run.story).toContain("ran-ok.txt");
      expect(ledger, run.story).toContain("ran-written.txt");
      expect(ledger, run.story).not.toContain("ran-blocked.txt");
    });
  });
}

const guardForbidden: ShellHook = {
  event: "pre_tool_use",
  script: blockingWhenItSees("forbidden", "REASON-FORBIDDEN"),
};

const FAILURES = ["exits", "killed", "nonsense", "half", "hangs"];

const failingGuard: ShellHook = {
  event: "pre_tool_use",
  matcher: "^shell$",
  timeoutSec: 1,
  script: `payload=$(cat)
case $payload in
  *exits.txt*) exit 1 ;;
  *killed.txt*) kill -9 $$ ;;
  *nonsense.txt*) echo all is fine ;;
  *half.txt*) printf '{"decision": "app' ;;
  *hangs.txt*) sleep 30 ;;
esac
`,
};

async function noticesOf(scratch: Scratch): Promise<string> {
  return holdfast(scratch, "notices", "--json");
}

function preToolUse(output: object): object {
  return { hook_specific_output: { hook_event_name: "pre_tool_use", ...output } };
}
