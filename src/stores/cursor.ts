/** Where a page of a list ended: whole numbers and texts, opaque to whoever carries them. */
import { HoldfastError } from "../core/errors.ts";

export function encodeCursor(position: readonly (number | string)[]): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** A cursor comes from outside: anything but a position of these kinds is refused. */
export function decodeCursor(cursor: string, kinds: readonly ("number" | "string")[]): readonly (number | string)[] {
  const position = parsed(cursor);
  const fits =
    Array.isArray(position) &&
    position.length === kinds.length &&
    position.every((value, index) => typeof value === kinds[index] && (kinds[index] === "string" || isWhole(value)));
  if (!fits) throw new HoldfastError("HF921", `The page "${cursor.slice(0, 80)}" is not one that a list gave out.`);
  return position;
}

const isWhole = (value: unknown) => Number.isSafeInteger(value);

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
