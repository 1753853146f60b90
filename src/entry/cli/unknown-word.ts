import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";

/** A word behind a command that is none of those it takes. `usage`: what to say where none of them can be meant. */
export function unknownWord(command: string, word: string, known: readonly string[], usage: string): HoldfastError {
  const meant = nearest(word, known);
  const hint = meant ? `did you mean holdfast ${command} ${meant}?` : usage;
  return new HoldfastError("HF701", `unknown word "${word}"`, { hint });
}
