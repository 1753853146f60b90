/**
 * Engines for made-up calls, like the ones that real calls have, made and lent in the same way: code that is optimised
 * for others has to be optimised again, by the calls of a person. Their records go elsewhere, nobody is asked about
 * anything, and no code of a person's runs: understudies answer for their modules, in the same workers.
 */
import { join } from "node:path";
import { type Environment, placesOf } from "../../config/places.ts";
import type { Plan } from "../../config/plan.ts";
import { inOrder } from "../../core/hook.ts";
import { isApprovals } from "../../engine/asked-approvals.ts";
import { understudyOf } from "../../engine/assemble.ts";
import { lender } from "../../engine/kept-engines.ts";
import { engineOf, type ReadyEngine } from "../../engine/ready.ts";
import type { AppendSoon } from "../../records/journal.ts";
import type { KeptTails } from "../../records/kept-tails.ts";

/** An engine that judged a real call. */
export interface Rehearsed extends Pick<ReadyEngine, "plan" | "hooks"> {
  readonly env: Environment;
}

export type Rehearsals = ReadonlyMap<Plan, () => ReadyEngine>;

interface RehearsalPlace {
  readonly scratchDir: string;
  readonly distDir: string;
  readonly append: AppendSoon;
}

/** With one there is, V8 would optimise for the functions of that one. */
const ENGINES = 2;

export async function rehearsalsOf(
  rehearsed: readonly Rehearsed[],
  tails: KeptTails,
  place: RehearsalPlace,
): Promise<Rehearsals> {
  const rehearsals = new Map<Plan, () => ReadyEngine>();
  for (const one of rehearsed)
    if (!rehearsals.has(one.plan)) rehearsals.set(one.plan, await rehearsalOf(one, tails, place));
  return rehearsals;
}

async function rehearsalOf(
  { plan, hooks, env }: Rehearsed,
  { newestFirst }: KeptTails,
  { scratchDir, distDir, append }: RehearsalPlace,
): Promise<() => ReadyEngine> {
  const elsewhere = { HOLDFAST_STATE_DIR: scratchDir, HOLDFAST_RECORDS_DIR: join(scratchDir, "records") };
  const places = placesOf({ ...env, ...elsewhere });
  const builtins = { ...plan, hooks: plan.hooks.filter(({ run }) => run.type === "builtin") };
  // Nobody is asked about a call that is made up, by its hooks neither.
  const desks = () => Promise.reject(new Error("a rehearsal asks nobody"));
  const records = { append, newestFirst, desks };
  const lend: (() => ReadyEngine)[] = [];
  while (lend.length < ENGINES) {
    const made = await engineOf({ plan: builtins, remarks: [], places, env, distDir }, records);
    const silent = made.hooks.filter((hook) => !isApprovals(hook));
    lend.push(
      lender({
        ...made,
        plan,
        hooks: inOrder([...silent, ...hooks.flatMap((hook) => understudyOf(hook) ?? [])]),
        // Nobody gets a copy of its records.
        handIn: () => {},
      }),
    );
  }
  let calls = 0;
  return () => (lend[calls++ % ENGINES] as () => ReadyEngine)();
}
