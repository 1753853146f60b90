/** What rules that are only observed would have done to a call: of a decision, or of its line in the audit. */
import type { Decision } from "../../core/decision.ts";
import type { Json } from "../../core/json.ts";

export interface Observed {
  /** `object`: a rule that is observed by itself does not say how strongly. */
  readonly would: string;
  readonly rule: string;
  readonly reason: string;
}

export const observedIn = ({ trace, effects }: Pick<Decision, "trace" | "effects">): Observed[] =>
  observedOf(
    trace,
    effects.flatMap((effect) => (effect.type === "note" ? [effect.data] : [])),
  );

export const observedInRecord = ({ hooks, notes }: Readonly<Record<string, unknown>>): Observed[] =>
  observedOf(listOf(hooks) as readonly Step[], listOf(notes) as readonly Json[]);

/** `observed: would block, git/force-push`; undefined: nothing was. */
export function observedWords(found: readonly Observed[]): string | undefined {
  if (found.length === 0) return undefined;
  return `observed: ${found.map(({ would, rule }) => `would ${would}, ${rule}`).join("; ")}`;
}

interface Step {
  readonly hook: string;
  readonly observed?: true;
  readonly opinion?: { readonly kind: string; readonly rule?: string; readonly reason?: string };
}

function observedOf(steps: readonly Step[], notes: readonly Json[]): Observed[] {
  const byHook = steps.flatMap(({ hook, observed, opinion }): Observed[] => {
    if (!observed || opinion === undefined || opinion.kind === "none") return [];
    return [{ would: opinion.kind, rule: opinion.rule ?? hook, reason: opinion.reason ?? "" }];
  });
  const byRule = notes.flatMap((note): Observed[] => {
    const { observed, reason } = (note ?? {}) as { observed?: unknown; reason?: unknown };
    return typeof observed === "string" ? [{ would: "object", rule: observed, reason: String(reason ?? "") }] : [];
  });
  return [...byHook, ...byRule];
}

/** A record that was too long has a sentence there. */
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
