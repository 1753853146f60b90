/** The hooks of the plugin that Claude Code, Codex and Copilot CLI all load: one file in the format they share. */
import { type EventName, eventRow } from "../src/core/event.ts";
import { type Host, type SupportRow, supportRows } from "../src/hosts/host.ts";
import { hostById } from "../src/hosts/registry.ts";

/** Those whose event names are the plugin format's own. */
const SPEAKERS = ["claude-code", "codex"];

export function pluginHooks(): object {
  const rows = SPEAKERS.flatMap((id) => supportRows((hostById(id) as Host | undefined)?.support ?? {}));
  const natives = [...new Set(rows.flatMap(({ native }) => native))];
  return {
    hooks: Object.fromEntries(
      natives.map((event) => [event, [group(rows.filter(({ native }) => native.includes(event)))]]),
    ),
  };
}

function group(rows: readonly SupportRow[]): object {
  const guards = rows.some(({ event, answers }) => isGuard(event) && answers.block !== undefined);
  const hook = {
    type: "command",
    command: `"\${CLAUDE_PLUGIN_ROOT}/bin/holdfast-hook"${guards ? " --guard" : ""}`,
    timeout: Math.max(...rows.map(({ timeoutMs }) => timeoutMs)) / 1000,
    ...(guards ? { onFailure: "block" } : {}),
  };
  return { ...(rows.some(({ event }) => eventRow(event).tool) ? { matcher: "*" } : {}), hooks: [hook] };
}

const isGuard = (event: EventName) => eventRow(event).guards === true;
