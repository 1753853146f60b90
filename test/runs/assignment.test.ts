import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { it, type Machine } from "../program.ts";

const ASSIGNMENT = `---
schemaVersion: 1
name: fix-ticket
vars:
  ticket: { required: true }
  token: { sources: [env], envName: TICKET_TOKEN }
hooks:
  prepare:
    - builtin: git-worktree
      with: { repo: "{{cwd}}", from: main, branch: "fix/{{ticket}}", path: "{{cwd}}/.worktrees/{{ticket}}" }
    - path: ./hooks/seed.ts
      with: { token: "Bearer {{token}}" }
  taskTransition:
    - path: ./hooks/gate.ts
      when: { toStatus: [completed] }
tasks:
  - { id: a, title: "Fix {{ticket}}" }
  - id: b
    title: Show it
    hooks: [{ builtin: require-evidence, with: { testsPassed: true } }]
---
Work in {{worktree_path}}.
`;

/** As somebody wrote it for agent-runner. */
const SEED = `import { defineHook, type PrepareHookContext } from "@kcosr/agent-runner-core/hooks";
export default defineHook({
  name: "seed",
  prepare(ctx: PrepareHookContext) {
    const { token } = ctx.config as { token: string };
    return {
      action: "continue",
      mutate: { state: { length: token.length }, run: { initialPrompt: ctx.defaultInitialPrompt + "\\n\\nBe kind." } },
    };
  },
});
`;

const GATE = `export default {
  name: "gate",
  taskTransition: (ctx) => ctx.transition.to.notes !== "" ? { accept: true } : { accept: false, reason: "write a note first" },
};
`;

const PROJECT_RULES = `version: 1
hooks:
  task_transition:
    - hooks: [{ type: command, id: project-rule, command: "sh ./rule.sh" }]
`;

async function prepared(machine: Machine): Promise<string> {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: machine.projectDir, env: { ...machine.env, ...AUTHOR } });
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "first");
  machine.write("config/assignments/fix/assignment.md", ASSIGNMENT);
  machine.write("config/assignments/fix/hooks/seed.ts", SEED);
  machine.write("config/assignments/fix/hooks/gate.ts", GATE);
  const made = await machine.run(["run", "fix", "--var", "ticket=T1", "--backend", "passive", "--init", "--json"], {
    env: { TICKET_TOKEN: "s3cret-value" },
  });
  expect(made.stderr).toBe("");
  return JSON.parse(made.stdout).id;
}

const AUTHOR = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
};

function everyFile(dir: string): string {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

it("R-18 R-20 RB-4 RB-9 an assignment written for agent-runner is made a run: prepared, filled in, without its secrets", async ({
  machine,
}) => {
  const id = await prepared(machine);
  const { stdout } = await machine.run(["status", id, "--json"]);
  const run = JSON.parse(stdout);
  const worktree = join(machine.projectDir, ".worktrees", "T1");
  expect(run).toMatchObject({
    settings: { cwd: worktree },
    state: { length: "Bearer s3cret-value".length },
    tasks: [{ title: "Fix T1" }, {}],
  });
  expect(run.brief).toContain(`Work in ${worktree}.`);
  expect(run.brief).toContain("Be kind.");
  expect(run.hooks[0].id).toBe("taskTransition:task:b:0:require-evidence");
  expect(everyFile(machine.stateDir)).not.toContain("s3cret-value");
});

it("R-34 RB-12 a gate rejects with its reason and code 2, accepts once it is met, and evidence is not taken on trust", async ({
  machine,
}) => {
  const id = await prepared(machine);
  const set = (task: string, ...more: string[]) =>
    machine.run(["task", "set", task, "--run", id, "--status", "completed", ...more]);
  const rejected = await set("a");
  expect([rejected.code, rejected.stdout]).toEqual([2, ""]);
  expect(rejected.stderr).toContain("write a note first");
  expect((await set("a", "--notes", "done")).code).toBe(0);
  expect((await set("b", "--notes", "tests pass, believe me")).stderr).toContain(
    "no test run that succeeded is recorded",
  );
  const { stdout } = await machine.run(["audit", id, "--json"]);
  expect(stdout).toContain("taskTransition:0:./hooks/gate.ts");
});

it("rules of the project govern its runs too, before the assignment's own, and are audited as every decision", async ({
  machine,
}) => {
  const id = await prepared(machine);
  machine.write("project/holdfast.yaml", PROJECT_RULES);
  machine.write("project/rule.sh", `cat > seen.json; echo '{"accept":false,"reason":"not on a Friday"}'\n`);
  await machine.trust();
  const rejected = await machine.run(["task", "set", "a", "--run", id, "--status", "completed", "--notes", "done"]);
  expect(rejected.stderr).toContain("not on a Friday");
  const [entry] = machine.records("audit").filter(({ event }) => event === "task_transition");
  expect(entry).toMatchObject({ decision: "block", host: "run", session: id, reasons: [{ hook: "project-rule" }] });
});

it("RB-5 holdfast check tells what is wrong with an assignment, and where", async ({ machine }) => {
  machine.write(
    "project/.holdfast/assignments/bad/assignment.md",
    "---\nschemaVersion: 1\nname: bad\nhooks:\n  taskTransitions: []\n---\n",
  );
  const { code, stderr } = await machine.run(["check"]);
  expect(code).toBe(3);
  expect(stderr).toMatch(/HF1005.*assignment\.md:5.*unknown phase "taskTransitions"\n.*did you mean taskTransition\?/);
});
