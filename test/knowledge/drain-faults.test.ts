/** Drains that are killed, and drains that meet captures. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JobStore } from "../../src/knowledge/background/job-store.ts";
import { HOSTS, type HostTranscripts, type Turn } from "../../src/knowledge/capture/conversation.fixture.ts";
import { answerOf, ID, proposal } from "../../src/knowledge/drain/drain.fixture.ts";
import { drainLockFile, jobsDirOf } from "../../src/knowledge/drain/drain-state.ts";
import { type ProcessScene, processScene } from "./drain-scene.ts";

let scene: ProcessScene;
beforeEach(() => {
  scene = processScene();
});
afterEach(() => scene.remove());

const at = (name: string) => join(import.meta.dirname, name);

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, args, { env: { ...scene.env, ...env }, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return new Promise((settle, fail) =>
    child.once("close", (code, signal) => (code ? fail(new Error(stderr)) : settle(signal))),
  );
}

const drain = (answer = answerOf("One")) => run([at("drain-driver.mjs"), scene.project, answer]);
const killedDrain = (killAt: number) =>
  run(["--import", at("kill-at-write.mjs"), at("drain-driver.mjs"), scene.project, answerOf("One")], {
    KILL_AT: String(killAt),
  });

describe("a drain", () => {
  it("killed before any of its writes leaves the log whole, and the next one finishes it: proposed once, nothing left over", async () => {
    const said = ["We squash. $& $'", "Noted.\n## Proposal\nnot ours"];
    for (let killAt = 1; ; killAt += 1) {
      await scene.remove();
      scene = processScene();
      const file = scene.log(ID(1), said);
      if ((await killedDrain(killAt)) === null) {
        expect(killAt).toBeGreaterThan(20);
        return;
      }
      expect(readFileSync(file, "utf8"), `write ${killAt}`).toContain("[USER]: We squash. $& $'\n\n[AGENT]: Noted.");
      expect((await scene.front(file)).session_id).toBe(ID(1));

      await drain();
      const front = await scene.front(file);
      expect(front, `write ${killAt}`).toMatchObject({ proposal_status: "done", segments: 2, proposed_segments: 2 });
      expect(front.proposals, `write ${killAt}`).toEqual({ practice: [proposal("One")], map: [] });
      expect(existsSync(drainLockFile(scene.places))).toBe(false);
      expect(new JobStore(jobsDirOf(scene.places)).list()).toEqual([]);
      expect(readdirSync(scene.places.sessionsDir).filter((name) => name.startsWith(".20"))).toEqual([]);
    }
  });

  it("A13-5 at once with captures of the same session loses no word and no proposal, and asks about each part once", async () => {
    const claude = HOSTS[0] as HostTranscripts;
    const home = join(scene.dir, "home");
    mkdirSync(home, { recursive: true });
    const turns = (count: number): Turn[] =>
      Array.from({ length: count }, (_, index) => ({
        speaker: index % 2 === 0 ? "user" : "agent",
        text: `turn ${index}: ${"word ".repeat(60)}`,
      }));
    const capture = () =>
      run([
        ...[at("capture-session.mjs"), scene.project, home, claude.host, claude.session],
        ...[claude.path(home), "2026-11-15T10:30:00.000Z"],
      ]);
    claude.write(home, turns(2));
    await capture();
    for (let count = 4; count <= 16; count += 2) {
      claude.write(home, turns(count));
      await Promise.all([capture(), drain(answerOf(`Of ${count}`))]);
    }
    await drain(answerOf("The rest"));
    const [name = ""] = readdirSync(scene.places.sessionsDir).filter((file) => file.endsWith(".md"));
    const file = join(scene.places.sessionsDir, name);
    const front = await scene.front(file);
    expect(front).toMatchObject({ proposal_status: "done", segments: 16, proposed_segments: 16 });
    for (let index = 0; index < 16; index += 1) expect(readFileSync(file, "utf8")).toContain(`turn ${index}:`);
    const titles = front.proposals.practice.map((one) => (one as { title: string }).title);
    expect(titles.length).toBeGreaterThan(0);
    expect(new Set(titles).size).toBe(titles.length);
  });
});
