/** What the model is told of the nodes that were found: where each is and what it is about, never its body. */
import { escaped } from "../base/author-text.ts";
import type { IndexedFile, IndexedNode } from "./search-index.ts";

export interface BlockLimits {
  readonly maxNodes: number;
  /** Of the whole block. */
  readonly maxCharacters: number;
}

const HEADER =
  "Notes of this project that may bear on the prompt. They are pointers: open a file before you rely on it, and check the names it gives against the code as it is now.";

export interface ListedNode {
  readonly file: IndexedFile;
  readonly node: IndexedNode;
}

/** undefined: nothing was found. The first node is always told, cut to the budget; the list ends where the next one would not fit. */
export function contextBlock(
  found: readonly ListedNode[],
  nodesDir: string,
  { maxNodes, maxCharacters }: BlockLimits,
): string | undefined {
  let block = HEADER;
  for (const [at, item] of found.slice(0, maxNodes).entries()) {
    const longer = `${block}\n${entry(item, nodesDir)}`;
    if (longer.length > maxCharacters) {
      if (at > 0) break;
      return cutTo(longer, maxCharacters);
    }
    block = longer;
  }
  return block === HEADER ? undefined : block;
}

function entry({ file, node }: ListedNode, nodesDir: string): string {
  const tags = node.tags.map((tag) => ` #${escaped(tag)}`).join("");
  const description = node.description.trim() === "" ? "" : `: ${escaped(node.description)}`;
  return `- [**${escaped(node.title)}**](${target(`${nodesDir}/${file.path}`)}) \`${escaped(node.id)}\`${description}${tags}`;
}

/** Other scripts stay readable: only what would end the link is encoded. */
const target = (path: string): string =>
  path.replace(/[\s()<>\\%]|\p{Cc}/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`).join(""),
  );

const cutTo = (text: string, most: number): string => `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
