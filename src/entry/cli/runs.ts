/** `holdfast runs`: runs as a whole: which there are, and what is done to one while nothing drives it. */
import { HoldfastError } from "../../core/errors.ts";
import { osUser } from "../../engine/approval-gate.ts";
import { editDependencies } from "../../runs/dependencies.ts";
import {
  archiveRun,
  deleteRun,
  groupRun,
  nameRun,
  noteRun,
  pinRun,
  reconfigureRun,
  resetRun,
  setBackendSession,
  unarchiveRun,
} from "../../runs/lifecycle.ts";
import { addMessage } from "../../runs/messages.ts";
import { RUN_STATUSES, type Run } from "../../runs/run.ts";
import type { RunQuery } from "../../runs/store.ts";
import { runFor } from "../run/access.ts";
import type { OpenRuns } from "../run/ports.ts";
import { repositoryOf } from "../run/repository.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { interruption, unlessStopped } from "./interruption.ts";
import { cliVarsOf } from "./new-run.ts";
import { withRuns } from "./open-runs.ts";
import { assertNoAgentShell } from "./person.ts";
import { printRun, runView, summaryRows } from "./run-view.ts";
import { performVerb, type Verb, type Verbs } from "./verbs.ts";

type Change = (runs: OpenRuns, run: Run, call: CommandCall, words: readonly string[]) => Promise<Run>;

/** A verb that changes one run and shows it. */
function changing(
  usage: string,
  change: Change,
  more: Partial<Verb> & { readonly personOnly?: true; readonly access?: "drive" } = {},
): Verb {
  const { personOnly, access = personOnly ? "drive" : "edit", ...verb } = more;
  return {
    usage,
    words: [1, 1],
    writes: true,
    ...verb,
    perform: (call, [id = "", ...words]) =>
      withRuns(call, async (runs) => {
        if (personOnly) assertNoAgentShell(call.env, `runs ${usage.split(" ")[0]} ${id}`);
        const before = await runFor(runs, id, access);
        const shown = call.flags["dry-run"] ? before : await change(runs, before, call, words);
        if (call.output.json) call.output.data(runView(shown));
        else {
          if (call.flags["dry-run"]) call.output.line("nothing was changed; the run as it is:");
          printRun(shown, call.output);
        }
        return 0;
      }),
  };
}

