// As the real host sees it: Claude Code itself, offline, the same script with and without Holdfast.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { dist } from "./dist.mjs";
import { program as holdfast, withScratch } from "./scratch.mjs";
import { rounded, summaryOf } from "./statistics.mjs";

const { programById } = await dist("hosts/programs.js");
const { runOffline } = await dist("proof/offline-run.js");
const { offline } = programById("claude-code");

const WAYS = [
  { id: "without", name: "without hooks" },
  { id: "empty", name: "with hooks that are an empty C process" },
  { id: "warm", name: "with Holdfast, warm", guarded: true },
  { id: "cold", name: "with Holdfast, no daemon", guarded: true, env: { HOLDFAST_DAEMON: "off" } },
];

export async function measureHost(tools, { quick }, say) {
  const command = installedProgram();
  if (!command) return { skipped: "Claude Code is not installed: `npm run test:hosts -- claude-code` installs it" };
  const calls = quick ? 3 : 40;
  const runs = quick ? 1 : 5;
  return withScratch(async (scratch) => {
    const ways = WAYS.map((way) => ({ ...way, ...placesFor(scratch, tools, way), intervals: [] }));
    for (const way of ways) await run(way, command, 2);
    for (let round = 1; round <= runs; round++) {
      say(`host: round ${round} of ${runs}`);
      for (const way of ways) way.intervals.push(...(await run(way, command, calls)));
    }
    for (const { id, guarded, projectDir } of ways)
      if (guarded) await scratch.expectLines("ledger", projectDir, 2 + runs * calls).catch(inWay(id));
    const bare = summaryOf(ways[0].intervals).p50;
    return {
      version: versionOf(command),
      calls,
      runs,
      rows: ways.map(({ id, name, intervals }) => {
        const { p50, p95, p99 } = summaryOf(intervals);
        return { id, name, p50, p95, p99, addedMs: rounded(p50 - bare) };
      }),
    };
  });
}

const inWay = (id) => (error) => {
  throw new Error(`Claude Code, ${id}: ${error.message}`);
};

function placesFor(scratch, tools, { id, guarded, env = {} }) {
  const projectDir = scratch.project(`project-${id}`);
  const homeDir = join(scratch.dir, `home-${id}`);
  mkdirSync(homeDir);
  const all = { ...scratch.env, HOME: homeDir, ...env };
  if (guarded) {
    const { status, stderr } = spawnSync(holdfast, ["init", "--yes", "--hosts", "claude-code"], {
      cwd: projectDir,
      env: all,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`holdfast init: ${stderr}`);
  }
  // What the host itself needs to call a hook, whatever the hook does.
  if (id === "empty") scratch.write(`project-${id}/.claude/settings.json`, JSON.stringify(emptyHooks(tools)));
  const { HOLDFAST_CONFIG_DIR, HOLDFAST_STATE_DIR } = all;
  return { projectDir, homeDir, env: { HOLDFAST_CONFIG_DIR, HOLDFAST_STATE_DIR, ...env } };
}

const emptyHooks = ({ empty }) => {
  const groups = [{ matcher: "*", hooks: [{ type: "command", command: empty }] }];
  return { hooks: { PreToolUse: groups, PostToolUse: groups } };
};

/** Milliseconds from one question to the model to the next: its answer, the hooks, the tool, and the host's own work. */
async function run({ id, projectDir, homeDir, env }, command, calls) {
  const { steps, askedAt } = timedSteps(calls);
  const ended = await runOffline({
    command: [command],
    program: offline,
    prompt: "go",
    homeDir,
    projectDir,
    env,
    script: { script: steps },
    timeoutMs: 300_000,
  });
  const heard = [...ended.model.toolResults().values()].filter(({ text }) => text.includes("step"));
  if (ended.exitCode !== 0 || ended.timedOut || heard.length !== calls)
    throw new Error(`Claude Code, ${id}: ${heard.length} of ${calls} calls ran\n${ended.story.slice(-3_000)}`);
  return askedAt.slice(1).map((at, index) => at - askedAt[index]);
}

/** A step of the script is read when the model is asked: that is the moment to look at the clock. */
function timedSteps(calls) {
  const askedAt = [];
  const step = (index) =>
    index === calls
      ? { text: "END" }
      : { tools: [{ id: `call-${index}`, ...offline.says.shell(`echo step ${index}`) }] };
  const steps = Array.from({ length: calls + 1 });
  for (const index of steps.keys()) {
    Object.defineProperty(steps, index, {
      get() {
        askedAt[index] = performance.now();
        return step(index);
      },
    });
  }
  return { steps, askedAt };
}

/** What `npm run test:hosts` has installed, else what is on the PATH. */
function installedProgram() {
  const cache =
    process.env.HOLDFAST_HOST_CACHE ||
    join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "holdfast", "hosts");
  const cached = existsSync(cache)
    ? readdirSync(cache)
        .filter((name) => /^claude-code-[\d.]+$/.test(name))
        .sort()
    : [];
  const platform = `${process.platform}-${process.arch}`;
  const places = cached.reverse().flatMap((name) => {
    const modules = join(cache, name, "node_modules");
    const platforms = [platform, `${platform}-musl`].map((suffix) => `@anthropic-ai/claude-code-${suffix}/claude`);
    return [".bin/claude", ...platforms].map((path) => join(modules, path));
  });
  const onPath = (process.env.PATH ?? "").split(delimiter).map((directory) => join(directory, "claude"));
  return [...places, ...onPath].find((file) => existsSync(file) && versionOf(file) !== undefined);
}

/** undefined: it does not run. */
function versionOf(file) {
  const { status, stdout } = spawnSync(file, ["--version"], { encoding: "utf8", timeout: 30_000 });
  return status === 0 ? stdout.trim() : undefined;
}
