import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tryBeatingLock } from "../../src/knowledge/background/heartbeat-lock.ts";
import { ID } from "../../src/knowledge/drain/drain.fixture.ts";
import { drainLockFile, readDrainState, writeDrainState } from "../../src/knowledge/drain/drain-state.ts";
import { type ProcessScene, processScene, sessionStart } from "./drain-scene.ts";

let scene: ProcessScene;
beforeEach(() => {
  scene = processScene({});
  scene.codex("answer");
});
afterEach(() => scene.remove());

const holdfast = (...args: string[]) => scene.start(["knowledge", ...args]).ended;
const again = async (drain: object) => {
  await scene.remove();
  scene = processScene(drain);
  scene.codex("answer");
};

describe("holdfast knowledge drain", () => {
  it("says what it will cost, and makes no run while the drain is off and nobody said yes", async () => {
    const file = scene.log(ID(1), ["We squash.", "Noted."]);
    const refused = await holdfast("drain");
    expect(refused.code).not.toBe(0);
    expect(refused.stdout).toMatch(/codex: 1 run, about \d+ tokens of input, on your own account/);
    expect(refused.stderr).toContain("HF1130");
    expect((await scene.front(file)).proposal_status).toBe("pending");

    const estimate = JSON.parse((await holdfast("drain", "--dry-run", "--json")).stdout);
    expect(estimate).toMatchObject({ enabled: false, hosts: [{ host: "codex", sessions: 1 }], runsLeftToday: 20 });

    const done = await holdfast("drain", "--yes");
    expect({ code: done.code, stderr: done.stderr }).toEqual({ code: 0, stderr: "" });
    expect(done.stdout).toContain("codex: 1 of practice, 0 of map");
    expect(done.stdout).toContain("holdfast knowledge curate");
    expect((await scene.front(file)).proposal_status).toBe("done");
    expect((await holdfast("drain", "--yes")).stdout).toContain("no session waits");
  });

  it("N-28 reports who drains already, and touches nothing", async () => {
    scene.log(ID(1), ["We squash.", "Noted."]);
    const failure = { transcript_hash: "a", tries: 1, not_before: null, error: "quota" };
    const state = { ...readDrainState(scene.places, new Date()), failures: { [ID(2)]: failure } };
    writeDrainState(scene.places, state);
    const lock = tryBeatingLock(drainLockFile(scene.places));
    const tries = [await holdfast("drain", "--yes"), await holdfast("drain", "--yes", "--retry")];
    if (lock.kind === "held") lock.release();
    for (const { code, stderr } of tries) {
      expect(code).not.toBe(0);
      expect(stderr).toMatch(new RegExp(`HF1132.*process ${process.pid} drains for \\d+ s already`));
    }
    expect(readDrainState(scene.places, new Date())).toEqual(state);
  });

  it("what was given up is shown by status, and tried again with --retry", async () => {
    await again({ enabled: true, attempts: 1 });
    scene.codex("echo quota exceeded >&2; exit 3");
    const file = scene.log(ID(1), ["We squash.", "Noted."]);
    const failed = await holdfast("drain");
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain("given up: Codex ended with 3: quota exceeded");
    expect((await scene.front(file)).proposal_status).toBe("failed");
    expect((await holdfast("status")).stdout).toMatch(
      /background.*drain given-up: given up after 1 tries: Codex ended with 3/,
    );

    scene.codex("answer");
    expect((await holdfast("drain")).stdout).toContain("no session waits");
    expect((await holdfast("drain", "--retry", "--json")).code).toBe(0);
    expect(await scene.front(file)).toMatchObject({ proposal_status: "done", proposal_error: null });
  });

  it("says when the budget of the day is used up", async () => {
    await again({ enabled: true, runs_per_day: 3 });
    scene.log(ID(1), ["We squash.", "Noted."]);
    writeDrainState(scene.places, { ...readDrainState(scene.places, new Date()), runs: 3 });
    const { code, stdout } = await holdfast("drain");
    expect(code).toBe(1);
    expect(stdout).toContain("budget of 3 runs a day");
  });
});

describe("hooks at the start of a session", () => {
  it("N-16 what a model is told comes with the answer itself, in the host's own form, and is no job", async () => {
    const { stdout } = spawnSync(
      process.execPath,
      [
        join(import.meta.dirname, "../../bin/holdfast"),
        "knowledge",
        "add",
        "--type",
        "practice",
        "--title",
        "Small commits",
        "--description",
        "One idea each.",
        "--body",
        "Why.",
        "--json",
      ],
      {
        ...{ cwd: scene.project, env: scene.env, encoding: "utf8" },
      },
    );
    expect(stdout).toContain("practice-small-commits");
    const stdin = sessionStart(scene.project, ID(7));
    const answer = JSON.parse((await scene.start(["hook", "--host", "codex"], { stdin }).ended).stdout);
    expect(answer.hookSpecificOutput.additionalContext).toContain("Small commits");
    expect((await holdfast("status", "--json")).stdout).toContain('"jobs": []');
  });

  it("N-43 the Nth session has the base looked over in the background, and the next one hears what was found", async () => {
    writeFileSync(
      join(scene.dir, "config/holdfast.yaml"),
      JSON.stringify({ version: 1, knowledge: { enabled: true, lint_every: 2 } }),
    );
    scene.log(ID(1), ["a", "b"], { proposal_status: "skipped" });
    const nodes = join(scene.places.nodesDir, "broken.md");
    spawnSync("mkdir", ["-p", scene.places.nodesDir]);
    writeFileSync(nodes, "no front matter");
    const start = (number: number) =>
      scene.start(["hook", "--host", "codex"], { stdin: sessionStart(scene.project, ID(number)) }).ended;
    await start(11);
    await start(11);
    const state = async () =>
      JSON.parse((await holdfast("status", "--json")).stdout).background.recent as { hook: string; phase: string }[];
    expect((await state()).filter(({ hook }) => hook === "lint")).toEqual([]);
    await start(12);
    await expect.poll(async () => (await state()).map(({ hook, phase }) => `${hook} ${phase}`)).toContain("lint done");
    expect((await start(13)).stdout).toMatch(/the base has \d+ errors/);
  });
});
