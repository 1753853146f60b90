// The native client against a daemon that only answers, next to an empty C program and to Node: what the way costs.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { transformSync } from "esbuild";
import { ensureBuilt, root } from "../scripts/ensure.mjs";

ensureBuilt();
const { hostCompiler } = await import(pathToFileURL(join(root, "dist/entry/native/compile.js")).href);
const { command: compiler, problem } = hostCompiler(process.env);
if (problem) throw new Error(problem);
const ROUNDS = 300;
const scratch = mkdtempSync(join(tmpdir(), "hf-bench-"));
const at = (name) => join(scratch, name);

const compiled = (name, source) => {
  const [program, ...args] = compiler;
  const { status, stderr } = spawnSync(program, [...args, "-O2", source, "-o", at(name)], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return at(name);
};

const u32 = (...values) => Buffer.concat(values.map((value) => Buffer.from(Uint32Array.of(value).buffer)));
const send = (bytes) => ({ do: "send", bytes: bytes.toString("base64") });
const steps = [
  { do: "request" },
  send(Buffer.concat([u32(1, 4, 1000), u32(2, 0)])),
  { do: "go" },
  send(u32(3, 12, 0, 0, 0)),
];

const buildId = readFileSync(join(root, "dist/native/build-id"), "utf8");
mkdirSync(at("state/run"), { recursive: true, mode: 0o700 });
const standIn = readFileSync(join(root, "test/native/stand-in.ts"), "utf8");
writeFileSync(at("stand-in.mjs"), transformSync(standIn, { loader: "ts", format: "esm" }).code);
const daemon = spawn(process.execPath, [at("stand-in.mjs"), at(`state/run/${buildId}.sock`), "quiet"]);
daemon.stdin.end(JSON.stringify(steps));
process.on("exit", () => {
  daemon.kill();
  rmSync(scratch, { recursive: true, force: true });
});
await once(daemon.stdout, "data");

writeFileSync(at("empty.c"), "int main(void) { return 0; }\n");
writeFileSync(
  at("input"),
  JSON.stringify({
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    session_id: "s",
    tool_input: { command: `ls ${"x".repeat(2000)}` },
  }),
);
const timer = compiled("spawn", join(root, "bench/spawn.c"));
const env = {
  PATH: process.env.PATH,
  HOME: scratch,
  HOLDFAST_STATE_DIR: at("state"),
  HOLDFAST_CONFIG_DIR: at("config"),
};
const hook = ["hook", "--host", "claude-code"];
const subjects = [
  ["an empty C program", ROUNDS, [compiled("empty", at("empty.c"))]],
  ["the native client, answered by the stand-in", ROUNDS, [join(root, "dist/native/holdfast"), ...hook]],
  [
    "the native client, without a daemon",
    30,
    [join(root, "dist/native/holdfast"), ...hook],
    { HOLDFAST_DAEMON: "off" },
  ],
  ["Node alone", 30, [join(root, "bin/holdfast"), ...hook]],
  ...process.argv.slice(2).map((program) => [program, ROUNDS, [program, ...hook]]),
];
for (const [name, rounds, words, more] of subjects) {
  const options = { env: { ...env, ...more }, cwd: scratch, encoding: "utf8" };
  const timed = (count) => spawnSync(timer, ["1", String(count), "0", at("input"), "0", "*", ...words], options);
  timed(20);
  const { status, stdout, stderr } = timed(rounds);
  if (status !== 0) throw new Error(`${name}: ${status} ${stderr}`);
  const lines = stdout.trim().split("\n").slice(0, -1);
  const times = lines.map((line) => Number.parseFloat(line) / 1000);
  times.sort((a, b) => a - b);
  const [p50, p95] = [0.5, 0.95].map((share) => times[Math.floor(times.length * share)].toFixed(2));
  console.log(`  ${name.padEnd(46)} p50 ${p50} ms   p95 ${p95} ms   (${rounds} calls)`);
}
process.exit();
