/** What a call would do, one short sentence each, for the people who decide about it. */
import type { AgentEvent } from "../core/event.ts";
import { analyseCommand } from "../shell/analyse.ts";
import type { CommandEffect, FoundEffect } from "../shell/effect.ts";

const MAX_EFFECTS = 40;

export function effectsInWords(event: AgentEvent, homeDir: string): string[] {
  if (!("tool" in event)) return [];
  const { tool, cwd } = event;
  if (tool.kind === "write" || tool.kind === "edit") return tool.paths.map((path) => `${tool.kind}s ${path}`);
  if (tool.kind !== "shell") return tool.paths.map((path) => `names ${path}`);
  const { effects } = analyseCommand(tool.command, { cwd, homeDir, realPath: (path) => path });
  const words = [...new Set(effects.map(inWords))];
  return words.length > MAX_EFFECTS
    ? [...words.slice(0, MAX_EFFECTS), `and ${words.length - MAX_EFFECTS} more`]
    : words;
}

function inWords({ effect, via }: FoundEffect): string {
  return via.length > 0 ? `${sentence(effect)} (through ${via.join(", ")})` : sentence(effect);
}

function sentence(effect: CommandEffect): string {
  switch (effect.type) {
    case "delete":
      return `deletes ${effect.path.written}${effect.recursive ? " and all below it" : ""}`;
    case "overwrite":
      return `${effect.append ? "appends to" : "overwrites"} ${effect.path.written}`;
    case "read":
      return `reads ${effect.path.written}`;
    case "move":
      return `moves ${effect.from.written} to ${effect.to.written}`;
    case "permissions":
      return `changes permissions of ${effect.path.written} to ${effect.mode}`;
    case "device":
      return `${effect.deed} on device ${effect.path.written}`;
    case "kill":
      return `ends ${effect.whom === "one" ? "a process" : `${effect.whom} processes`}`;
    case "power":
      return `power: ${effect.deed}`;
    case "git":
      return `git: ${effect.deed} ${effect.detail}`.trim();
    case "database":
      return `database: ${effect.deed} ${effect.detail}`.trim();
    case "container":
      return `containers: ${effect.deed} ${effect.detail}`.trim();
    case "cloud":
      return `${effect.provider}: ${effect.deed} ${effect.detail}`.trim();
    case "publish":
      return `${effect.deed} at ${effect.registry}`;
    case "deploy":
      return `deploys: ${effect.detail}`;
    case "run-remote-code":
      return `runs code from ${effect.source}`;
    case "run-hidden-code":
      return `runs code that cannot be read: ${effect.how}`;
    case "exfiltrate":
      return `sends ${effect.secret} to ${effect.to}`;
    case "system":
      return `system: ${effect.deed} ${effect.detail}`.trim();
    case "run-script":
      return `runs the script ${effect.path.written}`;
    case "unclear":
      return `cannot be understood: ${effect.why}`;
  }
}
