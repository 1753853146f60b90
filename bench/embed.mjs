// What Holdfast adds to a tool call of an agent that embeds it: a loop of 1,000 scripted calls, every subject in one run,
// taking turns, so that whatever else the machine does hits them all alike. Read the differences, not the times.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { ensureBuilt, root } from "../scripts/ensure.mjs";

ensureBuilt();
const { createHoldfast, defineHook, loadHooks } = await import(join(root, "dist/index.js"));

const json = process.argv.includes("--json");
const CALLS = 1_000;
const BATCH = 20;
const WARM_UP = 200;

const scratch = mkdtempSync(join(tmpdir(), "holdfast-bench-embed-"));

/** Every built-in hook off that can be: what is left is the records. */
const OFF = ["destructive-command", "protected-paths", "person-only", "loops", "workflow", "requires-confirmation"];
const off = (...kept) => OFF.filter((name) => !kept.includes(name)).map((name) => `  ${name}: false\n`);
const guards = (lines) => `guards:\n${lines.join("")}`;

/** All built-ins that look at a call or its output, and some of them again for this agent: twenty entries. */
const AGENT_HOOKS = [
  "read-only",
  "requires-confirmation",
  "redact-output",
  "truncate-output",
  "protected-paths",
  "person-only",
  "destructive-command",
  "loops",
  "workflow",
  "{ name: truncate-output, config: { max-characters: 20000 } }",
];
const TWENTY = `guards:\n  read-only: true\n  redact-output: true\n  truncate-output: true\nagents:\n  bench:\n    hooks:\n${AGENT_HOOKS.map((name) => `      - ${name}\n`).join("")}`;

const noOpinion = defineHook({ name: "in-code", on: ["pre_tool_use"], judge: () => undefined });

const SUBJECTS = [
  { name: "no Holdfast: the tool alone", bare: true },
  { name: "no hooks", rules: guards(off()) },
  { name: "one built-in (protected-paths)", rules: guards(off("protected-paths")) },
  { name: "twenty built-ins", rules: TWENTY, target: 100 },
  { name: "one TypeScript hook in code", rules: guards(off()), hooks: [noOpinion], target: 50 },
  { name: "one TypeScript module, loaded by the agent", rules: guards(off()), loads: "hook.ts", target: 50 },
  {
    name: "one TypeScript module of a config, in a worker",
    rules: `${guards(off())}hooks:\n  pre_tool_use:\n    - hooks: [{ type: module, path: ./hook.ts }]\n`,
  },
  {
    name: "one rate limit, shared through the disk",
    rules: guards([...off(), "  rate-limit: { limits: [{ tools: ['*'], calls: 10000, seconds: 1 }] }\n"]),
  },
  {
    name: "one command hook",
    rules: `${guards(off())}hooks:\n  pre_tool_use:\n    - hooks: [{ type: command, command: ./hook.sh }]\n`,
  },
];

const opened = [];

async function prepare({ bare, rules, hooks = [], loads }, index) {
  const dir = join(scratch, String(index));
  const [config, cwd] = [join(dir, "config"), join(dir, "project")];
  mkdirSync(join(cwd, ".git"), { recursive: true });
  mkdirSync(config, { recursive: true });
  const run = () => "found";
  if (bare) return async () => run();
  writeFileSync(join(config, "holdfast.yaml"), rules);
  writeFileSync(
    join(config, "hook.ts"),
    `import { defineHook } from "holdfast";\nexport default defineHook({ name: "module", on: ["pre_tool_use"], judge: () => undefined });\n`,
  );
  writeFileSync(join(config, "hook.sh"), "#!/bin/sh\nread -r _\necho '{}'\n");
  chmodSync(join(config, "hook.sh"), 0o755);
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    HOLDFAST_CONFIG_DIR: config,
    HOLDFAST_STATE_DIR: join(dir, "state"),
  };
  const tools = { lookup: { kind: "read", paths: ["path"] } };
  const loaded = loads ? await loadHooks(join(config, loads), { env }) : [];
  const holdfast = await createHoldfast({ cwd, env, tools, hooks: [...hooks, ...loaded], host: "bench" });
  opened.push(holdfast);
  const session = holdfast.session({ agent: "bench", user: "mona" });
  session.startTurn();
  return async (call) => {
    const outcome = await session.callTool({
      name: "lookup",
      input: { path: `file-${call}.txt` },
      id: `c${call}`,
      run,
    });
    if (outcome.status !== "ran") throw new Error(`a call was blocked: ${outcome.reason}`);
  };
}

async function measured() {
  const loops = [];
  for (const [index, subject] of SUBJECTS.entries()) loops.push(await prepare(subject, index));
  const times = loops.map(() => []);
  const callsOf = ({ name }) => (name.includes("command") ? CALLS / 5 : CALLS);
  for (const [index, loop] of loops.entries())
    for (let call = 0; call < (SUBJECTS[index].name.includes("command") ? 5 : WARM_UP); call++) await loop(call);
  for (let done = 0; done < CALLS; done += BATCH) {
    for (const [index, loop] of loops.entries()) {
      if (times[index].length >= callsOf(SUBJECTS[index])) continue;
      for (let call = 0; call < BATCH; call++) {
        const startedAt = performance.now();
        await loop(WARM_UP + done + call);
        times[index].push((performance.now() - startedAt) * 1000);
      }
    }
  }
  return times.map((list) => list.sort((a, b) => a - b));
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const rounded = (value, digits = 1) => Number(value.toFixed(digits));

let results;
try {
  const times = await measured();
  const base = at(times[1], 0.5);
  results = SUBJECTS.map(({ name, target }, index) => {
    const p50 = at(times[index], 0.5);
    return {
      name,
      calls: times[index].length,
      p50: rounded(p50),
      p95: rounded(at(times[index], 0.95)),
      added: rounded(p50 - base),
      ratio: rounded(p50 / base, 2),
      ...(target === undefined ? {} : { target, met: p50 - base <= target }),
    };
  });
} finally {
  for (const holdfast of opened) await holdfast.close();
  rmSync(scratch, { recursive: true, force: true });
}

if (json) console.log(JSON.stringify({ unit: "µs per tool call", results }, null, 2));
else {
  console.log("µs per tool call, before and after hooks and all records included; added: to a call without hooks\n");
  const row = (...cells) =>
    console.log(cells.map((cell, index) => (index === 0 ? cell.padEnd(48) : cell.padStart(10))).join(""));
  row("", "calls", "p50", "p95", "added", "ratio", "target");
  for (const { name, calls, p50, p95, added, ratio, target, met } of results) {
    const goal = target === undefined ? "" : `${met ? "≤" : "NOT ≤"} ${target}`;
    row(name, String(calls), String(p50), String(p95), String(added), `${ratio}×`, goal);
  }
}
