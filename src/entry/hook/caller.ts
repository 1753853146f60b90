/** Some hosts read another's settings and call what is registered there, with payloads of their own. */
import { existsSync } from "node:fs";
import { type Environment, placesOf, projectRoot } from "../../config/places.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Host } from "../../hosts/host.ts";
import { hostById } from "../../hosts/registry.ts";

/** The host that sent the payload: the one we were registered with, unless it is surely another's. */
export function callerOf(registered: Host, payload: JsonObject, env: Environment): Host {
  const readers = (registered.alsoReadBy ?? []).flatMap((id) => hostById(id) ?? []);
  return readers.find(({ owns }) => owns?.(payload, env)) ?? registered;
}

/** Whether a host that came through another's registration calls us through one of its own as well: that one answers. */
export function answersElsewhere(caller: Host, cwd: string, env: Environment): boolean {
  const places = placesOf(env);
  const projectDir = projectRoot({ cwd, projectDir: caller.projectDir?.(env) }, places);
  return (caller.ownRegistrations?.({ projectDir, homeDir: places.homeDir, env }) ?? []).some((file) =>
    existsSync(file),
  );
}
