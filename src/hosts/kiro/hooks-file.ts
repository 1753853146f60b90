/** Our hooks file of CLI 3 and the IDE, as they read it. */
import { isJsonObject, type Json } from "../../core/json.ts";

/** Whether it makes Kiro call us before every tool: in doubt not, and then another registration answers. */
export function registers(text: string): boolean {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return false;
  }
  return isJsonObject(file) && file.version === "v1" && Array.isArray(file.hooks) && file.hooks.some(guardsTools);
}

function guardsTools(hook: Json): boolean {
  if (!isJsonObject(hook) || !isJsonObject(hook.action)) return false;
  const { command } = hook.action;
  return (
    hook.trigger === "PreToolUse" &&
    hook.matcher === ".*" &&
    hook.enabled !== false &&
    typeof command === "string" &&
    / hook --host kiro$/.test(command)
  );
}
