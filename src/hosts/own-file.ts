/** A file that is all ours; one of that name that somebody else wrote is left alone. */
import { HoldfastError } from "../core/errors.ts";
import type { FileEdit } from "./host.ts";

export interface OwnFile {
  readonly path: string;
  readonly text: string;
  readonly isOurs: (existing: string) => boolean;
}

export function ownFileEdit({ path, text, isOurs }: OwnFile): FileEdit {
  return {
    path,
    add(existing) {
      if (existing === undefined || isOurs(existing)) return text;
      throw new HoldfastError("HF401", `${path} was not written by Holdfast: move it out of the way`, { file: path });
    },
    remove: (existing) => (isOurs(existing) ? undefined : existing),
  };
}
