import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { HookFailure } from "../core/failure.ts";

/** Absolute path to the sha256 (hex) of the content a person trusted. */
export type Pins = { readonly [file: string]: string };

/** Throws on a file that nobody trusted, or whose content is no longer what was trusted. */
export type PinCheck = (file: string, content: Buffer) => void;

export function pinCheck(pins: Pins): PinCheck {
  const trusted = new Map(
    Object.entries(pins).flatMap(
      ([file, hash]) =>
        [
          [file, hash],
          [realPath(file), hash],
        ] as const,
    ),
  );
  return (file, content) => {
    const pinned = trusted.get(file);
    if (pinned === createHash("sha256").update(content).digest("hex")) return;
    const why = pinned === undefined ? "is not among the files that were trusted" : "has changed since it was trusted";
    throw new HookFailure("untrusted", `${file} ${why}; a person can look at it and run: holdfast trust`);
  };
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
