// A machine of its own for each section: home, config, state, projects, and with them a daemon of its own.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../scripts/ensure.mjs";
import { dist } from "./dist.mjs";
import { after, before, payloadOf } from "./payloads.mjs";

const { askDaemon } = await dist("entry/daemon/talk.js");
const { buildId, socketFile } = await dist("entry/daemon/socket-place.js");
const { placesOf } = await dist("config/places.js");
const { journalOf } = await dist("engine/journals.js");
const { verifyJournal } = await dist("records/verify.js");

export const client = join(root, "dist", "native", "holdfast");
/** What hosts call where there is no compiler. */
export const launcher = join(root, "dist", "native", "launcher", "holdfast");
export const program = join(root, "bin", "holdfast");
export const HOOK = ["hook", "--host", "claude-code"];

const START_MS = 20_000;
const WARM_UP_MS = 120_000;

export async function withScratch(work) {
  if (!existsSync(client)) throw new Error("there is no native client in this build: npm run build says why");
  const dir = mkdtempSync(join(realpathSync(tmpdir()), "hf-bench-"));
  const scratch = scratchIn(dir);
  const remove = () => rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  // A daemon whose socket is gone ends by itself: who interrupts the bench leaves nothing behind.
  const interrupted = () => {
    remove();
    process.exit(130);
  };
  for (const signal of SIGNALS) process.once(signal, interrupted);
  try {
    return await work(scratch);
  } finally {
    await askDaemon(scratch.socket, "stop");
    remove();
    for (const signal of SIGNALS) process.off(signal, interrupted);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM"];

function scratchIn(dir) {
  // Nothing of the person's: not their CA bundle, which makes Node slower, nor their options.
  const env = {
    PATH: [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    HOME: join(dir, "home"),
    HOLDFAST_CONFIG_DIR: join(dir, "config"),
    HOLDFAST_STATE_DIR: join(dir, "state"),
  };
  mkdirSync(env.HOME);
  const places = placesOf(env);
  const socket = socketFile(buildId(join(root, "dist")), places);
  const journal = (name, projectDir) => journalOf(name, { root: projectDir }, places);
  const verified = (name, projectDir) => verifyJournal(journal(name, projectDir));
  return {
    dir,
    env,
    socket,
    journal,
    write(path, content) {
      const file = join(dir, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    project(name) {
      const projectDir = join(dir, name);
      mkdirSync(join(projectDir, ".git"), { recursive: true });
      return projectDir;
    },
    /** Started as ever, by a call that does not find one; resolves when it is there and warm. */
    async startDaemon(projectDir, calls = () => this.firstCalls()) {
      const payload = { session_id: "start", cwd: projectDir, hook_event_name: "UserPromptSubmit", prompt: "start" };
      spawnSync(client, HOOK, { cwd: projectDir, env, input: JSON.stringify(payload) });
      const deadline = Date.now() + START_MS;
      while (!(await askDaemon(socket, "status"))) {
        if (Date.now() > deadline) throw new Error("the daemon did not start: `holdfast daemon serve` says why");
        await sleep(50);
      }
      await this.warmUpDaemon(calls);
    },
    /** As the first minutes of a session leave it: it warms up by itself, some seconds after calls, a few times. */
    async warmUpDaemon(calls) {
      const deadline = Date.now() + WARM_UP_MS;
      const statusNow = async () => JSON.parse((await askDaemon(socket, "status")) ?? "{}");
      for (;;) {
        calls();
        let status;
        do {
          if (Date.now() > deadline) throw new Error("the daemon did not warm up");
          await sleep(200);
          status = await statusNow();
        } while (!status.isWarm);
        if (status.isWarmForGood) return;
      }
    },
    firstCalls() {
      const cwd = this.project("warm-up");
      for (let count = 0; count < 10; count++)
        for (const changes of [before("git status"), after("git status")])
          spawnSync(client, HOOK, { cwd, env, input: JSON.stringify(payloadOf(cwd, changes)) });
    },
    async daemonStatus() {
      const said = await askDaemon(socket, "status");
      if (said === undefined) throw new Error("the daemon is gone: see its last calls above");
      return JSON.parse(said);
    },
    verified,
    /** Throws unless the chain holds and has exactly so many lines. */
    async expectLines(name, projectDir, expected) {
      const { ok, lines, problem } = await verified(name, projectDir);
      if (!ok) throw new Error(`the ${name} of ${projectDir} does not verify: ${problem.sentence}`);
      if (lines !== expected) throw new Error(`the ${name} has ${lines} lines, but ${expected} are due`);
      return lines;
    },
  };
}
