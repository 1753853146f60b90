import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { grantTrust } from "../../config/trust.ts";
import { checkDefinitions } from "./check-definitions.ts";
import { assignmentCode, definitionPlaces, trustOf } from "./definitions.ts";

let scratch: string;
let env: Record<string, string>;
let project: string;
const write = (path: string, text: string) => {
  const file = join(scratch, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};
const assignment = (path: string, hooks: string) =>
  write(path, `---\nschemaVersion: 1\nname: work\nhooks:\n  prepare: [${hooks}]\n---\nWork.\n`);

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "holdfast-definitions-"));
  project = join(scratch, "project");
  env = {
    HOME: join(scratch, "home"),
    HOLDFAST_CONFIG_DIR: join(scratch, "config"),
    HOLDFAST_STATE_DIR: join(scratch, "state"),
  };
  mkdirSync(project, { recursive: true });
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

describe("definitions of runs", () => {
  it("are looked up in the project first, from any directory of it, then with the person", () => {
    mkdirSync(join(project, ".holdfast"));
    mkdirSync(join(project, "src"));
    expect(definitionPlaces(join(project, "src"), env).dirs).toEqual([
      join(project, ".holdfast"),
      join(scratch, "config"),
    ]);
  });

  it("code that a repository brings needs a person's trust in exactly these bytes, a person's own needs none", () => {
    write("project/.holdfast/assignments/work/hook.mjs", "export default { name: 'x', prepare() {} };");
    assignment("project/.holdfast/assignments/work/assignment.md", "{ path: ./hook.mjs }");
    const [item] = assignmentCode("work", { cwd: project, env });
    if (!item) throw new Error("nothing to trust");
    expect(trustOf(env)(item)).toBe(false);
    grantTrust(join(scratch, "state"), [item], new Date(0));
    expect(trustOf(env)(item)).toBe(true);

    write("project/.holdfast/assignments/work/hook.mjs", "export default { name: 'y', prepare() {} };");
    const [changed] = assignmentCode("work", { cwd: project, env });
    expect(changed && trustOf(env)(changed)).toBe(false);

    write("config/assignments/own/hook.mjs", "export default { name: 'z', prepare() {} };");
    assignment("config/assignments/own/assignment.md", "{ path: ./hook.mjs }");
    expect(assignmentCode("own", { cwd: project, env })).toEqual([]);
  });

  it("RB-5 check reads them all and names what is wrong with each", () => {
    assignment("project/.holdfast/assignments/good/assignment.md", "");
    assignment("project/.holdfast/assignments/bad/assignment.md", "{ builtin: git-worktre }");
    write("project/.holdfast/agents/odd/agent.md", "---\nschemaVersion: 1\nname: odd\nbakend: codex\n---\n");
    const { count, errors } = checkDefinitions(project, env);
    expect(count).toBe(3);
    expect(errors.map(({ message, fix }) => `${message} ${fix}`).join("\n")).toMatch(/git-worktre(.|\n)*bakend/);
  });
});
