import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { answering, call, offlineProgram, resultOf, runGuarded, runInProject } from "./guarded-host.ts";
import { configureUserHooks, holdfast } from "./holdfast.ts";
import { describeRealHost } from "./scenarios.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

describeRealHost("opencode");

describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1")("OpenCode, which loads Holdfast into its own process", () => {
  const { says } = offlineProgram("opencode");
  const pluginFile = ".opencode/plugins/holdfast.js";
  let scratch: Scratch;

  beforeEach(async () => {
    scratch = await makeScratch();
  });
  afterEach(() => scratch.remove());

  const runOnce = (command: string) =>
    runInProject("opencode", scratch, { script: [{ tools: [call("call", says.shell(command))] }, { text: "END" }] });

  test("a person's module blocks in the host's own runtime", async () => {
    await scratch.write("config/hooks/no-forbidden.ts", MODULE);
    const hooks = { enabled: true, pre_tool_use: [{ hooks: [{ type: "module", path: "./hooks/no-forbidden.ts" }] }] };
    await scratch.write("config/holdfast.yaml", stringify({ version: 1, hooks }));
    await holdfast(scratch, "init", "--yes", "--hosts", "opencode");
    const run = await runInProject("opencode", scratch, {
      script: [
        { tools: [call("blocked", says.shell("printf forbidden > blocked.txt"))] },
        { tools: [call("passed", says.shell("printf fine > passed.txt"))] },
        { text: "END" },
      ],
    });

    expect(resultOf(run, "blocked"), run.story).toContain("Blocked by holdfast: REASON-MODULE");
    expect(scratch.read("blocked.txt"), run.story).toBeUndefined();
    expect(scratch.read("passed.txt"), run.story).toBe("fine");
  });

  test("where Holdfast is gone, nothing runs and the model is told what to do", async () => {
    await configureUserHooks(scratch, []);
    await holdfast(scratch, "init", "--yes", "--hosts", "opencode");
    const text = scratch.read(pluginFile) ?? "";
    await scratch.write(join("project", pluginFile), text.replace("plugin.cjs", "moved.cjs"));
    const run = await runOnce("printf ran > out.txt");

    expect(scratch.read("out.txt"), run.story).toBeUndefined();
    expect(resultOf(run, "call"), run.story).toMatch(
      /Blocked by holdfast: .*moved\.cjs cannot be loaded.*holdfast init/s,
    );
  });

  test("a call that is rewritten and commented on runs as rewritten, and the model reads the comment once", async () => {
    const output = { updated_input: { command: "printf rewritten > out.txt" }, additional_context: "CANARY-BESIDE" };
    const answer = { hook_specific_output: { hook_event_name: "pre_tool_use", ...output } };
    const run = await runGuarded(
      "opencode",
      scratch,
      [{ event: "pre_tool_use", matcher: "^shell$", script: answering(answer) }],
      { script: [{ tools: [call("call", says.shell("printf original > out.txt"))] }, { text: "END" }] },
    );

    expect(scratch.read("out.txt"), run.story).toBe("rewritten");
    expect(resultOf(run, "call"), run.story).toContain("CANARY-BESIDE");
  });

  test("what failed is in the ledger as failed, whether OpenCode calls it an error or not", async () => {
    const run = await runGuarded("opencode", scratch, [], {
      script: [
        { tools: [call("exits", says.shell("exit 3"))] },
        { tools: [call("missing", says.read(`${scratch.projectDir}/not there.txt`))] },
        { text: "END" },
      ],
    });

    const lines = (scratch.read(".holdfast/tracking/ledger.jsonl") ?? "").split("\n").filter(Boolean);
    for (const word of ["exit 3", "not there.txt"]) {
      const line = lines.find((candidate) => candidate.includes(word)) ?? "{}";
      expect(JSON.parse(line), `${word}\n${lines.join("\n")}\n${run.story}`).toMatchObject({ success: false });
    }
  });

  test("a command is judged in the directory it names, under the rules of the project", async () => {
    await configureUserHooks(scratch, []);
    await scratch.write("home/precious/kept.txt", "kept");
    await holdfast(scratch, "init", "--yes", "--hosts", "opencode");
    const outside = { name: "bash", input: { command: "rm -rf .", workdir: scratch.home, description: "d" } };
    const run = await runInProject("opencode", scratch, {
      script: [{ tools: [call("outside", outside)] }, { text: "END" }],
    });

    expect(resultOf(run, "outside"), run.story).toContain("Blocked by holdfast");
    expect(existsSync(join(scratch.home, "precious", "kept.txt")), run.story).toBe(true);
  });

  test("registered for the project and for the person, a call is judged once", async () => {
    await configureUserHooks(scratch, []);
    await holdfast(scratch, "init", "--yes", "--hosts", "opencode");
    await holdfast(scratch, "init", "--yes", "--user", "--hosts", "opencode");
    expect(await holdfast(scratch, "init", "--yes", "--hosts", "opencode")).toContain("already registered");
    const run = await runOnce("printf once > out.txt");

    const ledger = (scratch.read(".holdfast/tracking/ledger.jsonl") ?? "").split("\n").filter(Boolean);
    expect(
      ledger.filter((line) => line.includes("printf once")),
      run.story,
    ).toHaveLength(1);
    expect(run.stderr, run.story).not.toContain("holdfast");
  });
});

const MODULE = `import { defineHook } from "holdfast";

const REASON: string = "REASON-MODULE";

export default defineHook({
  name: "no-forbidden",
  on: ["pre_tool_use"],
  when: { kind: "shell" },
  judge: (event) => (event.tool.command.includes("forbidden") ? { block: REASON } : undefined),
});
`;
