/** `holdfast knowledge search`: the nodes that have these words, in any of their forms, best first. */
import { searchBase } from "../../knowledge/retrieval/search.ts";
import type { CommandCall, ExitCode } from "../cli/command.ts";
import { visible } from "../cli/visible.ts";
import { openKnowledge } from "./opened.ts";

const MAX_SHOWN = 20;

export async function run(call: CommandCall, words: readonly string[]): Promise<ExitCode> {
  const { output } = call;
  const { places } = await openKnowledge(call);
  const { found, problems } = await searchBase(words.join(" "), places);
  const results = found.slice(0, MAX_SHOWN).map(({ file, node, score }) => ({
    id: node.id,
    title: node.title,
    description: node.description,
    path: file.path,
    score: Math.round(score * 1000) / 1000,
  }));
  if (output.json) output.data({ results, problems });
  else {
    for (const { id, title, description } of results) {
      output.line(`${output.paint("bold", visible(title))}  ${id}`);
      output.line(`  ${visible(description)}`);
    }
    for (const { path, message } of problems) output.note(visible(`${path} ${message}`));
    if (found.length > results.length) output.note(`${found.length - results.length} more have some of the words`);
    if (results.length === 0) output.line("no node is about that");
  }
  return results.length > 0 ? 0 : 1;
}
