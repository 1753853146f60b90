/** Hooks besides ours on the calls that ours judge: a host may let one undo what another rewrote. */
import { basename, dirname } from "node:path";
import { isJsonObject } from "../../core/json.ts";
import type { Host } from "../../hosts/host.ts";
import type { HostProgram } from "../../hosts/program.ts";
import type { Registration } from "../cli/registration.ts";
import { type Finding, note } from "./finding.ts";

export function otherHooks(host: Host, program: HostProgram, registration: Registration): Finding[] {
  const names = namesOf(host, registration);
  if (names.length === 0) return [];
  return [note("other hooks", `${names.join(", ")}: ${program.otherHooks}`)];
}

/** Entries beside ours in a shared file, and files beside one that is all ours. */
function namesOf(host: Host, { install, target }: Registration): string[] {
  const natives: readonly string[] = host.support.pre_tool_use?.native ?? [];
  return install.edits(target).flatMap(({ path, remove }) => {
    const text = target.readFile(path);
    if (text === undefined) return [];
    const rest = remove(text);
    if (rest !== undefined) return foreignEntries(rest, natives).map((count) => `${count} in ${basename(path)}`);
    if (!basename(path).startsWith("holdfast.")) return [];
    return target.listFiles(dirname(path)).filter((name) => name !== basename(path) && !name.startsWith("."));
  });
}

function foreignEntries(text: string, natives: readonly string[]): number[] {
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch {
    return [];
  }
  const hooks = isJsonObject(settings) && isJsonObject(settings.hooks) ? settings.hooks : {};
  const count = natives.reduce((sum, native) => sum + (Array.isArray(hooks[native]) ? hooks[native].length : 0), 0);
  return count > 0 ? [count] : [];
}
