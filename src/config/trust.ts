/** Trust: code that a repository brings runs only after a person has agreed to exactly these bytes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson, isJsonObject } from "../core/json.ts";
import { type Pins, readContent } from "../sources/pins.ts";
import { sha256 } from "./places.ts";
import { writePrivateFile } from "./private-file.ts";

/** Something of a project that needs a person's trust. */
export interface TrustItem {
  readonly id: string;
  readonly what: "command" | "module" | "loosening";
  /** The config file that brings it. */
  readonly file: string;
  readonly line?: number;
  /** What would run or be loosened, as text for a person. */
  readonly text: string;
  readonly pins: Pins;
  readonly digest: string;
}

export function trustItem(item: Omit<TrustItem, "id" | "digest">): TrustItem {
  const { what, file, text, pins } = item;
  return {
    ...item,
    id: sha256(canonicalJson([what, file, text])).slice(0, 12),
    digest: sha256(canonicalJson([what, file, text, pins])),
  };
}

export interface TrustRecord {
  readonly what: TrustItem["what"];
  readonly file: string;
  readonly text: string;
  readonly pins: Pins;
  readonly digest: string;
  readonly trustedAt: string;
}

export type TrustStore = { readonly [id: string]: TrustRecord };

export const trustFile = (stateDir: string) => join(stateDir, "trust.json");
const snapshotFile = (stateDir: string, hash: string) => join(stateDir, "trusted-files", hash);

/** An unreadable store trusts nothing. */
export function readTrust(stateDir: string): TrustStore {
  try {
    const stored: unknown = JSON.parse(readFileSync(trustFile(stateDir), "utf8"));
    if (!isJsonObject(stored)) return {};
    const records = Object.entries(stored).filter(([, record]) => isJsonObject(record) && isJsonObject(record.pins));
    return Object.fromEntries(records) as unknown as TrustStore;
  } catch {
    return {};
  }
}

export const isTrusted = (item: TrustItem, store: TrustStore): boolean => store[item.id]?.digest === item.digest;

/** Keeps a copy of every trusted file, so that the next change can be shown as a diff. */
export function grantTrust(stateDir: string, items: readonly TrustItem[], now: Date): TrustStore {
  for (const hash of new Set(items.flatMap(({ pins }) => Object.values(pins)))) {
    const file = items.flatMap(({ pins }) => Object.entries(pins)).find(([, pinned]) => pinned === hash)?.[0];
    const content = file === undefined ? undefined : readContent(file);
    if (content && sha256(content) === hash) writePrivateFile(snapshotFile(stateDir, hash), content);
  }
  const granted = items.map(({ id, what, file, text, pins, digest }): [string, TrustRecord] => [
    id,
    { what, file, text, pins, digest, trustedAt: now.toISOString() },
  ]);
  return writeTrust(stateDir, { ...readTrust(stateDir), ...Object.fromEntries(granted) });
}

export function revokeTrust(stateDir: string, matches: (id: string, record: TrustRecord) => boolean): TrustStore {
  const kept = Object.entries(readTrust(stateDir)).filter(([id, record]) => !matches(id, record));
  return writeTrust(stateDir, Object.fromEntries(kept));
}

/** The content a file had when it was last trusted, under whatever item. */
export function lastTrustedContent(stateDir: string, store: TrustStore, file: string): string | undefined {
  const records = Object.values(store).filter(({ pins }) => file in pins);
  const latest = records.sort((a, b) => (a.trustedAt < b.trustedAt ? 1 : -1))[0];
  const content = latest && readContent(snapshotFile(stateDir, latest.pins[file] as string));
  return content?.toString("utf8");
}

function writeTrust(stateDir: string, store: TrustStore): TrustStore {
  writePrivateFile(trustFile(stateDir), `${JSON.stringify(store, null, 2)}\n`);
  return store;
}
