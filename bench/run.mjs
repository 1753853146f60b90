// Ratios measured side by side in one run. Absolute times are this machine's; the ratios are what to read.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { ensureBuilt, root } from "../scripts/ensure.mjs";

ensureBuilt();
const dist = (path) => import(join(root, "dist", path));
const { parse } = await import("unbash");
const { analyseCommand } = await dist("shell/analyse.js");
const { findingsOf } = await dist("hooks/destructive-command/judge.js");
const { PACKS } = await dist("hooks/destructive-command/packs.js");
const { recordsNewestFirst } = await dist("records/newest-first.js");
const { recordText, sealLine, CHAIN_START } = await dist("records/chain.js");

const json = process.argv.includes("--json");
const results = [];
const report = (group, rows) => {
  results.push({ group, rows });
  if (json) return;
  console.log(`\n${group}`);
  for (const { name, ...figures } of rows)
    console.log(
      `  ${name.padEnd(46)} ${Object.entries(figures)
        .map(([key, value]) => `${key} ${value}`)
        .join("   ")}`,
    );
};
const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const rounded = (value, digits = 2) => Number(value.toFixed(digits));

/** Interleaves the subjects, so that whatever else the machine does hits them all alike. */
function measure(subjects, rounds) {
  const times = subjects.map(() => []);
  for (let round = 0; round < rounds; round++) {
    subjects.forEach(({ run }, index) => {
      const startedAt = performance.now();
      run(round);
      times[index].push(performance.now() - startedAt);
    });
  }
  return times.map((list) => list.sort((a, b) => a - b));
}

const scratch = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
const env = {
  PATH: process.env.PATH,
  HOME: scratch,
  HOLDFAST_CONFIG_DIR: join(scratch, "config"),
  HOLDFAST_STATE_DIR: join(scratch, "state"),
};
mkdirSync(join(scratch, "project"));
const cwd = join(scratch, "project");

function processes() {
  const payload = JSON.stringify({
    session_id: "s",
    transcript_path: "/t",
    cwd,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "git status" },
    tool_use_id: "t",
  });
  const spawn =
    (command, args, input = "") =>
    () =>
      spawnSync(command, args, { cwd, env, input });
  const subjects = [
    { name: "an empty process (sh -c :)", run: spawn("sh", ["-c", ":"]) },
    { name: "node -e 0", run: spawn(process.execPath, ["-e", "0"]) },
    {
      name: "holdfast hook, plan compiled",
      run: spawn(process.execPath, [join(root, "bin/holdfast"), "hook", "--host", "claude-code"], payload),
    },
  ];
  subjects[2].run();
  const times = measure(subjects, 40);
  const node = percentile(times[1], 0.5);
  report(
    "one process per call (40 rounds, interleaved)",
    subjects.map(({ name }, index) => ({
      name,
      p50: `${rounded(percentile(times[index], 0.5))} ms`,
      p95: `${rounded(percentile(times[index], 0.95))} ms`,
      "× node -e 0": rounded(percentile(times[index], 0.5) / node),
    })),
  );
}

const corpus = PACKS.flatMap(({ rules }) => rules.flatMap(({ stops, passes }) => [...stops, ...passes])).map((item) =>
  typeof item === "string" ? item : item.command,
);
const world = {
  cwd: "/home/person/work/project",
  rootDir: "/home/person/work/project",
  homeDir: "/home/person",
  gitIsClean: () => undefined,
  gitBranch: () => undefined,
};
const analyse = (command) =>
  analyseCommand(command, { cwd: world.cwd, homeDir: world.homeDir, realPath: (path) => path });

function judging() {
  const each = (work) => () => corpus.forEach(work);
  const subjects = [
    { name: "parse with unbash alone", run: each((command) => parse(command)) },
    { name: "understand (effects)", run: each(analyse) },
    {
      name: "understand and judge by all rules",
      run: each((command) => findingsOf(analyse(command).effects, PACKS, world)),
    },
  ];
  measure(subjects, 5);
  const times = measure(subjects, 30);
  const base = percentile(times[0], 0.5);
  report(
    `judging in process (${corpus.length} commands of the rules' own cases)`,
    subjects.map(({ name }, index) => {
      const p50 = percentile(times[index], 0.5);
      return {
        name,
        "per command": `${rounded((p50 / corpus.length) * 1000)} µs`,
        "per second": Math.round(corpus.length / (p50 / 1000)),
        "× parse": rounded(p50 / base),
      };
    }),
  );
}

