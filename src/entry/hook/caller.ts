/** Some hosts call us through several registrations, their own or another host's: one of them answers, the others are silent. */
import { existsSync, readFileSync } from "node:fs";
import { type Environment, placesOf } from "../../config/places.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Host } from "../../hosts/host.ts";
import { hostById } from "../../hosts/registry.ts";

/** The host that sent the payload: the one we were registered with, unless it is surely another's. */
export function callerOf(registered: Host, payload: JsonObject, env: Environment): Host {
  for (const id of registered.alsoReadBy ?? []) {
    const reader = hostById(id);
    if (reader?.owns?.(payload, env)) return reader;
  }
  return registered;
}

/** Whether the host calls us through a registration of its own as well: that one answers. */
export function answersElsewhere(caller: Host, cwd: string, env: Environment): boolean {
  // Where the host itself looks, which may be below the root of our records: a file it does not read answers nothing.
  const projectDir = caller.projectDir?.(env) || cwd;
  const files = caller.ownRegistrations?.({ projectDir, homeDir: placesOf(env).homeDir, env }) ?? [];
  return files.some((file) => existsSync(file) && (caller.registers?.(readText(file)) ?? true));
}

/** What cannot be read makes nobody call us. */
function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
