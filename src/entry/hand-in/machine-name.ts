import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Places } from "../../config/places.ts";
import { makeDirectory } from "../../files/make-directory.ts";

type StateDir = Pick<Places, "stateDir">;

export const machineNameFile = ({ stateDir }: StateDir) => join(stateDir, "machine-id");

/** Two machines of one name and path must not be taken for one: then a record of the one would hide the other's. */
export function machineName(places: StateDir): string {
  const file = machineNameFile(places);
  const known = nameIn(file);
  if (known !== "") return known;
  // Whoever reads it finds a whole name: of two at once, both go by the one that was there first.
  const own = randomBytes(8).toString("hex");
  makeDirectory(places.stateDir, 0o700);
  const draft = `${file}.${own}`;
  writeFileSync(draft, `${hostname().slice(0, 60)}-${own}`, { flag: "wx", mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  const name = nameIn(file);
  if (name === "") throw new Error(`${file} names no machine; remove it, and this one gets a new name`);
  return name;
}

function nameIn(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
