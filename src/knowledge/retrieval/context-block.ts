/** What the model is told of the nodes that were found: where each is and what it is about, never its body. */
import type { IndexedFile, IndexedNode } from "./search-index.ts";

export const MAX_NODES = 5;
export const MAX_CHARACTERS = 1_800;

const HEADER =
  "Notes of this project that may bear on the prompt. They are pointers: open a file before you rely on it, and check the names it gives against the code as it is now.";

export interface ListedNode {
  readonly file: IndexedFile;
  readonly node: IndexedNode;
}

/** undefined: nothing was found. The first node is always told, cut to the budget; the list ends where the next one would not fit. */
export function contextBlock(found: readonly ListedNode[], nodesDir: string): string | undefined {
  let block = HEADER;
  for (const [at, item] of found.slice(0, MAX_NODES).entries()) {
    const longer = `${block}\n${entry(item, nodesDir)}`;
    if (longer.length > MAX_CHARACTERS) {
      if (at > 0) break;
      return cutTo(longer, MAX_CHARACTERS);
    }
    block = longer;
  }
  return block === HEADER ? undefined : block;
}

function entry({ file, node }: ListedNode, nodesDir: string): string {
  const tags = node.tags.map((tag) => ` #${inLine(tag)}`).join("");
  const description = node.description.trim() === "" ? "" : `: ${inLine(node.description)}`;
  return `- [**${inLine(node.title)}**](${target(`${nodesDir}/${file.path}`)}) \`${inLine(node.id)}\`${description}${tags}`;
}

/** One line, no control character, and nothing that would end the link or the code it stands in. */
const inLine = (text: string): string =>
  text
    .replace(UNSEEN, " ")
    .replace(/\s+/gu, " ")
    .trim()
    .replace(/[\\`[\]]/g, "\\$&");

const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

const target = (path: string): string =>
  path.replace(/[\s()<>\\]|\p{Cc}/gu, (character) =>
    encodeURIComponent(character).replace(/[()]/g, (one) => `%${one.charCodeAt(0).toString(16)}`),
  );

const cutTo = (text: string, most: number): string => `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
