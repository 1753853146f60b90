/** The entry catalogue as a session's model gets it: where the branches are, never what the nodes say. */

import { readIfThere } from "../background/private-file.ts";
import { parseFrontMatter } from "../base/front-matter.ts";
import { listNodeFiles } from "../base/node-files.ts";
import { GENERATED } from "../base/pages.ts";
import { KNOWLEDGE_FOLDER, type KnowledgePlaces } from "../places.ts";

/** It grows with top folders only; a base with hundreds of them does not fill a context either. */
export const MAX_CATALOGUE_CHARACTERS = 6_000;

/** undefined: there is no base, or an empty one. */
export function entryCatalogue(places: KnowledgePlaces): string | undefined {
  const text = readIfThere(places.entryFile);
  const parsed = text === undefined ? undefined : parseFrontMatter(text);
  if (parsed === undefined || typeof parsed === "string") {
    if (listNodeFiles(places.nodesDir).files.length === 0) return undefined;
    return `This project has a knowledge base in ${KNOWLEDGE_FOLDER}/nodes, but no catalogue of it that can be read. \`holdfast knowledge index\` makes one.`;
  }
  if (parsed.data.node_count === 0) return undefined;
  const body = parsed.body.replace(GENERATED, "").trim();
  return `What this project's people have settled and written down. Paths are relative to ${KNOWLEDGE_FOLDER}/.\n\n${bounded(body)}`;
}

function bounded(body: string): string {
  if (body.length <= MAX_CATALOGUE_CHARACTERS) return body;
  const lineEnd = body.lastIndexOf("\n", MAX_CATALOGUE_CHARACTERS);
  const kept = body.slice(0, lineEnd > 0 ? lineEnd : MAX_CATALOGUE_CHARACTERS);
  return `${kept}\n\nThe catalogue is longer than this: ENTRY.md has the rest.`;
}
