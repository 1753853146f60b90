import type { Fields } from "../core/fields.ts";
import type { JsonObject } from "../core/json.ts";

/** What config must know of a built-in hook. The list itself is in src/hooks; whoever wires passes it in. */
export interface CatalogueEntry {
  readonly name: string;
  readonly doc: string;
  /** A guard may block; others inform or record. */
  readonly guards: boolean;
  readonly options: Fields;
  readonly defaults: JsonObject;
  /** Options that describe the project rather than restrict the agent: each layer may set them anew. */
  readonly replaceable?: readonly string[];
  /** Options that only ever take away from what is guarded: setting one loosens the rule. */
  readonly loosening?: readonly string[];
  /** What is wrong with options that have the right shape: an unknown name, an impossible date. */
  problems?(
    options: JsonObject,
  ): readonly { readonly option: string; readonly message: string; readonly meant?: string | undefined }[];
}

export type Catalogue = readonly CatalogueEntry[];
