import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isProblem, type Problem } from "./problem.ts";
import { openWorkflow, type WorkflowPorts } from "./workflow.ts";

export const AT = "2026-11-13T16:00:00.000Z";
export const LATER = "2026-11-14T09:30:00.000Z";

/** A project in a directory of its own; `work` gets a workflow whose clock says LATER once it was initialised. */
export function scratchProject(ports: Partial<WorkflowPorts> = {}) {
  const root = mkdtempSync(join(tmpdir(), "holdfast-workflow-"));
  const file = (path: string) => join(root, ".holdfast", path);
  const clock = { at: AT };
  const workflow = openWorkflow({
    root,
    exclusively: (_, work) => work({ isHeld: () => true }),
    now: () => new Date(clock.at),
    ...ports,
  });
  return {
    root,
    workflow,
    clock,
    file,
    read: (path: string) => readFileSync(file(path), "utf8"),
    write(path: string, content: string) {
      mkdirSync(dirname(file(path)), { recursive: true });
      writeFileSync(file(path), content);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export const SHOP = { name: "shop", phase: "01-login", phases_total: 3 };

/** The value, where a problem would be the test's failure. */
export function ok<T>(answer: T | Problem): T {
  if (isProblem(answer)) throw new Error(`${answer.code}: ${answer.message}`);
  return answer as T;
}

export function problemOf(answer: unknown): Problem {
  if (!isProblem(answer)) throw new Error(`no problem: ${JSON.stringify(answer)}`);
  return answer;
}
