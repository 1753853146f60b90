// `npm start`: the main job, shown on a scratch project, our own agent under the same rules, then a call that waits for the
// person at the screen. Needs nothing but Node and npm.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, root, run } from "./ensure.mjs";

ensureBuilt();
const holdfast = join(root, "bin", "holdfast");
const args = process.argv.slice(2);
if (args.includes("--json")) {
  run(process.execPath, [holdfast, "demo", ...args]);
  process.exit();
}
run(process.execPath, [holdfast, "demo", "session", ...args]);

const task = "write the release note and push it";
console.log(`\nThe same rules in an agent of one's own: holdfast agent "${task}" (its model is scripted)\n`);
const scratch = mkdtempSync(join(tmpdir(), "holdfast-start-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const cwd = join(scratch, "project");
mkdirSync(cwd);
const script = join(root, "examples", "reference-agent", "script.json");
const env = {
  ...process.env,
  HOLDFAST_CONFIG_DIR: join(scratch, "config"),
  HOLDFAST_STATE_DIR: join(scratch, "state"),
};
run(process.execPath, [holdfast, "agent", task, "--script", script, "--mode", "accept_edits"], { cwd, env });

console.log();
run(process.execPath, [holdfast, "demo", "approval", ...args]);
