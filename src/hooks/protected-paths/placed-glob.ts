/** Globs and where they begin: what lies around, above or in what is protected is found by that. */
import { coveringGlobs } from "../../core/written-glob.ts";
import { normal } from "../../shell/places.ts";

/** In the path of a project or a home, a wildcard is a character like others. */
export interface PlacedGlob {
  readonly place: string;
  readonly glob: string;
}

/** A name alone may be anywhere: no tree is known to hold it. */
export const placedGlobs = (glob: string, rootDir: string, homeDir: string): readonly PlacedGlob[] =>
  glob.includes("/") || glob === "~" ? [placed(glob, rootDir, homeDir)] : [];

/** Those of a glob that a person listed, and of what is below it. A name is looked for in the project's root at least. */
export function placedListed(written: string, rootDir: string, homeDir: string): readonly PlacedGlob[] {
  const { names, paths } = coveringGlobs(written);
  const stems = [...names, ...paths.map((glob) => glob.slice(0, -"/**".length))].filter((stem) => stem !== "");
  // Below a wildcard that nobody wrote `/**` after lies hardly anything, and its fixed part is all that is around it.
  const whole = stems.filter((stem) => written.endsWith("/**") || !WILDCARD.test(stem)).map((stem) => `${stem}/**`);
  return [...stems, ...whole].map((glob) => placed(glob, rootDir, homeDir));
}

function placed(glob: string, rootDir: string, homeDir: string): PlacedGlob {
  if (glob === "~" || glob.startsWith("~/")) return { place: placeFor(homeDir), glob: glob.slice(1) };
  if (glob.startsWith("/")) return { place: "", glob };
  return glob.startsWith("../")
    ? { place: "", glob: normal(`${rootDir}/${glob}`) }
    : { place: placeFor(rootDir), glob: `/${glob}` };
}

const WILDCARD = /[*?]/;

const placeFor = (directory: string) => (directory === "/" ? "" : directory);

/** The part of a glob before its first wildcard: what lies there goes with the tree around it. */
export function fixedPart({ place, glob }: PlacedGlob): string {
  const parts = glob.split("/");
  const wild = parts.findIndex((part) => WILDCARD.test(part));
  return place + (wild < 0 ? glob : parts.slice(0, wild).join("/"));
}
