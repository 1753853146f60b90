/** `holdfast knowledge search <words>`: nodes that have them, in any form of the words, best first. */
import { relative } from "node:path";
import { searchBase } from "../../knowledge/retrieval/search.ts";
import type { CommandCall, ExitCode } from "../cli/command.ts";
import { visible } from "../cli/visible.ts";
import { openKnowledge } from "./opened.ts";

const MAX_SHOWN = 20;

export async function run(call: CommandCall, words: readonly string[]): Promise<ExitCode> {
  const { output } = call;
  const { places } = await openKnowledge(call);
  const { found, problems } = await searchBase(words.join(" "), places);
  const rows = found.slice(0, MAX_SHOWN).map(({ file, node, score }) => ({
    id: node.id,
    title: node.title,
    description: node.description,
    tags: node.tags,
    file: `${relative(places.root, places.nodesDir)}/${file.path}`,
    score: Math.round(score * 1000) / 1000,
  }));
  if (output.json) output.data({ found: rows, more: found.length - rows.length, problems });
  else {
    for (const { title, file, description } of rows) {
      output.line(output.paint("bold", visible(title)));
      output.line(visible(`  ${file}`));
      if (description !== "") output.line(visible(`  ${description}`));
    }
    if (found.length > rows.length) output.note(`${found.length - rows.length} more`);
    if (rows.length === 0) output.line("no node has these words");
    for (const { path, message } of problems) output.note(visible(`${path} ${message}; it was not searched`));
  }
  return 0;
}
