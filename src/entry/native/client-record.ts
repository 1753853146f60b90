/** What was made for an installed package in the user's state, and whether it is still what was made. */
import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../../config/places.ts";
import { writePrivateFile } from "../../config/private-file.ts";
import { buildId } from "../daemon/socket-place.ts";
import { type ImageMarks, imageMarks } from "./image-marks.ts";

export interface Installation {
  readonly distDir: string;
  readonly stateDir: string;
}

export interface MadeImage {
  readonly file: string;
  readonly sha256: string;
  readonly node: string;
  readonly marks: ImageMarks;
}

export interface ClientRecord {
  readonly buildId: string;
  /** The launcher stands in for the client where there is no compiler. Hosts call either by one name. */
  readonly kind: "client" | "launcher";
  readonly sha256: string;
  /** Where the package lay, and seen from where. Records of earlier versions do not say it. */
  readonly package?: { readonly dir: string; readonly view: string };
  readonly image?: MadeImage;
}

export const packageDirOf = (distDir: string) => realpathSync(join(distDir, ".."));

export const clientsDir = (stateDir: string) => join(stateDir, "clients");

/** One for each package on this machine: it knows where its program lies. */
export const clientPlace = ({ distDir, stateDir }: Installation): string =>
  join(clientsDir(stateDir), sha256(packageDirOf(distDir)).slice(0, 16), "holdfast");

const recordOf = (client: string) => `${client}.json`;

export const digestOf = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

export const writeRecord = (client: string, record: ClientRecord): void =>
  writePrivateFile(recordOf(client), JSON.stringify(record));

/** As it was written, whatever has become of the files; undefined: there is none that can be read. */
export function readRecord(client: string): ClientRecord | undefined {
  try {
    return JSON.parse(readFileSync(recordOf(client), "utf8"));
  } catch {
    return undefined;
  }
}

/** undefined: there is none, it is of another build, or the file is not the one that was made. */
export function soundRecord(installation: Installation): ClientRecord | undefined {
  const client = clientPlace(installation);
  const record = readRecord(client);
  try {
    const isSound = record?.buildId === buildId(installation.distDir) && record?.sha256 === digestOf(client);
    return isSound ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a call would start on it, and could. */
export function isSoundImage({ distDir }: Installation, image: MadeImage): boolean {
  try {
    const { node, file, marks } = image;
    const now = imageMarks({ node, image: file, bundle: join(distDir, "hook.cjs") });
    return now !== undefined && isSame(now, marks) && image.sha256 === digestOf(file);
  } catch {
    return false;
  }
}

const isSame = (one: ImageMarks, other: ImageMarks) =>
  (Object.keys(one) as (keyof ImageMarks)[]).every((name) => one[name] === other[name]);

export const imagePlace = (client: string, digest: string): string =>
  join(dirname(client), `hook.${digest.slice(0, 16)}.image`);

export const isImageName = (name: string): boolean => /^hook\.\w+\.image$/.test(name);
