import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../core/effect.ts";
import type { JsonObject } from "../core/json.ts";
import type { ToolCall } from "../core/tool.ts";
import type { Machine } from "./builtin.ts";
import { before, historyOf, judge, machine, toolCall } from "./hooks.fixture.ts";
import { DEFAULT_TEST_PATTERNS, isTestRun } from "./test-run.ts";
import { workflow } from "./workflow.ts";

const entry = (changes: Partial<LedgerEntry>): LedgerEntry => ({
  timestamp: "2026-11-13T16:00:00.000Z",
  host: "test",
  session: "session-1",
  agent: null,
  tool_name: "tool",
  tool_kind: "other",
  cwd: "/project",
  success: true,
  ...changes,
});
const ran = (command: string, success = true) =>
  entry({ tool_kind: "shell", tool_name: "Bash", input_summary: command, success });
const used = (name: string, success = true) => entry({ tool_kind: "mcp", tool_name: name, success });
const edit = entry({ tool_kind: "edit", paths: ["src/a.ts"] });

const verdict = (tool: ToolCall, past: readonly LedgerEntry[], options: JsonObject = {}) => {
  const on: Machine = { ...machine, historyOf: () => historyOf(past) };
  return judge(workflow, before(tool), { ...workflow.defaults, ...options }, on).opinion;
};

const plan = toolCall("write", { paths: [".holdfast/phases/one/plans/001.md"] });
const complete = toolCall("mcp", { name: "mcp__holdfast__state_transition", input: { step: "complete" } });

describe("plans", () => {
  it.each(["state_get", "@holdfast/state_get", "mcp__holdfast__state_init", "state_transition"])(
    "K-22 a plan is written only after %s was called",
    (name) => {
      expect(verdict(plan, []).kind).toBe("block");
      expect(verdict(plan, [used(name)]).kind).toBe("none");
      expect(verdict(plan, [used(name, false)]).kind).toBe("block");
    },
  );

  it("K-22 the path may be absolute or lead there by a detour", () => {
    expect(verdict(toolCall("write", { paths: ["/project/.holdfast/phases/p/plans/../plans/2.md"] }), []).kind).toBe(
      "block",
    );
  });

  it("K-22 a plan written by a command is a plan", () => {
    expect(verdict(toolCall("shell", { command: "cat > .holdfast/phases/p/plans/1.md <<E\nx\nE" }), []).kind).toBe(
      "block",
    );
  });

  it("K-23 writes elsewhere never need that", () => {
    for (const path of ["docs/plans/1.md", ".holdfast/phases/p/notes.md", ".holdfast/phases/p/plans/x.txt"]) {
      expect(verdict(toolCall("write", { paths: [path] }), []).kind).toBe("none");
    }
  });
});

describe("completing a phase", () => {
  it("K-24 needs a recorded test run; other steps never do", () => {
    expect(verdict(complete, []).kind).toBe("block");
    expect(verdict(complete, [ran("npm test")]).kind).toBe("none");
    expect(verdict({ ...complete, input: { step: "executed" } }, []).kind).toBe("none");
  });

  it("K-24 the step is the same through the command line", () => {
    const command = toolCall("shell", { command: "npx holdfast state transition complete" });
    expect(verdict(command, []).kind).toBe("block");
    expect(verdict(command, [ran("npm test")]).kind).toBe("none");
    expect(verdict(toolCall("shell", { command: "holdfast state transition executed" }), []).kind).toBe("none");
  });

  it("KB-4 the test run must have succeeded and come after the last edit", () => {
    expect(verdict(complete, [ran("npm test", false)]).kind).toBe("block");
    expect(verdict(complete, [ran("npm test"), edit]).kind).toBe("block");
    expect(verdict(complete, [edit, ran("npm test"), ran("ls")]).kind).toBe("none");
    expect(verdict(complete, [ran("npm test"), ran("echo y > src/a.ts")]).kind).toBe("block");
    expect(verdict(complete, [ran("npm test"), ran("sed -i s/a/b/ src/a.ts")]).kind).toBe("block");
    expect(verdict(complete, [ran("npm test > /tmp/out.log"), ran("git status")]).kind).toBe("none");
  });

  it("KB-4 evidence ends with its phase", () => {
    expect(verdict(complete, [ran("npm test"), used("mcp__holdfast__state_advance_phase")]).kind).toBe("block");
    expect(verdict(complete, [used("mcp__holdfast__state_advance_phase"), ran("npm test")]).kind).toBe("none");
  });

  it("K-25 patterns are configurable and replace the defaults, in any letter case", () => {
    expect(verdict(complete, [ran("make verify")], { test_patterns: ["Make Verify"] }).kind).toBe("none");
    expect(verdict(complete, [ran("npm test")], { test_patterns: ["make verify"] }).kind).toBe("block");
    expect(DEFAULT_TEST_PATTERNS).toHaveLength(19);
  });

  it("K-26 the message says which call to make next", () => {
    expect(verdict(complete, [])).toMatchObject({ reason: expect.stringContaining("state_transition again") });
    expect(verdict(plan, [])).toMatchObject({ reason: expect.stringContaining("state_get") });
  });
});

describe("what a test run is", () => {
  it.each([
    "npm test",
    "npm run test:unit",
    "cd packages/app && npm test",
    "CI=1 npx vitest run",
    "cargo test --all",
    "go test ./...",
    "python -m pytest -q",
    "./gradlew test",
    "make lint",
    "pnpm lint && pnpm test",
    "sudo -u ci npm test",
    "npm test > out.log 2>&1",
    "sh -c 'npm test'",
    "npm test # all of them",
  ])("%s runs the tests", (command) => {
    expect(isTestRun(command, DEFAULT_TEST_PATTERNS)).toBe(true);
  });

  it.each([
    "git checkout latest",
    "npm i x@latest",
    "ls tests/",
    "cat test.txt",
    "grep -rn test src",
    "echo npm test",
    "mkdir test",
    "npm test | tail -5",
    "npm test || true",
    "npm test; echo done",
    "test -f package.json",
    "git commit -m 'npm test'",
  ])("%s does not, or hides how they went", (command) => {
    expect(isTestRun(command, DEFAULT_TEST_PATTERNS)).toBe(false);
  });
});

describe("rules people write", () => {
  const rules = [
    {
      before: { command: "git push*" },
      require: { ran: "tests", succeeded: true, after: "last-edit" },
      say: "Run the tests after your last change, then push.",
    },
    { before: { paths: "migrations/**" }, require: { ran: "make backup*" } },
  ];
  const push = toolCall("shell", { command: "git push origin main" });

  it("before a push the tests must have passed after the last edit", () => {
    expect(verdict(push, [edit], { rules })).toMatchObject({
      kind: "block",
      reason: expect.stringContaining("then push"),
    });
    expect(verdict(push, [ran("npm test"), edit], { rules }).kind).toBe("block");
    expect(verdict(push, [edit, ran("npm test")], { rules }).kind).toBe("none");
    expect(verdict(toolCall("shell", { command: "git status" }), [], { rules }).kind).toBe("none");
  });

  it("before a migration is written the backup must have run", () => {
    const migration = toolCall("write", { paths: ["migrations/002.sql"] });
    expect(verdict(migration, [], { rules }).kind).toBe("block");
    expect(verdict(migration, [ran("make backup-db")], { rules }).kind).toBe("none");
  });
});
