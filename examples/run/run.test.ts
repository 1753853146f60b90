import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-run-example-"));
const project = join(scratch, "project");
const env = {
  PATH: process.env.PATH,
  HOME: join(scratch, "home"),
  HOLDFAST_CONFIG_DIR: join(scratch, "config"),
  HOLDFAST_STATE_DIR: join(scratch, "state"),
};
const holdfast = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, "../../bin/holdfast"), ...args], {
    cwd: project,
    env,
    encoding: "utf8",
  });

afterAll(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));

it("R-34 R-48 the example runs as the guide says: a push is blocked, a claim rejected, the work done and audited", () => {
  mkdirSync(env.HOME, { recursive: true });
  cpSync(import.meta.dirname, project, { recursive: true });
  execFileSync("git", ["init", "-q"], { cwd: project });

  const run = holdfast("run", "fix-greeting", "--agent", "scripted", "--var", "person=Bob", "--json");
  expect(run.status, run.stdout + run.stderr).toBe(0);
  const { id, status, tasks, attachments } = JSON.parse(run.stdout);
  expect(status).toBe("success");
  expect(tasks[0].title).toBe("Make the greeting of Bob work");
  expect(attachments.map(({ name }: { name: string }) => name)).toEqual(["report.md"]);
  expect(readFileSync(join(project, "greet.js"), "utf8")).toContain("Hello");

  const hooks = JSON.parse(holdfast("audit", id, "--hooks", "--json").stdout);
  expect(hooks.map(({ data }: { data: { outcome: string } }) => data.outcome)).toEqual(["rejected", "accepted"]);
  expect(hooks[0].data.summary).toContain("no test run that succeeded is recorded after the last edit");
  const decisions = holdfast("log", "--audit", "--decision", "block", "--json");
  expect(decisions.stdout).toContain("git/force-push-protected");
  expect(decisions.stdout).toContain(`"run":"${id}"`);
}, 120_000);
