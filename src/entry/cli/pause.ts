/** `holdfast pause`: a maintenance window that only a person can open, and that closes by itself. */
import { placesOf, projectRoot } from "../../config/places.ts";
import { HoldfastError } from "../../core/errors.ts";
import { endPause, MAX_MINUTES, openPause, startPause } from "../../engine/pause.ts";
import { readyEngine } from "../../engine/ready.ts";
import { recordDeed } from "../../engine/record-deed.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { assertPerson, surroundings } from "./person.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { flags, output, env, cwd } = call;
  const places = placesOf(env);
  const root = projectRoot({ cwd }, places);
  const now = new Date();
  if (flags.status) {
    const open = openPause(root, places, now);
    if (output.json) output.data({ root, open: open ?? null });
    else output.line(open ? `paused until ${new Date(open.until).toLocaleTimeString()}` : "not paused");
    return 0;
  }
  if (flags.end) {
    // Closing the window only tightens: anyone may.
    const wasOpen = openPause(root, places, now) !== undefined;
    endPause(root, places);
    if (output.json) output.data({ root, open: null, ended: wasOpen });
    else output.line(wasOpen ? "the rules hold again" : `no window was open in ${root}: the rules hold`);
    return 0;
  }
  const minutes = minutesOf(call);
  if (flags["dry-run"]) {
    if (output.json) output.data({ root, minutes, dryRun: true });
    else output.line(`would pause ${root} for ${minutes} minutes`);
    return 0;
  }
  assertPerson(surroundings(env), "pause");
  const pause = startPause(root, minutes, places, now);
  const { plan, close } = await readyEngine(cwd, env, call.distDir);
  await close();
  recordDeed(plan, places, { code: "pause", message: `a person paused the rules until ${pause.until}` });
  if (output.json) output.data({ root, open: pause });
  else {
    output.line(`${output.paint("yellow", "paused")}  ${root} until ${new Date(pause.until).toLocaleTimeString()}`);
    output.line("everything is still judged and recorded; managed rules still hold; holdfast pause --end closes it");
  }
  return 0;
}

function minutesOf(call: CommandCall): number {
  const text = textFlag(call, "minutes") ?? "10";
  const minutes = Number(text);
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > MAX_MINUTES) {
    throw new HoldfastError("HF701", `--minutes takes a whole number from 1 to ${MAX_MINUTES}, not "${text}"`);
  }
  return minutes;
}
