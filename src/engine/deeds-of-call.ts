/** What a call would do, for the people who decide about it. */
import type { Deed } from "../approvals/deed.ts";
import type { AgentEvent } from "../core/event.ts";
import { redact } from "../core/redact.ts";
import { analyseCommand } from "../shell/analyse.ts";
import type { CommandEffect, FoundEffect } from "../shell/effect.ts";

const MAX_DEEDS = 40;

export function deedsOfCall(event: AgentEvent, homeDir: string): Deed[] {
  if (!("tool" in event)) return [];
  const { tool, cwd } = event;
  const kind = tool.kind === "write" ? "writes" : tool.kind === "edit" ? "edits" : "names";
  if (tool.kind !== "shell") return tool.paths.map((path) => shown({ kind, of: [path], through: [] }));
  const { effects } = analyseCommand(tool.command, { cwd, homeDir, realPath: (path) => path });
  const deeds = [...new Map(effects.map(deedOf).map((deed) => [JSON.stringify(deed), deed])).values()];
  if (deeds.length <= MAX_DEEDS) return deeds;
  return [...deeds.slice(0, MAX_DEEDS), { kind: "more", of: [String(deeds.length - MAX_DEEDS)], through: [] }];
}

const deedOf = ({ effect, via }: FoundEffect): Deed => shown({ ...said(effect), through: via });

const shown = ({ kind, of, through }: Deed): Deed => ({ kind, of: of.map(redact), through: through.map(redact) });

function said(effect: CommandEffect): Pick<Deed, "kind" | "of"> {
  switch (effect.type) {
    case "delete":
      return { kind: effect.recursive ? "delete-recursive" : "delete", of: [effect.path.written] };
    case "overwrite":
      return { kind: effect.append ? "append" : "overwrite", of: [effect.path.written] };
    case "read":
    case "run-script":
      return { kind: effect.type, of: [effect.path.written] };
    case "make":
      return { kind: `make-${effect.what}`, of: [effect.path.written] };
    case "move":
      return { kind: effect.type, of: [effect.from.written, effect.to.written] };
    case "permissions":
      return { kind: effect.type, of: [effect.path.written, effect.mode] };
    case "device":
      return { kind: effect.type, of: [effect.deed, effect.path.written] };
    case "kill":
      return { kind: effect.type, of: [effect.whom] };
    case "power":
      return { kind: effect.type, of: [effect.deed] };
    case "git":
    case "database":
    case "container":
    case "system":
      return { kind: effect.type, of: [effect.deed, effect.detail] };
    case "cloud":
      return { kind: effect.type, of: [effect.provider, effect.deed, effect.detail] };
    case "publish":
      return { kind: effect.type, of: [effect.deed, effect.registry] };
    case "deploy":
      return { kind: effect.type, of: [effect.detail] };
    case "run-remote-code":
      return { kind: effect.type, of: [effect.source] };
    case "run-hidden-code":
      return { kind: effect.type, of: [effect.how] };
    case "exfiltrate":
      return { kind: effect.type, of: [effect.secret, effect.to] };
    case "unclear":
      return { kind: effect.type, of: [effect.why] };
  }
}
