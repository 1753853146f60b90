/** For scratch places: the daemon that came to serve them ends before they are removed. */
import { placesOf } from "../../config/places.ts";
import type { Environment } from "../../hosts/host.ts";
import { buildId, socketFile } from "./socket-place.ts";
import { askDaemon } from "./talk.ts";

export async function dismissDaemon(distDir: string, env: Environment): Promise<void> {
  const id = buildId(distDir);
  if (id !== undefined) await askDaemon(socketFile(id, placesOf(env)), "stop");
}
