// npm run bench:latency: what one hook call costs, as a host sees it, and whether the promises about it hold.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { ensureBuilt } from "../scripts/ensure.mjs";
import { isUsageError, readOptions } from "./latency/options.mjs";

const options = optionsOrExit();
ensureBuilt();
// Only now: these load what the build makes.
const { measureCases } = await import("./latency/cases.mjs");
const { measureGrowth } = await import("./latency/growth.mjs");
const { measureHost } = await import("./latency/host.mjs");
const { describeBuild, describeMachine, loadNow } = await import("./latency/machine.mjs");
const { measureMemory } = await import("./latency/memory.mjs");
const { buildTools } = await import("./latency/native-tools.mjs");
const { pageOf } = await import("./latency/page.mjs");
const { measureParallel } = await import("./latency/parallel.mjs");
const { plotOf } = await import("./latency/plot.mjs");
const { plainTable, tablesOf } = await import("./latency/tables.mjs");
const { targetsOf } = await import("./latency/targets.mjs");

// stdout is the report's alone.
const say = (line) => process.stderr.write(`  ${line}\n`);
const report = await measure();
deliver(report);
if (options.check && report.targets.some(({ held }) => held === false)) process.exitCode = 1;

async function measure() {
  const toolsDir = mkdtempSync(join(tmpdir(), "hf-bench-tools-"));
  try {
    const tools = buildTools(toolsDir);
    const loadBefore = loadNow();
    const build = describeBuild();
    const when = (section, work) => (options.sections.has(section) ? work() : undefined);
    const measured = await when("cases", () => measureCases(tools, options, say));
    const growth = await when("growth", () => measureGrowth(tools, options, say));
    const parallel = await when("parallel", () => measureParallel(tools, options, say));
    const memory = await when("memory", () => measureMemory(tools, options, say));
    const host = await when("host", () => measureHost(tools, options, say));
    const { quick, rounds, turn } = options;
    const notRun = options.sections.has("host")
      ? []
      : ["the real host: --host runs Claude Code with and without Holdfast"];
    return {
      takenAt: new Date().toISOString(),
      build,
      machine: describeMachine(),
      load: { before: loadBefore, after: loadNow() },
      options: { quick, rounds, turn },
      ...(measured ? { cases: measured.cases, records: measured.records } : {}),
      ...(growth ? { growth } : {}),
      ...(parallel ? { parallel } : {}),
      ...(memory ? { memory } : {}),
      ...(host ? { host } : {}),
      targets: targetsOf({ cases: measured?.cases, growth, parallel, memory }),
      skipped: [...(measured?.skipped ?? []), ...(host?.skipped ? [host.skipped] : []), ...notRun],
    };
  } finally {
    rmSync(toolsDir, { recursive: true, force: true });
  }
}

function deliver(report) {
  const json = `${JSON.stringify(report, null, 2)}\n`;
  const { outDir, jsonFile, jsonOnStdout } = options;
  if (jsonFile) write(resolve(jsonFile), json);
  if (outDir) {
    write(join(outDir, "hook-latency.json"), json);
    if (report.cases) write(join(outDir, "hook-latency.svg"), plotOf(report));
    write(join(outDir, "hook-latency.md"), pageOf(report, "hook-latency.svg"));
  }
  if (jsonOnStdout) return void process.stdout.write(json);
  const { machine, load } = report;
  console.log(
    `${machine.summary}; load ${load.before[0]} before, ${load.after[0]} after; ${options.rounds} spawns a case\n`,
  );
  for (const table of tablesOf(report)) console.log(plainTable(table));
  for (const line of report.skipped) console.log(`not measured: ${line}`);
  if (outDir) console.log(`\nwritten: hook-latency.md, .svg and .json in ${outDir}`);
}

function write(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function optionsOrExit() {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    if (!isUsageError(error)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}
