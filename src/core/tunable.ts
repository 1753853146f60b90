import type { Fields } from "./fields.ts";
import type { JsonObject } from "./json.ts";

/** A hook that people tune in their config: what may be set, and in which direction that goes. */
export interface Tunable {
  readonly name: string;
  readonly doc: string;
  /** May block; can be tuned, observed or switched off under `guards:`. Others always run. */
  readonly guards: boolean;
  /** Off until a config file switches it on. */
  readonly optIn?: true;
  readonly options: Fields;
  readonly defaults: JsonObject;
  /** Options that describe the project rather than restrict the agent: each config layer may set them anew. */
  readonly replaceable?: readonly string[];
  /** Options that only ever take away from what is guarded: setting one loosens the rule. */
  readonly loosening?: readonly string[];
  /** What is wrong with options that have the right shape: an unknown name, an impossible date. */
  problems?(options: JsonObject): readonly OptionProblem[];
}

export interface OptionProblem {
  readonly option: string;
  readonly message: string;
  readonly meant?: string | undefined;
}
