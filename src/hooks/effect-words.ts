/** What a call does, in the words that rules use. What cannot be known matches every word. */
import { EFFECT_NAMES, type EffectWord } from "../core/approval-rule.ts";
import type { EventOf } from "../core/event.ts";
import type { CommandEffect } from "../shell/effect.ts";
import type { Machine } from "./builtin.ts";

export function effectWords(event: EventOf<"pre_tool_use">, machine: Machine): readonly EffectWord[] {
  const { tool, cwd, metadata } = event;
  const said = declared(metadata?.effects);
  if (tool.kind !== "shell") return said;
  const found = machine.analyse(tool.command, cwd).effects.flatMap(({ effect }) => wordsOf(effect));
  return [...said, ...found];
}

/** What an embedder says of its own tool: a list of words. Anything else is a mistake, and may mean anything. */
function declared(effects: unknown): readonly EffectWord[] {
  if (effects === undefined || effects === null) return [];
  const words = typeof effects === "string" ? [effects] : effects;
  if (!Array.isArray(words)) return EFFECT_NAMES;
  return words.every((word) => EFFECT_NAMES.includes(word as EffectWord)) ? (words as EffectWord[]) : EFFECT_NAMES;
}

function wordsOf(effect: CommandEffect): readonly EffectWord[] {
  switch (effect.type) {
    case "publish":
      return effect.deed === "rights" ? ["publish", "access"] : ["publish"];
    case "deploy":
      return ["deploy"];
    case "delete":
      return ["delete"];
    case "database":
      return effect.deed === "grant" ? ["database", "access"] : ["database", "delete"];
    case "cloud":
    case "container":
      return [
        "infrastructure",
        ...(REMOVES.test(effect.deed) ? ["delete" as const] : []),
        ...(OPENS.test(effect.deed) ? ["access" as const] : []),
        ...(CHANGES.test(effect.deed) ? ["deploy" as const] : []),
      ];
    case "permissions":
      return ["access"];
    case "device":
    case "power":
    case "system":
      return ["system"];
    case "kill":
      return effect.whom === "one" ? [] : ["system"];
    case "git":
      return DELETES_IN_GIT.test(effect.deed) ? ["history", "delete"] : ["history"];
    case "run-remote-code":
      return ["remote-code"];
    case "exfiltrate":
      return ["secrets"];
    case "run-hidden-code":
    case "unclear":
      return EFFECT_NAMES;
    case "overwrite":
    case "make":
    case "read":
    case "move":
    case "run-script":
      return [];
  }
}

const REMOVES = /delete|destroy|prune|remove|uninstall/;
const OPENS = /access/;
const CHANGES = /apply|roll-back|replace|scale|evict|stop/;
const DELETES_IN_GIT = /^(delete-|drop-|clean$|discard-)/;
