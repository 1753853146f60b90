import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scratchRepository } from "./project.fixture.ts";

let repository: ReturnType<typeof scratchRepository>;
beforeEach(() => {
  repository = scratchRepository();
});
afterEach(() => repository.remove());

const INIT = ["state", "init", "shop", "--phase", "01-login", "--phases", "2"];
const stateFile = () => join(repository.root, ".holdfast", "state.toml");

describe("holdfast state", () => {
  it("starts, shows and moves the state, from a folder below too", () => {
    expect(repository.run(INIT, repository.deep).status).toBe(0);
    expect(existsSync(stateFile())).toBe(true);
    const shown = repository.run(["state"], repository.deep);
    expect(shown.status).toBe(0);
    expect(shown.stdout).toMatch(/project {3}shop/);
    expect(shown.stdout).toMatch(/step {6}specced {3}may go to discussed, designed/);
    expect(repository.run(["state", "transition", "designed"]).status).toBe(0);
    expect(JSON.parse(repository.run(["state", "get", "--json"]).stdout).current.step).toBe("designed");
  });

  it("blocks and unblocks; a step while blocked is exit code 2", () => {
    repository.run(INIT);
    expect(repository.run(["state", "block", "no API key"]).stdout).toContain("no API key");
    const refused = repository.run(["state", "transition", "designed"]);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain("error HF803");
    expect(refused.stderr).toContain("holdfast state unblock");
    expect(refused.stderr).not.toContain("state_resolve_blocker");
    expect(repository.run(["state", "unblock"]).status).toBe(0);
    expect(repository.run(["state", "unblock"]).status).toBe(1);
    expect(repository.run(["state", "transition", "designed"]).status).toBe(0);
  });

  it("advances once shipped", () => {
    repository.run(INIT);
    expect(repository.run(["state", "advance", "02", "--phases", "2"]).status).toBe(3);
    for (const step of ["designed", "planned", "executing", "executed", "complete", "shipped"])
      expect(repository.run(["state", "transition", step]).status).toBe(0);
    const advanced = repository.run(["state", "advance", "02", "--phases", "2", "--json"]);
    expect(JSON.parse(advanced.stdout)).toMatchObject({ current: { phase: "02" }, progress: { phases_complete: 1 } });
  });

  it("a dry run of each writer shows what would be and writes nothing", () => {
    expect(repository.run([...INIT, "--dry-run"]).stdout).toContain("nothing was written");
    expect(existsSync(join(repository.root, ".holdfast"))).toBe(false);
    repository.run(INIT);
    const before = readFileSync(stateFile(), "utf8");
    for (const args of [
      ["transition", "designed"],
      ["block", "x"],
      ["init", "y", "--phase", "1", "--phases", "1", "--force"],
    ])
      expect(repository.run(["state", ...args, "--dry-run"]).status).toBe(0);
    expect(readFileSync(stateFile(), "utf8")).toBe(before);
    expect(existsSync(join(repository.root, ".holdfast", "state.previous.toml"))).toBe(false);
  });

  it.each([
    [["state"], 1, "HF801"],
    [["state", "transition", "designed"], 1, "HF801"],
    [["plans"], 1, "HF801"],
    [["plans", "../.."], 3, "HF804"],
    [["plans", "07"], 1, "HF805"],
    [["state", "transitoin", "x"], 3, "HF701"],
    [["state", "transition"], 3, "HF701"],
    [["state", "block", "--force", "x"], 3, "HF701"],
    [["state", "get", "x"], 3, "HF701"],
    [["state", "init", "shop"], 3, "HF701"],
    [["state", "init", "shop", "--phase", "1", "--phases", "two"], 3, "HF701"],
    [["state", "init", "shop", "--phase", "a/b", "--phases", "2"], 3, "HF804"],
  ] as const)("%j ends with %i and %s, as text and as JSON", (args, status, code) => {
    const text = repository.run(args);
    expect(text.status).toBe(status);
    expect(text.stderr).toContain(`error ${code}`);
    expect(text.stdout).toBe("");
    const json = repository.run([...args, "--json"]);
    expect(json.status).toBe(status);
    expect(JSON.parse(json.stdout).error).toMatchObject({ code, message: expect.any(String), fix: expect.any(String) });
  });

  it("how to start a workflow is said once", () => {
    const { stderr } = repository.run(["plans"]);
    expect(stderr).toContain("error HF801  this project has no workflow state yet\n");
    expect(stderr.match(/state init/g)).toHaveLength(1);
  });

  it("an unknown and an illegal step are told apart", () => {
    repository.run(INIT);
    const { stderr } = repository.run(["state", "transition", "desinged"]);
    expect(stderr).toContain("Did you mean designed?");
    expect(stderr).not.toContain("blocked");
    const illegal = JSON.parse(repository.run(["state", "transition", "shipped", "--json"]).stdout);
    expect(illegal.error).toMatchObject({ code: "HF802", problem: "INVALID_TRANSITION" });
  });

  it("never replaces a state unless forced", () => {
    repository.run(INIT);
    expect(repository.run(INIT).status).toBe(3);
    expect(repository.run([...INIT, "--force"]).status).toBe(0);
  });
});

describe("holdfast plans", () => {
  it("lists them for a person and for programs", () => {
    repository.run(INIT);
    repository.write(".holdfast/phases/01-login/plans/001.md", `+++\ntitle = "form"\n+++\n`);
    repository.write(".holdfast/phases/01-login/plans/001-summary.md", "done");
    repository.write(
      ".holdfast/phases/01-login/plans/002.md",
      `+++\ntitle = "session"\nwave = 2\ndepends_on = [1]\n+++\n`,
    );
    repository.write(".holdfast/phases/01-login/plans/notes.md", "x");
    const { stdout, stderr, status } = repository.run(["plans"], repository.deep);
    expect(status).toBe(0);
    expect(stdout.split("\n")).toEqual([
      "phase 01-login: 1 of 2 plans complete",
      "done  wave 1  001.md  form",
      "open  wave 2  002.md  session  after 1",
      "",
    ]);
    expect(stderr).toContain("notes.md");
    expect(JSON.parse(repository.run(["plans", "01-login", "--json"]).stdout).total).toBe(2);
  });
});
