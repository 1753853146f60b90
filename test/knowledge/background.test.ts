import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { backgroundStatus } from "../../src/knowledge/background/status.ts";
import { ID } from "../../src/knowledge/drain/drain.fixture.ts";
import { isGone } from "../real-hosts/driven-run.ts";
import { type ProcessScene, processScene, sessionStart } from "./drain-scene.ts";

let scene: ProcessScene;
beforeEach(() => {
  scene = processScene();
});
afterEach(() => scene.remove());

const hook = (more: Parameters<ProcessScene["start"]>[1] = {}, session = ID(50)) =>
  scene.start(["hook", "--host", "codex"], { stdin: sessionStart(scene.project, session), ...more });
const status = (file: string) => async () => (await scene.front(file)).proposal_status;
const soon = { timeout: 120_000, interval: 50 };
const jobs = () => backgroundStatus(scene.places, new Date()).jobs;
const phases = () =>
  backgroundStatus(scene.places, new Date(), 100).recent.map(({ hook, phase }) => `${hook} ${phase}`);

describe("work in the background", () => {
  it("N-14 the host is free at once, though it never closes the input, and killing it and its group ends no worker", async () => {
    const file = scene.log(ID(1), ["We squash.", "Noted."]);
    scene.codex(`touch "$SCENE/asked"\nuntil [ -e "$SCENE/go" ]; do sleep 0.05; done\nanswer`);
    const { child, ended } = hook({ keptOpen: true });
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(await status(file)(), "nothing waited for the model").toBe("pending");
    await expect.poll(() => scene.has("asked"), soon).toBe(true);
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL");
    } catch (error) {
      // The group went with its only member: no worker was ever in it.
      expect((error as NodeJS.ErrnoException).code).toBe("ESRCH");
    }
    writeFileSync(join(scene.dir, "go"), "");
    await expect.poll(status(file), soon).toBe("done");
    await expect.poll(jobs, soon).toEqual([]);
    expect(phases()).toEqual(expect.arrayContaining(["launcher launched", "drain started", "drain done"]));
  });

  it("N-15 X-14 the payload reaches the worker by a private file, and is in no environment and on no command line", async () => {
    scene.log(ID(1), ["We squash.", "Noted."]);
    scene.codex(
      `ps -eo args > "$SCENE/args"; env > "$SCENE/env"; ls -la "$SCENE"/project/.holdfast/knowledge/.state/jobs > "$SCENE/jobs"; answer`,
    );
    await hook({}, ID(77)).ended;
    await expect.poll(() => scene.has("jobs") && scene.text("jobs"), soon).toMatch(/^-rw------- .*drain-.*\.claimed$/m);
    expect(scene.text("env")).not.toContain(ID(77));
    expect(scene.text("args")).not.toContain(ID(77));
  });

  it("N-10 the guard is in the environment of what Holdfast starts; a hook that sees it starts nothing", async () => {
    const file = scene.log(ID(1), ["We squash.", "Noted."]);
    scene.codex(`printf '%s' "$HOLDFAST_INTERNAL" > "$SCENE/guard"; answer`);
    expect(await hook({ env: { HOLDFAST_INTERNAL: "1" } }).ended).toMatchObject({ code: 0, stdout: "" });
    expect(existsSync(scene.places.stateDir)).toBe(false);
    await hook({ env: { HOLDFAST_INTERNAL: "true" } }).ended;
    await expect.poll(status(file), soon).toBe("done");
    expect(scene.text("guard")).toBe("1");
  });

  it("is off until it is switched on: a session starts no process and spends nothing", async () => {
    await scene.remove();
    scene = processScene({});
    scene.log(ID(1), ["We squash.", "Noted."]);
    scene.codex(`touch "$SCENE/asked"; answer`);
    await hook().ended;
    expect(jobs()).toEqual([]);
    expect(existsSync(join(scene.places.stateDir, "jobs"))).toBe(false);
  });

  it("N-30 the prompt comes on standard input, and the model's tools are off on the command line", async () => {
    const file = scene.log(ID(1), [`We squash. ${"x".repeat(200_000)}`, "Noted."]);
    scene.codex(`printf '%s\\n' "$@" > "$SCENE/argv"; cat > "$SCENE/stdin"; answer`);
    await hook().ended;
    await expect.poll(status(file), soon).toBe("done");
    expect(scene.text("argv").length).toBeLessThan(2_000);
    expect(scene.text("argv")).toMatch(/sandbox_mode="read-only"[\s\S]*features\.shell_tool=false/);
    expect(scene.text("stdin")).toContain("We squash. xxx");
  });

  it("N-54 a program that is not there: no session is the worse for it, the job waits for its next try and says why", async () => {
    const file = scene.log(ID(1), ["We squash.", "Noted."]);
    await hook().ended;
    await expect.poll(() => jobs()[0]?.job.last_error ?? "", soon).toContain("codex");
    expect(await status(file)()).toBe("pending");
    expect(jobs()).toMatchObject([{ state: "waiting", job: { tries: 1, not_before: expect.any(String) } }]);
    // The next session does not try before its time.
    await hook({}, ID(51)).ended;
    expect(jobs()).toMatchObject([{ job: { tries: 1 } }]);
  });

  it("A13-19 a program that is too slow is ended with all it started, and the session is tried again later", async () => {
    await scene.remove();
    scene = processScene({ enabled: true, timeout_sec: 5 });
    const file = scene.log(ID(1), ["We squash.", "Noted."]);
    scene.codex(`setsid sh -c 'echo $$ > "$SCENE/grandchild"; exec sleep 600' &\nsleep 600`);
    await hook().ended;
    await expect
      .poll(() => Object.values(backgroundStatus(scene.places, new Date()).failures)[0]?.error ?? "", soon)
      .toMatch(/no answer within 5 s/);
    await expect.poll(() => isGone(Number(scene.text("grandchild"))), soon).toBe(true);
    expect(await status(file)()).toBe("pending");
  });

  it.each([
    ["garbage", `echo 'segmentation fault'; printf '\\033[2J{{{'`, /ended without a word/],
    ["an answer that is no JSON", `sed 's/practice/pr actice/' "$SCENE/answer.jsonl"`, /not what was asked for/],
    [
      "a failure",
      `echo 'quota exceeded for key sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' >&2; exit 3`,
      /ended with 3: quota exceeded/,
    ],
  ])("N-32 a program that gives %s costs a try, and its words are in the log named", async (_, script, problem) => {
    scene.log(ID(1), ["We squash.", "Noted."]);
    scene.codex(script);
    await hook().ended;
    const failure = () => backgroundStatus(scene.places, new Date()).failures[ID(1)];
    await expect.poll(() => failure()?.error ?? "", soon).toMatch(problem);
    expect(failure()?.tries).toBe(1);
    expect(
      readFileSync(
        join(scene.places.dir, "_logs", `background-${new Date().toISOString().slice(0, 10)}.jsonl`),
        "utf8",
      ),
    ).not.toContain("api03-aaaa");
  });

  it("A13-11 what a model was talked into proposing is refused where it is no proposal, and otherwise only waits for a person", async () => {
    const file = scene.log(ID(1), ["We squash.", "Noted."]);
    const hostile = { practice: [], map: [], commands: ["rm -rf /"] };
    const line = { type: "item.completed", item: { type: "agent_message", text: JSON.stringify(hostile) } };
    writeFileSync(join(scene.dir, "answer.jsonl"), `${JSON.stringify(line)}\n`);
    scene.codex("answer");
    await hook().ended;
    await expect
      .poll(() => backgroundStatus(scene.places, new Date()).failures[ID(1)]?.error ?? "", soon)
      .toContain("commands");
    expect(await status(file)()).toBe("pending");
    expect(existsSync(scene.places.nodesDir)).toBe(false);
  });

  it("two sessions that begin at once start one drain, and each log is proposed once", async () => {
    const files = [1, 2, 3].map((number) => scene.log(ID(number), ["We squash.", "Noted."]));
    scene.codex(`echo x >> "$SCENE/runs"; answer`);
    await Promise.all([hook({}, ID(60)).ended, hook({}, ID(61)).ended, hook({}, ID(62)).ended]);
    for (const file of files) await expect.poll(status(file), soon).toBe("done");
    await expect.poll(jobs, soon).toEqual([]);
    for (const file of files) expect((await scene.front(file)).proposals.practice).toHaveLength(1);
    expect(scene.text("runs").trim().split("\n")).toHaveLength(3);
  });
});
