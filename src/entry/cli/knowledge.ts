/** `holdfast knowledge`: a verb each in src/entry/knowledge. */
import type { CommandCall, ExitCode } from "./command.ts";
import { performVerb, type Verb, type Verbs } from "./verbs.ts";

type Perform = Verb["perform"];

const loaded =
  (load: () => Promise<{ run: Perform }>): Perform =>
  async (call, words) =>
    (await load()).run(call, words);

const VERBS: Verbs = {
  status: {
    usage: "status",
    words: [0, 0],
    perform: loaded(() => import("../knowledge/status.ts")),
  },
  init: {
    usage: "init [--hosts a,b] [--remove] [--dry-run]",
    words: [0, 0],
    flags: ["hosts", "remove"],
    writes: true,
    perform: loaded(() => import("../knowledge/init.ts")),
  },
  curate: {
    usage:
      "curate [--list | --accept p [--folder f] | --merge p --into node | --contradict p --into node --reason text | --reject p | --later p | --undo [p] | --actions file]",
    words: [0, 1],
    flags: ["list", "accept", "merge", "contradict", "reject", "later", "undo", "actions", "into", "reason", "folder"],
    perform: loaded(() => import("../knowledge/curate.ts")),
  },
  add: {
    usage:
      "add --type t --title text --description text [--body text | --from file] [--tags a,b] [--folder f] [--propose]",
    words: [0, 0],
    flags: [
      ...["type", "title", "description", "body", "from", "tags", "confidence", "folder", "slug", "propose"],
      ...["relates-to", "depends-on", "derived-from"],
    ],
    writes: true,
    perform: loaded(() => import("../knowledge/add.ts")),
  },
  bootstrap: {
    usage: "bootstrap [--from path] [--dry-run]",
    words: [0, 0],
    flags: ["from"],
    writes: true,
    perform: loaded(() => import("../knowledge/bootstrap.ts")),
  },
  search: {
    usage: "search <words>",
    words: [1, 50],
    perform: loaded(() => import("../knowledge/search.ts")),
  },
  index: {
    usage: "index [--stage] [--dry-run]",
    words: [0, 0],
    flags: ["stage"],
    writes: true,
    perform: loaded(() => import("../knowledge/index-pages.ts")),
  },
  drain: {
    usage: "drain [--dry-run] [--retry] [--yes]",
    words: [0, 0],
    flags: ["retry", "yes"],
    writes: true,
    perform: loaded(() => import("../knowledge/drain.ts")),
  },
  lint: { usage: "lint", words: [0, 0], perform: loaded(() => import("../knowledge/lint.ts")) },
  doctor: { usage: "doctor", words: [0, 0], perform: loaded(() => import("../knowledge/doctor.ts")) },
  prune: {
    usage: "prune [--days n] [--dry-run]",
    words: [0, 0],
    flags: ["days"],
    writes: true,
    perform: loaded(() => import("../knowledge/prune.ts")),
  },
  validate: {
    usage: "validate <schema> [file | -]",
    words: [1, 2],
    perform: loaded(() => import("../knowledge/validate.ts")),
  },
};

export const run = (call: CommandCall): Promise<ExitCode> => performVerb("knowledge", VERBS, call, "status");
