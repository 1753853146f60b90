/** Names of nodes. For a title in plain ASCII they are what the predecessor made of it. */
import { HoldfastError } from "../../core/errors.ts";
import type { NodeType } from "./node.ts";

const MAX_SLUG = 60;

/** Letters of every script stay; whatever is between words becomes one hyphen. */
export function slugOf(title: string): string {
  const words = title
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, "-");
  const slug = [...words.replace(/^-+|-+$/g, "")].slice(0, MAX_SLUG).join("").replace(/-+$/, "");
  return slug === "" ? "untitled" : slug;
}

export const nodeId = (type: NodeType, slug: string): string => `${type}-${slug}`;

/** The id, or with -2, -3 or -4 behind it. Five of one name are a sign that one should be changed instead. */
export function freeId(id: string, isTaken: (id: string) => boolean): string {
  for (const candidate of [id, `${id}-2`, `${id}-3`, `${id}-4`]) if (!isTaken(candidate)) return candidate;
  throw new HoldfastError("HF1104", `${id} and ${id}-2 to ${id}-4 are all taken`);
}
