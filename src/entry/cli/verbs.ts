/** Commands that are a noun with verbs: `task set`, `runs delete`. A word or flag that belongs to no verb is an error. */
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import type { CommandCall, ExitCode } from "./command.ts";

export interface Verb {
  /** Behind the noun, for messages and help. */
  readonly usage: string;
  /** How many words follow the verb. */
  readonly words: readonly [min: number, max: number];
  /** Besides --json, --run and --dry-run where `writes` says so. */
  readonly flags?: readonly string[];
  readonly writes?: true;
  perform(call: CommandCall, words: readonly string[]): Promise<ExitCode>;
}

export type Verbs = Readonly<Record<string, Verb>>;

export async function performVerb(noun: string, verbs: Verbs, call: CommandCall, standard?: string): Promise<ExitCode> {
  const [name = standard ?? "", ...words] = call.words;
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (!verb) {
    const meant = nearest(name, Object.keys(verbs));
    throw new HoldfastError("HF701", name === "" ? `${noun} needs a verb` : `${noun} has no verb "${name}"`, {
      hint: meant ? `did you mean holdfast ${noun} ${verbs[meant]?.usage}?` : `verbs: ${Object.keys(verbs).join(", ")}`,
    });
  }
  const usage = `usage: holdfast ${noun} ${verb.usage}`;
  const [min, max] = verb.words;
  if (words.length < min) throw new HoldfastError("HF701", "an argument is missing", { hint: usage });
  if (words.length > max) throw new HoldfastError("HF701", `unexpected argument "${words[max]}"`, { hint: usage });
  const known = [...(verb.flags ?? []), "json", "run", ...(verb.writes ? ["dry-run"] : [])];
  const wrong = Object.keys(call.flags).find((flag) => !known.includes(flag));
  if (wrong !== undefined)
    throw new HoldfastError("HF701", `${noun} ${name} has no option --${wrong}`, { hint: usage });
  return verb.perform(call, words);
}
