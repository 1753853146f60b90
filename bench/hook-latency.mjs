// npm run bench:latency: what one hook call costs, as a host sees it. All cases take turns in one run; read the ratios.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, root } from "../scripts/ensure.mjs";

ensureBuilt();
const spawns = Number(process.argv.find((arg) => /^\d+$/.test(arg)) ?? 300);
const asJson = process.argv.includes("--json");
const client = join(root, "dist", "native", "holdfast");
const program = join(root, "bin", "holdfast");
const dir = mkdtempSync(join(tmpdir(), "holdfast-latency-"));
process.on("exit", () => rmSync(dir, { recursive: true, force: true }));

const compile = (name, source) => {
  const file = join(dir, `${name}.c`);
  writeFileSync(file, source);
  execFileSync("cc", ["-O2", "-o", join(dir, name), file]);
  return join(dir, name);
};
const empty = compile("empty", "int main(void) { return 0; }\n");
execFileSync("cc", ["-O2", "-o", join(dir, "spawn"), join(root, "bench", "spawn.c")]);

const project = join(dir, "project");
mkdirSync(join(project, ".git"), { recursive: true });
const env = {
  PATH: process.env.PATH,
  HOME: dir,
  HOLDFAST_CONFIG_DIR: join(dir, "config"),
  HOLDFAST_STATE_DIR: join(dir, "state"),
};
const payload = (name, changes) => {
  const file = join(dir, `${name}.json`);
  const common = {
    session_id: "bench",
    transcript_path: join(dir, "transcript.jsonl"),
    cwd: project,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_use_id: "call",
  };
  writeFileSync(file, JSON.stringify({ ...common, ...changes }));
  return file;
};
const allow = payload("allow", { tool_input: { command: "git status && ls -l" } });
const block = payload("block", { tool_input: { command: "git push --force origin main" } });
const after = payload("after", {
  hook_event_name: "PostToolUse",
  tool_input: { command: "git status" },
  tool_response: { stdout: "ok", stderr: "" },
});
const script = Array.from(
  { length: 40 },
  (_, index) => `printf 'step ${index}: %s' "$(date)" >> out/log-${index}.txt`,
).join("\n");
const long = payload("long", { tool_input: { command: script } });
const large = payload("large", {
  tool_name: "Write",
  tool_input: { file_path: join(project, "x"), content: "x".repeat(1_000_000) },
});
const hook = ["hook", "--host", "claude-code"];
const native = existsSync(client);

const cases = [
  { name: "empty C process", command: [empty], stdin: allow },
  { name: "node -e 0", command: [process.execPath, "-e", "0"], stdin: allow },
  {
    name: "our process, cold (Node)",
    command: [process.execPath, program, ...hook],
    stdin: allow,
    env: { HOLDFAST_DAEMON: "off" },
  },
  ...(native
    ? [
        { name: "warm: allowed", command: [client, ...hook], stdin: allow },
        { name: "warm: blocked", command: [client, ...hook], stdin: block },
        { name: "warm: after a call, with its ledger line", command: [client, ...hook], stdin: after },
        {
          name: `warm: a shell command of ${Math.round(script.length / 1024)} KB`,
          command: [client, ...hook],
          stdin: long,
        },
        { name: "warm client, payload of 1 MB (decided by Node)", command: [client, ...hook], stdin: large },
      ]
    : []),
];

function run({ command, stdin, env: more = {} }, count) {
  const { stdout, status } = spawnSync(join(dir, "spawn"), [String(count), stdin, ...command], {
    cwd: project,
    env: { ...env, ...more },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${command.join(" ")} could not be started (${status})`);
  return stdout
    .trim()
    .split("\n")
    .map((line) => Number(line.split(" ")[0]) / 1000);
}

// The first calls start the daemon and compile the plan.
for (const one of cases) run(one, 3);
await new Promise((resolve) => setTimeout(resolve, 1500));
for (const one of cases) run(one, 10);
const loadBefore = loadavg()[0];
const times = new Map(cases.map(({ name }) => [name, []]));
const perTurn = 10;
for (let done = 0; done < spawns; done += perTurn)
  for (const one of cases) times.get(one.name).push(...run(one, perTurn));

const rank = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
const rows = cases.map(({ name }) => {
  const sorted = times.get(name).sort((one, other) => one - other);
  return { name, p50: rank(sorted, 0.5), p95: rank(sorted, 0.95), p99: rank(sorted, 0.99) };
});
const [emptyC, emptyNode] = rows;
const report = {
  machine: `${cpus().length} cores, ${process.arch}, Node ${process.versions.node}`,
  load: loadBefore,
  spawns,
  rows: rows.map((row) => ({ ...row, timesEmptyC: row.p50 / emptyC.p50, ofEmptyNode: row.p50 / emptyNode.p50 })),
};
if (native) spawnSync(program, ["daemon", "stop"], { env: { ...env } });
if (asJson) console.log(JSON.stringify(report, null, 2));
else {
  console.log(`${report.machine}, load ${loadBefore.toFixed(2)}, ${spawns} spawns a case, taking turns\n`);
  const cells = report.rows.map((row) => [
    row.name,
    ...[row.p50, row.p95, row.p99].map((ms) => `${ms.toFixed(2)} ms`),
    `${row.timesEmptyC.toFixed(1)} x`,
    row.ofEmptyNode >= 1 ? `${row.ofEmptyNode.toFixed(2)} x` : `1/${(1 / row.ofEmptyNode).toFixed(0)}`,
  ]);
  const all = [["", "p50", "p95", "p99", "empty C", "node -e 0"], ...cells];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  for (const row of all)
    console.log(
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join("  "),
    );
}
