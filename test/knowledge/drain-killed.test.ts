import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JobStore } from "../../src/knowledge/background/job-store.ts";
import { answerOf, ID, proposal } from "../../src/knowledge/drain/drain.fixture.ts";
import { drainLockFile, jobsDirOf } from "../../src/knowledge/drain/drain-state.ts";
import { type ProcessScene, processScene } from "./drain-scene.ts";

let scene: ProcessScene;
beforeEach(() => {
  scene = processScene();
});
afterEach(() => scene.remove());

const PRELOAD = join(import.meta.dirname, "die-at-write.mjs");
const DRIVER = join(import.meta.dirname, "drain-driver.mjs");

function drive(killAt: number): { readonly signal: string | null; readonly writes: number } {
  const counter = join(scene.dir, "writes");
  const env = { ...scene.env, HOLDFAST_DIE_AT: String(killAt), HOLDFAST_WRITES: counter };
  const args = ["--import", PRELOAD, DRIVER, scene.project, answerOf("One")];
  const { signal, status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  if (signal === null && status !== 0) throw new Error(stderr);
  return { signal, writes: signal === null ? Number(readFileSync(counter, "utf8")) : 0 };
}

describe("a drain that is killed before any of its writes", () => {
  it("leaves the log whole, and the next drain finishes it: proposed once, with nothing left over", async () => {
    const said = ["We squash. $& $'", "Noted.\n## Proposal\nnot ours"];
    scene.log(ID(999), said);
    const { writes } = drive(0);
    expect(writes).toBeGreaterThan(20);
    for (let killAt = 1; killAt <= writes; killAt += 1) {
      await scene.remove();
      scene = processScene();
      const file = scene.log(ID(1), said);
      expect(drive(killAt).signal, `write ${killAt}`).toBe("SIGKILL");
      const whole = readFileSync(file, "utf8");
      expect(whole, `write ${killAt}`).toContain("[USER]: We squash. $& $'\n\n[AGENT]: Noted.");
      expect((await scene.front(file)).session_id).toBe(ID(1));

      drive(0);
      const front = await scene.front(file);
      expect(front, `write ${killAt}`).toMatchObject({ proposal_status: "done", segments: 2, proposed_segments: 2 });
      expect(front.proposals, `write ${killAt}`).toEqual({ practice: [proposal("One")], map: [] });
      expect(existsSync(drainLockFile(scene.places))).toBe(false);
      expect(new JobStore(jobsDirOf(scene.places)).list()).toEqual([]);
      expect(readdirSync(scene.places.sessionsDir).filter((name) => name.startsWith(".20"))).toEqual([]);
    }
  }, 300_000);
});
