/** How well prompts are answered: precision, recall at five, and refusals. */
import { KINDS, type Kind, type LabelledPrompt } from "./set.ts";

export interface Measured {
  /** Of the nodes that were told for prompts that have an answer, those that answer it. */
  readonly precision: number;
  /** Of the nodes that answer a prompt, those that were told; the mean over prompts. */
  readonly recallAt5: number;
  /** Of the prompts that have no answer, those for which nothing was told. */
  readonly refusals: number;
  /** Of the prompts that have an answer, those whose first node is one. */
  readonly first: number;
  readonly misses: readonly string[];
}

export type Ranking = (prompt: string) => readonly { readonly id: string }[];

export function measure(prompts: readonly LabelledPrompt[], ranking: Ranking): Measured {
  let told = 0;
  let right = 0;
  let first = 0;
  const recalls: number[] = [];
  const refused: boolean[] = [];
  const misses: string[] = [];
  for (const { kind, prompt, relevant } of prompts) {
    const ids = ranking(prompt)
      .slice(0, 5)
      .map(({ id }) => id);
    const hits = ids.filter((id) => relevant.includes(id)).length;
    if (kind === "refusal") refused.push(ids.length === 0);
    else {
      told += ids.length;
      right += hits;
      recalls.push(hits / Math.min(relevant.length, 5));
      if (relevant.includes(ids[0] ?? "")) first++;
    }
    if (kind === "refusal" ? ids.length > 0 : hits < relevant.length || ids.length > hits)
      misses.push(`${kind}: ${prompt}\n    told ${ids.join(", ") || "nothing"}\n    want ${relevant.join(", ")}`);
  }
  const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);
  return {
    precision: share(right, told),
    recallAt5: share(
      recalls.reduce((sum, recall) => sum + recall, 0),
      recalls.length,
    ),
    refusals: share(refused.filter((was) => was).length, refused.length),
    first: share(first, recalls.length),
    misses,
  };
}

export const byKind = (prompts: readonly LabelledPrompt[], ranking: Ranking): ReadonlyMap<Kind, Measured> =>
  new Map(
    KINDS.map((kind) => [
      kind,
      measure(
        prompts.filter((item) => item.kind === kind),
        ranking,
      ),
    ]),
  );
