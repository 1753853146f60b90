/**
 * What hosts call: the client of this build; or, for an installed package, one that was made on this machine and lies in
 * the user's state. Its place does not change with the version, so a registration outlives an upgrade: an older client
 * finds no daemon of its own, and no image that fits, and becomes the Node program.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { clientPlace, type Installation, isSoundImage, soundRecord } from "./client-record.ts";
import { imageMarks } from "./image-marks.ts";
import { launcherOf } from "./launcher.ts";

/** The native client. undefined: there is none that fits this build. */
export function clientOf(installation: Installation): string | undefined {
  const packaged = packagedClient(installation.distDir);
  if (packaged) return packaged;
  return soundRecord(installation)?.kind === "client" ? clientPlace(installation) : undefined;
}

/** The client, or the launcher in its place. undefined: neither this build has one nor was one made for it. */
export function programOf(installation: Installation): string | undefined {
  const packaged = packagedClient(installation.distDir);
  if (packaged) return packaged;
  return soundRecord(installation) ? clientPlace(installation) : launcherOf(installation.distDir);
}

export function packagedClient(distDir: string): string | undefined {
  const file = join(distDir, "native", "holdfast");
  return existsSync(file) ? file : undefined;
}

/** Why calls without a daemon start on no image, and what makes one; undefined: they do. */
export function imageLack(installation: Installation): string | undefined {
  const { distDir } = installation;
  const record = soundRecord(installation);
  if (packagedClient(distDir) || (launcherOf(distDir) && !record)) {
    const image = join(distDir, "hook.image");
    if (!existsSync(image)) return "this build has no image of a loaded Node: npm run build makes one, or says why not";
    const fits = imageMarks({ node: process.execPath, image, bundle: join(distDir, "hook.cjs") });
    return fits ? undefined : "the image of a loaded Node is of another Node: npm run build makes one";
  }
  if (!record?.image) return "there is no image of a loaded Node: holdfast init makes one, or says why not";
  if (isSoundImage(installation, record.image)) return undefined;
  return "the image of a loaded Node does not fit any more: holdfast init makes one that does";
}
