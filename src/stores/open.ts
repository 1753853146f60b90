/** A store by its address. Neither database's package is loaded before it is needed. */
import { fileURLToPath } from "node:url";
import type { Stores } from "../approvals/store.ts";
import { HoldfastError } from "../core/errors.ts";

export interface StoreAddress {
  /** `sqlite:<file>`, the path of a file, or `postgres://…`. */
  readonly url: string;
}

export async function openStores({ url }: StoreAddress): Promise<Stores> {
  if (/^postgres(ql)?:\/\//i.test(url)) {
    const { postgresStores } = await import("./postgres/stores.ts");
    return postgresStores(url);
  }
  const { sqliteStores } = await import("./sqlite/stores.ts");
  return sqliteStores(fileOf(url));
}

function fileOf(url: string): string {
  if (/^file:\/\//i.test(url)) return fileURLToPath(url);
  const file = url.replace(/^sqlite:/i, "");
  // One letter before a colon is a drive of Windows.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(file)?.[1];
  if (scheme !== undefined)
    throw new HoldfastError("HF922", `There is no store behind "${scheme}:": it is neither SQLite nor PostgreSQL.`);
  if (file.trim() === "" || file.startsWith("//") || file.includes("\0"))
    throw new HoldfastError("HF922", `"${url}" names no file.`);
  return file;
}