function ruleCounts() {
  const all = PACKS.flatMap(({ rules }) => rules);
  const packsOf = (count) => [
    {
      name: "bench",
      doc: "",
      rules: Array.from({ length: count }, (_, index) => all[index % all.length]).map((rule, index) => ({
        ...rule,
        id: `bench/${index}`,
      })),
    },
  ];
  const subjects = [1, 20, 200].map((count) => {
    const packs = packsOf(count);
    return {
      name: `${count} rules`,
      run: () => {
        for (const command of corpus) findingsOf(analyse(command).effects, packs, world);
      },
    };
  });
  measure(subjects, 3);
  const times = measure(subjects, 15);
  const base = percentile(times[0], 0.5);
  report(
    "cost of rules",
    subjects.map(({ name }, index) => ({ name, "× 1 rule": rounded(percentile(times[index], 0.5) / base) })),
  );
}

function ledgerSizes() {
  const sizes = [100, 10_000, 1_000_000];
  const subjects = sizes.map((size) => {
    const file = join(scratch, `ledger-${size}.jsonl`);
    let head = CHAIN_START;
    for (let start = 0; start < size; start += 5_000) {
      let chunk = "";
      for (let n = start; n < Math.min(size, start + 5_000); n++) {
        const sealed = sealLine(
          recordText({
            timestamp: "2026-11-15T00:00:00.000Z",
            host: "bench",
            session: `s${n % 50}`,
            agent: null,
            tool_name: "Bash",
            tool_kind: "shell",
            cwd: "/p",
            input_summary: `command ${n}`,
            success: true,
          }),
          head,
        );
        head = sealed.head;
        chunk += `${sealed.text}\n`;
      }
      appendFileSync(file, chunk);
    }
    const marks = ['"session":"s7"'];
    return {
      name: `${size.toLocaleString("en")} lines behind it`,
      run: () => {
        for (const record of recordsNewestFirst({ file }, { maxLines: 5_000, marks }))
          if (record.tool_kind === "edit") break;
      },
    };
  });
  measure(subjects, 3);
  const times = measure(subjects, 20);
  const base = percentile(times[1], 0.5);
  report(
    "an evidence query that finds nothing (worst case)",
    subjects.map(({ name }, index) => ({
      name,
      p50: `${rounded(percentile(times[index], 0.5))} ms`,
      "× 10,000 lines": rounded(percentile(times[index], 0.5) / base),
    })),
  );
}

function hostileInput() {
  const typical = corpus
    .map((command) => {
      const startedAt = performance.now();
      analyse(command);
      return (performance.now() - startedAt) / Math.max(1, command.length);
    })
    .sort((a, b) => a - b);
  const median = percentile(typical, 0.5);
  const shapes = {
    "10 MB of words": "a ".repeat(5_000_000),
    "10 MB in one quoted word": `echo '${"x".repeat(10_000_000)}'`,
    "5,000 nested subshells": `${"(".repeat(5_000)}ls${")".repeat(5_000)}`,
    "5,000 nested substitutions": `${"$(".repeat(5_000)}ls${")".repeat(5_000)}`,
    "20,000 pipes": Array(20_000).fill("cat").join(" | "),
    "20,000 commands": Array(20_000).fill("rm x").join("; "),
    "a brace bomb": `echo ${"{a,b}".repeat(40)}`,
    "100,000 quotes": `echo ${"''".repeat(100_000)}`,
  };
  report(
    "hostile input",
    Object.entries(shapes).map(([name, command]) => {
      const startedAt = performance.now();
      analyse(command);
      const took = performance.now() - startedAt;
      return { name, took: `${rounded(took, 0)} ms`, "× median per byte": rounded(took / command.length / median) };
    }),
  );
}

try {
  processes();
  judging();
  ruleCounts();
  ledgerSizes();
  hostileInput();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (json) console.log(JSON.stringify({ node: process.version, results }, null, 2));
