/** `holdfast attachment`: files that go with a run. */
import { copyFileSync, existsSync } from "node:fs";
import { resolve } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { changeAttachments } from "../../runs/attachments.ts";
import type { Attachment, Run } from "../../runs/run.ts";
import { runFor } from "../run/access.ts";
import type { OpenRuns } from "../run/ports.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { withRuns } from "./open-runs.ts";
import { table } from "./output.ts";
import { performVerb, type Verbs } from "./verbs.ts";

const VERBS: Verbs = {
  list: {
    usage: "list [--run id]",
    words: [0, 0],
    perform: (call) => on(call, "read", async (_, run) => show(run, call)),
  },
  add: {
    usage: "add <file> [--name name] [--mime-type type] [--run id]",
    words: [1, 1],
    flags: ["name", "mime-type"],
    perform: (call, [file = ""]) =>
      on(call, "edit", async (runs, { id }) => {
        const [name, mimeType] = [textFlag(call, "name"), textFlag(call, "mime-type")];
        const entry = { sourcePath: file, ...(name ? { name } : {}), ...(mimeType ? { mimeType } : {}) };
        return show(await changeAttachments(runs, id, { add: [entry] }, call.cwd), call);
      }),
  },
  download: {
    usage: "download <attachment> [--to file] [--run id]",
    words: [1, 1],
    flags: ["to"],
    perform: (call, [wanted = ""]) =>
      on(call, "read", async (runs, run) => {
        const attachment = attachmentOf(run, wanted);
        const target = resolve(call.cwd, textFlag(call, "to") ?? attachment.name);
        if (existsSync(target)) {
          throw new HoldfastError("HF701", `${target} is there already`, { hint: "choose another name with --to" });
        }
        copyFileSync(await runs.store.attachmentFile(run.id, attachment), target);
        if (call.output.json) call.output.data({ ...attachment, file: target });
        else call.output.line(`${call.output.paint("green", "written")}  ${target}`);
        return 0;
      }),
  },
  remove: {
    usage: "remove <attachment> [--run id]",
    words: [1, 1],
    perform: (call, [wanted = ""]) =>
      on(call, "edit", async (runs, run) => {
        const { id } = attachmentOf(run, wanted);
        return show(await changeAttachments(runs, run.id, { remove: [id] }, call.cwd), call);
      }),
  },
};

export const run = (call: CommandCall): Promise<ExitCode> => performVerb("attachment", VERBS, call, "list");

const on = (
  call: CommandCall,
  what: "read" | "edit",
  work: (runs: OpenRuns, run: Run) => Promise<ExitCode>,
): Promise<ExitCode> => withRuns(call, async (runs) => work(runs, await runFor(runs, textFlag(call, "run"), what)));

function show({ attachments }: Run, { output }: CommandCall): ExitCode {
  if (output.json) output.data(attachments);
  else if (attachments.length === 0) output.line("no attachments");
  else {
    const rows = attachments.map(({ id, name, mimeType, bytes, sha256 }) => [
      id,
      name,
      mimeType,
      `${bytes} bytes`,
      sha256.slice(0, 12),
    ]);
    for (const line of table(rows)) output.line(line);
  }
  return 0;
}

/** By id, or by a name that is there once. */
function attachmentOf({ id, attachments }: Run, wanted: string): Attachment {
  const found = attachments.filter((each) => each.id === wanted || each.name === wanted);
  const [first] = found;
  if (first && found.length === 1) return first;
  throw new HoldfastError("HF701", `run ${id} has ${first ? "several attachments" : "no attachment"} "${wanted}"`, {
    hint: "holdfast attachment list shows their ids",
  });
}
