// What capture of a transcript costs, by its size: processor time, since others may use the machine, and memory at its
// highest. Two kinds: one in which tools returned most of it, as in real sessions, and one in which everything was said.
// Beside each time stands that of only reading the file and parsing its lines, in the same run: read the ratios, not the
// times. --json prints the figures.
import { spawnSync } from "node:child_process";
import { appendFileSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt, root } from "../scripts/ensure.mjs";

/** As Claude Code writes one. */
const lineOf = (uuid, type, content) => `${JSON.stringify({ type, uuid, message: { role: type, content } })}\n`;
const MIB = 1024 * 1024;
const SESSION = "d433689e-a06a-4ab4-8a2a-ab95eb57b2b3";
const [, , mode, file, scratchDir] = process.argv;

if (mode === "capture" || mode === "parse") await measured();
else report();

async function measured() {
  const before = process.cpuUsage();
  if (mode === "parse") {
    const { linesOf } = await import(join(root, "dist/knowledge/capture/lines.js"));
    for await (const line of linesOf(file, { maxBytes: 8 * MIB, onSkipped() {} })) JSON.parse(line);
  } else {
    const { captureSession } = await import(join(root, "dist/knowledge/capture/capture.js"));
    const { knowledgePlaces } = await import(join(root, "dist/knowledge/places.js"));
    const { takeLock } = await import(join(root, "dist/engine/knowledge.js"));
    await captureSession({
      ...{
        host: "claude-code",
        session: SESSION,
        transcriptPath: file,
        by: "stop",
        now: new Date(),
        secrets: "redact",
      },
      ...{ places: knowledgePlaces(scratchDir), homeDir: scratchDir, env: {}, takeLock },
      signal: new AbortController().signal,
    });
  }
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  console.log(JSON.stringify({ ms, maxRssMiB: process.resourceUsage().maxRSS / 1024 }));
}

function report() {
  ensureBuilt();
  const scratch = mkdtempSync(join(tmpdir(), "holdfast-bench-capture-"));
  try {
    const rows = [];
    for (const kind of ["tools", "talk"])
      for (const mib of [1, 10, 50]) {
        const path = join(scratch, `${kind}-${mib}.jsonl`);
        written(path, kind, mib * MIB);
        const project = join(scratch, `${kind}-${mib}`);
        const runs = (what) =>
          [1, 2, 3].map(() => {
            rmSync(project, { recursive: true, force: true });
            return run(what, path, project);
          });
        const best = (results) => results.reduce((a, b) => (a.ms < b.ms ? a : b));
        const [parse, capture] = [best(runs("parse")), best(runs("capture"))];
        const again = [1, 2, 3].map((turn) => {
          appendFileSync(path, lineOf(`again ${turn}`, "assistant", [{ type: "text", text: "One more word." }]));
          return run("capture", path, project);
        });
        const figures = { ms: capture.ms, againMs: best(again).ms, parseMs: parse.ms, maxRssMiB: capture.maxRssMiB };
        rows.push({ kind, mib, ...figures });
      }
    if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 2));
    else print(rows);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function run(what, path, project) {
  mkdirSync(project, { recursive: true });
  const args = [fileURLToPath(import.meta.url), what, path, project];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

/** tools: nine parts of ten are what a tool returned. */
function written(path, kind, bytes) {
  const descriptor = openSync(path, "w");
  const said = "The release job runs on the arm runners because only they have the signing key. ";
  for (let size = 0, index = 0; size < bytes; index += 1) {
    const role = index % 2 === 0 ? "user" : "assistant";
    const isTool = kind === "tools" && index % 10 !== 0;
    const content = isTool
      ? [{ type: "tool_result", tool_use_id: `t${index}`, content: "x = compute(y)\n".repeat(700) }]
      : [{ type: "text", text: `${index} ${said.repeat(kind === "tools" ? 10 : 120)}` }];
    const type = isTool ? "user" : role;
    const line = lineOf(`u${index}`, type, content);
    size += line.length;
    writeSync(descriptor, line);
  }
  closeSync(descriptor);
}

function print(rows) {
  console.log("transcript        first   after one more turn   reading and parsing it   memory at its highest");
  for (const { kind, mib, ms, againMs, parseMs, maxRssMiB } of rows) {
    const name = `${String(mib).padStart(3)} MiB ${kind}`.padEnd(14);
    const figures = [
      [ms, "ms", 9],
      [againMs, "ms", 22],
      [parseMs, "ms", 25],
      [maxRssMiB, "MiB", 24],
    ];
    console.log(
      `${name}${figures.map(([value, unit, width]) => `${value.toFixed(0)} ${unit}`.padStart(width)).join("")}`,
    );
  }
}
