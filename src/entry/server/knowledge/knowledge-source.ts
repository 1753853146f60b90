/** Where the server's knowledge comes from: the bases of this machine's projects. */
import type { Unwatch } from "../../../approvals/store.ts";
import type { Tree } from "../../../knowledge/base/tree.ts";
import type { Curator } from "../../../knowledge/curation/curate.ts";

export interface KnowledgeBase {
  readonly id: string;
  /** What the project is called. */
  readonly name: string;
  readonly curator: Curator;
  /** The nodes as they are now. */
  tree(): Tree;
}

export interface KnowledgeSource {
  bases(organisation: string): readonly KnowledgeBase[];
  /** Calls back soon after nodes, proposals or decisions were changed by any process. A hint, never the news itself. */
  watch(base: KnowledgeBase, onChange: () => void): Unwatch;
}
