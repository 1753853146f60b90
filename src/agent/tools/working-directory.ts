/** Keeps tools inside the directory the agent works in, whatever links and dots a path has. */
import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

/** The real place of a path. Throws where that is outside, or a link to nothing. */
export function placeIn(cwd: string, path: string): string {
  const root = realpathSync(cwd);
  const place = realPlace(resolve(root, path), path);
  const inside = relative(root, place);
  if (inside === ".." || inside.startsWith("../") || isAbsolute(inside)) {
    throw new Error(`${path} is outside of the working directory; this tool only reaches what is in it`);
  }
  return place;
}

/** Links are followed as far as the path exists; what does not exist yet will stand where its parent really is. */
function realPlace(path: string, asked: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    return join(realPlace(dirname(path), asked), basename(path));
  }
  try {
    return realpathSync(path);
  } catch {
    throw new Error(`${asked} goes through a link that leads nowhere`);
  }
}
