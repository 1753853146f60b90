/** What was made for packages that are gone, and what somebody who was killed in the middle left behind. */
import { removeGoneImages } from "./gone-packages.ts";
import { removeOldScenes } from "./image-scene.ts";

export interface Leftover {
  readonly path: string;
  readonly was: string;
}

/** Returns what was, or would be, removed. */
export async function removeLeftovers(stateDir: string, { pretend = false } = {}): Promise<Leftover[]> {
  const images = await removeGoneImages(stateDir, { pretend });
  return [
    ...images.map(({ file, packageDir }) => ({
      path: file,
      was: `the image of a package that is gone, ${packageDir}`,
    })),
    ...removeOldScenes({ pretend }).map((path) => ({ path, was: "what was left of an image that was not finished" })),
  ];
}