const VERBS: Verbs = {
  list: {
    usage: "list [--all] [--status s] [--group g] [--archived] [--limit n]",
    words: [0, 0],
    flags: ["all", "status", "group", "archived", "limit"],
    perform: list,
  },
  show: {
    usage: "show <run>",
    words: [1, 1],
    perform: (call, [id]) =>
      withRuns(call, async (runs) => {
        const run = await runFor(runs, id, "read");
        if (call.output.json) call.output.data(runView(run));
        else {
          printRun(run, call.output);
          call.output.line(`  files  ${runs.store.directoryOf(run.id)}`);
          for (const { id: hook, phase } of run.hooks) call.output.line(`  hook  ${phase}  ${hook}`);
        }
        return 0;
      }),
  },
  reset: changing("reset <run>", (runs, { id }) => resetRun(runs, id), { personOnly: true }),
  reconfigure: changing(
    "reconfigure <run> [--var name=value] [--message text]",
    (runs, { id }, call) => {
      const message = textFlag(call, "message");
      const given = { cliVars: cliVarsOf(call), ...(message === undefined ? {} : { message }) };
      const signal = interruption();
      return unlessStopped(`run ${id} is as it was`, signal, reconfigureRun(runs, id, given, signal));
    },
    { flags: ["var", "message"], personOnly: true },
  ),
  stop: changing(
    "stop <run>",
    async (runs, run, { env }) => {
      await runs.store.requestStop(run.id, env.HOLDFAST_RUN_ID ? `run ${env.HOLDFAST_RUN_ID}` : osUser(), "cli");
      return run;
    },
    { access: "drive" },
  ),
  archive: changing("archive <run>", (runs, { id }) => archiveRun(runs, id)),
  unarchive: changing("unarchive <run>", (runs, { id }) => unarchiveRun(runs, id)),
  delete: {
    usage: "delete <run>",
    words: [1, 1],
    writes: true,
    perform: (call, [wanted]) =>
      withRuns(call, async (runs) => {
        assertNoAgentShell(call.env, `runs delete ${wanted}`);
        const { id } = await runFor(runs, wanted, "drive");
        if (!call.flags["dry-run"]) await deleteRun(runs, id);
        const done = call.flags["dry-run"] ? "would be deleted" : "deleted";
        if (call.output.json) call.output.data({ run: id, isDeleted: !call.flags["dry-run"] });
        else call.output.line(`run ${id} ${done}, with its log and attachments`);
        return 0;
      }),
  },
  name: changing("name <run> [text]", (runs, { id }, _, [text]) => nameRun(runs, id, text ?? null), { words: [1, 2] }),
  note: changing("note <run> [text]", (runs, { id }, _, [text]) => noteRun(runs, id, text ?? null), { words: [1, 2] }),
  message: changing(
    "message <run> <text>",
    async (runs, { id }, { output }, [text = ""]) => {
      const run = await addMessage(runs, id, text);
      if (run.endedAt !== null && !output.json)
        output.note(`the run has ended: it is told this once it goes on with holdfast resume ${id}`);
      return run;
    },
    { words: [2, 2] },
  ),
  group: changing("group <run> [name]", (runs, { id }, _, [name]) => groupRun(runs, id, name ?? null), {
    words: [1, 2],
  }),
  pin: changing("pin <run>", (runs, { id }) => pinRun(runs, id, true)),
  unpin: changing("unpin <run>", (runs, { id }) => pinRun(runs, id, false)),
  session: changing(
    "session <run> [id]",
    (runs, { id }, _, [session]) => setBackendSession(runs, id, session ?? null),
    { words: [1, 2] },
  ),
  depend: changing(
    "depend <run> [other | group:name] [--remove | --clear]",
    (runs, { id }, call, [other]) => editDependencies(runs, id, dependencyEdit(call, other)),
    { words: [1, 2], flags: ["remove", "clear"] },
  ),
};

export const run = (call: CommandCall): Promise<ExitCode> => performVerb("runs", VERBS, call, "list");

function dependencyEdit(call: CommandCall, other: string | undefined) {
  if (call.flags.clear) return { clear: true as const };
  if (other !== undefined) return call.flags.remove ? { remove: other } : { add: other };
  throw new HoldfastError("HF701", "on which run?", { hint: "holdfast runs depend <run> <other run>, or --clear" });
}

function list(call: CommandCall): Promise<ExitCode> {
  const { output, cwd } = call;
  return withRuns(call, async (runs) => {
    const found = await runs.store.list(queryOf(call, cwd));
    if (output.json) output.data(found);
    else if (found.length === 0) output.line("no runs; --all looks in every repository");
    else for (const line of summaryRows(found, output)) output.line(line);
    return 0;
  });
}

function queryOf(call: CommandCall, cwd: string): RunQuery {
  const status = textFlag(call, "status");
  const known = RUN_STATUSES.find((name) => name === status);
  if (status !== undefined && !known) {
    throw new HoldfastError("HF701", `there is no status "${status}"`, {
      hint: `statuses: ${RUN_STATUSES.join(", ")}`,
    });
  }
  const group = textFlag(call, "group");
  const limit = textFlag(call, "limit");
  if (limit !== undefined && !/^\d+$/.test(limit)) {
    throw new HoldfastError("HF701", `--limit ${limit} is no whole number`, { hint: "--limit 20" });
  }
  return {
    ...(call.flags.all ? {} : { repo: repositoryOf(cwd) }),
    ...(known ? { statuses: [known] } : {}),
    ...(group === undefined ? {} : { group }),
    ...(call.flags.archived ? { includeArchived: true } : {}),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
  };
}
