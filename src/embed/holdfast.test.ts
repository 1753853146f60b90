import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { defineHook } from "../custom/define-hook.ts";
import { sceneForEachTest } from "./embedded.fixture.ts";
import type { HoldfastOptions } from "./holdfast.ts";

const PATIENCE = { timeout: 60_000 };
const TOOLS = {
  bash: { kind: "shell", command: "command", required: ["command"] },
  write: { kind: "write", paths: ["path"], content: ["text"] },
} as const;

const scene = sceneForEachTest();
const { records } = scene;
const create = (options: HoldfastOptions = {}) => scene.create({ tools: TOOLS, ...options });

describe("an agent of one's own", () => {
  it("is guarded by the rules that guard a coding agent, and recorded as they are", async () => {
    const session = (await create()).session({ user: "mona", organisation: "acme", metadata: { team: "a" } });
    session.startTurn();
    const run = () => "should not run";
    const stopped = await session.callTool({ name: "bash", input: { command: "git push --force origin main" }, run });
    expect(stopped).toMatchObject({ status: "blocked", reason: expect.stringContaining("git/force-push-protected") });
    const ran = await session.callTool({ name: "bash", input: { command: "ls" }, id: "c2", run: () => "a.txt" });
    expect(ran).toEqual({ status: "ran", input: { command: "ls" }, output: "a.txt", failed: false, context: [] });
    expect(records("audit").map(({ host, event, decision }) => [host, event, decision])).toEqual([
      ["mine", "pre_tool_use", "block"],
      ["mine", "pre_tool_use", "none"],
      ["mine", "post_tool_use", "none"],
    ]);
    expect(records("audit")[0].input).toMatchObject({ user: "mona", organisation: "acme", metadata: { team: "a" } });
    expect(records("ledger")).toHaveLength(1);
  });

  it("a tool that fails is looked at too, and the model sees its error", async () => {
    const session = (await create()).session();
    const fails = () => {
      throw new Error("no such file");
    };
    expect(await session.callTool({ name: "bash", input: { command: "cat x" }, run: fails })).toMatchObject({
      status: "ran",
      output: "no such file",
      failed: true,
    });
    expect(records("ledger")[0]).toMatchObject({ success: false });
  });

  it("hooks in code see the session, rewrite the input and hide the output; a rewrite that the tool refuses blocks", async () => {
    const seen: unknown[] = [];
    const hooks = [
      defineHook({
        name: "to-dry-run",
        on: ["pre_tool_use"],
        judge(event) {
          seen.push([event.user, event.session, event.turn]);
          return { rewrite: { command: `${(event.tool.input as { command: string }).command} --dry-run` } };
        },
      }),
      defineHook({ name: "hide", on: ["post_tool_use"], judge: () => ({ rewrite: "hidden" }) }),
    ];
    const session = (await create({ hooks })).session({ id: "s1", user: "mona" });
    const turn = session.startTurn();
    const ran = await session.callTool({
      name: "bash",
      input: { command: "deploy" },
      run: ({ command }) => command ?? "",
    });
    expect(ran).toMatchObject({ status: "ran", input: { command: "deploy --dry-run" }, output: "hidden" });
    expect(seen).toEqual([["mona", "s1", turn]]);

    const spoilt = [defineHook({ name: "spoil", on: ["pre_tool_use"], judge: () => ({ rewrite: { command: 7 } }) })];
    const other = (await create({ hooks: spoilt })).session();
    const blocked = await other.callTool({ name: "bash", input: { command: "ls" }, run: () => "ran" });
    expect(blocked).toMatchObject({ status: "blocked", reason: expect.stringContaining('"command" must be a text') });
  });

  it("a person is asked once a hook wants it; without one, the call is blocked", async () => {
    const hooks = [defineHook({ name: "ask", on: ["pre_tool_use"], judge: () => ({ ask: "is this fine?" }) })];
    const call = { name: "bash", input: { command: "ls" }, run: () => "ran" };
    expect(await (await create({ hooks })).session().callTool(call)).toMatchObject({
      status: "blocked",
      reason: expect.stringContaining("is this fine?"),
    });
    const asked: string[] = [];
    const ask = ({ reason }: { reason: string }) => {
      asked.push(reason);
      return { allow: asked.length > 1 } as const;
    };
    const session = (await create({ hooks, ask })).session();
    expect(await session.callTool(call)).toMatchObject({ status: "blocked", reason: "a person said no to bash" });
    expect(await session.callTool(call)).toMatchObject({ status: "ran", output: "ran" });
    expect(asked).toHaveLength(2);
  });

  it("a hook that fails closes or opens its path, and says so live and in the records", async () => {
    const notices: string[] = [];
    const broken = (name: string, onError: "block" | "continue") =>
      defineHook({
        name,
        on: ["pre_tool_use"],
        onError,
        judge() {
          throw new Error("boom");
        },
      });
    const onNotice = ({ hook }: { hook: string | null }) => notices.push(hook ?? "");
    const open = (await create({ hooks: [broken("advice", "continue")], onNotice })).session();
    const call = { name: "bash", input: { command: "ls" }, run: () => "ran" };
    expect(await open.callTool(call)).toMatchObject({ status: "ran" });
    const closed = (await create({ hooks: [broken("guard", "block")], onNotice })).session();
    expect(await closed.callTool(call)).toMatchObject({ status: "blocked", reason: expect.stringContaining("boom") });
    expect(notices).toEqual(["advice", "guard"]);
    expect(records("notices").map(({ hook }) => hook)).toEqual(["advice", "guard"]);
  });

  it("a sub-agent's session is linked to its parent's and asks the same hooks", async () => {
    const agents: unknown[] = [];
    const hooks = [
      defineHook({
        name: "who",
        on: ["pre_tool_use"],
        judge({ agent, parentAgent, user }) {
          agents.push([agent, parentAgent, user]);
        },
      }),
    ];
    const parent = (await create({ hooks })).session({ agent: "lead", user: "mona" });
    const child = parent.child({ agent: "researcher" });
    await child.callTool({ name: "bash", input: { command: "ls" }, run: () => "" });
    expect(agents).toEqual([["researcher", "lead", "mona"]]);
    expect(child.id).not.toBe(parent.id);
  });

  it("Q-100 a mode that changes during a turn is seen by the next", async () => {
    const modes: unknown[] = [];
    const hooks = [
      defineHook({ name: "mode", on: ["stop"], judge: ({ permissionMode }) => void modes.push(permissionMode) }),
    ];
    const session = (await create({ hooks })).session();
    const stop = { stopReason: "end_turn", lastAssistantMessage: "", continuations: 0 };
    session.startTurn();
    session.setPermissionMode("plan");
    await session.fire("stop", stop);
    session.startTurn();
    await session.fire("stop", stop);
    expect(modes).toEqual(["default", "plan"]);
  });

  it("goes by the environment it was created with, whatever its program makes of that later", async () => {
    mkdirSync(join(scene.dir, "config"));
    const guard = "if [ $MODE = strict ]; then echo no deploys >&2; exit 2; fi";
    const rules = { hooks: { pre_tool_use: [{ hooks: [{ type: "command", command: guard }] }] } };
    writeFileSync(join(scene.dir, "config", "holdfast.yaml"), JSON.stringify(rules));
    const env = { ...scene.environment(), MODE: "strict" };
    const session = (await create({ env })).session();
    const call = { name: "bash", input: { command: "deploy" }, run: () => "ran" };
    const blocked = { status: "blocked", reason: expect.stringContaining("no deploys") };
    expect(await session.callTool(call)).toMatchObject(blocked);
    env.MODE = "lax";
    expect(await session.callTool(call)).toMatchObject(blocked);
    env.HOLDFAST_CONFIG_DIR = join(scene.dir, "nowhere");
    writeFileSync(join(scene.project, "holdfast.yaml"), "guards: {}\n");
    expect(await session.callTool(call)).toMatchObject(blocked);
  });

  it("has what a person answered handed in, also where nothing is judged after it", async () => {
    const program = join(scene.dir, "package", "bin", "holdfast");
    mkdirSync(join(program, ".."), { recursive: true });
    writeFileSync(
      program,
      `require("node:fs").appendFileSync(${JSON.stringify(join(scene.dir, "handed-in"))}, "once more\\n");`,
    );
    mkdirSync(join(scene.dir, "config"));
    const records = { server: "https://holdfast.example", token_env: "TOKEN" };
    writeFileSync(join(scene.dir, "config", "holdfast.yaml"), JSON.stringify({ records }));
    const hooks = [defineHook({ name: "ask", on: ["pre_tool_use"], judge: () => ({ ask: "is this fine?" }) })];
    const handIns = () =>
      existsSync(join(scene.dir, "handed-in")) ? readFileSync(join(scene.dir, "handed-in"), "utf8") : "";
    const ask = async () => {
      await vi.waitFor(() => expect(handIns()).toBe("once more\n"), PATIENCE);
      // Whoever hands in has ended meanwhile: a person takes longer to answer than it stays.
      rmSync(join(scene.dir, "state", "run"), { recursive: true });
      return { allow: false } as const;
    };
    const env = { ...scene.environment(), TOKEN: "secret" };
    const holdfast = await create({ env, hooks, ask, distDir: join(scene.dir, "package", "dist") });
    await holdfast.session().callTool({ name: "bash", input: { command: "ls" }, run: () => "ran" });
    await vi.waitFor(() => expect(handIns()).toBe("once more\nonce more\n"), PATIENCE);
  });

  it("with rules that cannot be read every call is blocked", async () => {
    writeFileSync(join(scene.project, "holdfast.yaml"), "hooks: [\n");
    const session = (await create()).session();
    const outcome = await session.callTool({ name: "bash", input: { command: "ls" }, run: () => "ran" });
    expect(outcome).toMatchObject({ status: "blocked", reason: expect.stringContaining("the rules cannot be read") });
  });

  it("29.3 with rules that become unreadable while a tool runs its output is withheld: they may have hidden something", async () => {
    const rules = join(scene.project, "holdfast.yaml");
    writeFileSync(rules, "guards:\n  redact-output: true\n");
    const session = (await create()).session();
    const run = () => {
      writeFileSync(rules, "guards:\n  redact-output: true\nx: [\n");
      return "what nobody redacted";
    };
    const outcome = await session.callTool({ name: "bash", input: { command: "ls" }, run });
    const output = expect.stringMatching(/^Error: the rules cannot be read: [\s\S]*every output withheld\.$/);
    expect(outcome).toMatchObject({ status: "ran", failed: true, output });
    expect(scene.records("ledger").at(-1)).toMatchObject({ tool_name: "bash", success: true });
  });
});
