/** Effects of a command against the rules: the strongest rule speaks, in the words of the product. */
import type { FoundEffect } from "../../shell/effect.ts";
import type { Pack, Rule, Severity } from "./rule.ts";
import type { World } from "./world.ts";

export interface Finding {
  readonly rule: Rule;
  readonly found: FoundEffect;
}

const STRENGTH: readonly Severity[] = ["warn", "ask", "block"];

/** All rules that fire, strongest first; each rule once. */
export function findingsOf(effects: readonly FoundEffect[], packs: readonly Pack[], world: World): Finding[] {
  const findings = new Map<string, Finding>();
  for (const found of effects) {
    for (const { rules } of packs) {
      for (const rule of rules)
        if (!findings.has(rule.id) && rule.matches(found.effect, world)) findings.set(rule.id, { rule, found });
    }
  }
  return [...findings.values()].sort((a, b) => STRENGTH.indexOf(b.rule.severity) - STRENGTH.indexOf(a.rule.severity));
}

const MAX_SOURCE = 100;

/** What was stopped, why, what to do instead. */
export function reasonOf({ rule, found }: Finding): string {
  const source = found.source.replace(/\s+/g, " ").trim();
  const shown = source.length > MAX_SOURCE ? `${source.slice(0, MAX_SOURCE)}…` : source;
  const through = found.via.length > 0 ? ` (through ${found.via.join(", ")})` : "";
  const why = typeof rule.why === "string" ? rule.why : rule.why(found.effect);
  return `\`${shown}\`${through} ${why}.\nDo instead: ${rule.instead}\nRule ${rule.id}.`;
}
