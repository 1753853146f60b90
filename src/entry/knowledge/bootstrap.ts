/** `holdfast knowledge bootstrap`: proposals of the project's own documents, by rule. */
import { bootstrap, type DocumentOutcome } from "../../knowledge/curation/bootstrap.ts";
import { type CommandCall, type ExitCode, textFlag } from "../cli/command.ts";
import { table } from "../cli/output.ts";
import { openKnowledge } from "./opened.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output, flags } = call;
  const opened = await openKnowledge(call);
  const dryRun = flags["dry-run"] === true;
  const made = await bootstrap(opened, opened.settings.docs, { from: textFlag(call, "from"), dryRun });
  if (output.json) {
    output.data({ ...made, dryRun });
    return 0;
  }
  const told = made.documents.filter(({ outcome }) => outcome !== "unchanged");
  for (const line of table(told.map((document) => [document.outcome, document.path, detailOf(document)])))
    output.line(line);
  const unchanged = made.documents.length - told.length;
  if (unchanged > 0) output.line(`${unchanged} documents are as they were when they were read last`);
  if (made.documents.length === 0) output.line("no documents were found; see knowledge.docs in the config");
  else if (made.proposals > 0 && !dryRun) output.line(`${made.proposals} proposals wait: holdfast knowledge curate`);
  return 0;
}

const MADE_NOTHING: Partial<Record<DocumentOutcome["outcome"], string>> = {
  known: "it says nothing new",
  gone: "it is not there any more",
};

function detailOf({ outcome, proposals, superseded = 0, why }: DocumentOutcome): string {
  if (why !== undefined) return why;
  const made = MADE_NOTHING[outcome] ?? `${proposals}`;
  return superseded > 0 ? `${made}; ${superseded} that waited are taken back` : made;
}
