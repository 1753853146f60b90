/**
 * What hooks look at is what is handed on. Most of them see JSON, so a value that JSON cannot hold, a Map or an instance
 * of a class, goes on as JSON spells it; and nobody who still has the original can change what was judged.
 */
import type { Json, JsonObject } from "../core/json.ts";
import { copyOf } from "../custom/module-copy.ts";
import type { ToolUse } from "./session.ts";

/** A copy that nobody else has. Throws where JSON has no form for it. */
export function ownJson(value: unknown): Json {
  if (isPlain(value)) return copyOf(value);
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? null : JSON.parse(text);
}

/** A call that nobody else can change. */
export function ownCall(call: ToolUse): ToolUse {
  const { input, metadata } = call;
  const own = { ...call, input: ownJson(input) as JsonObject };
  return metadata ? { ...own, metadata: ownJson(metadata) as JsonObject } : own;
}

/** What a tool returned; of what nobody could look at, only that it is withheld. */
export function ownOutput(response: unknown, failed: boolean): { readonly response: Json; readonly failed: boolean } {
  try {
    return { response: ownJson(response), failed };
  } catch (error) {
    return { response: `${WITHHELD} (${error instanceof Error ? error.message : error})`, failed: true };
  }
}

const WITHHELD = "The tool was called, but no hook can look at its output, which JSON cannot hold, so it is withheld";

/** Whether its parts are all that JSON would tell, and nothing is beside them. */
function isPlain(value: unknown): value is Json {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return false;
  return Array.isArray(value) ? isPlainList(value) : isPlainObject(value);
}

function isPlainList(list: readonly unknown[]): boolean {
  if (Object.getPrototypeOf(list) !== Array.prototype) return false;
  // One by one: `every` passes over what is not there.
  for (let index = 0; index < list.length; index++) if (!isPlain(list[index])) return false;
  return true;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  if (Object.getOwnPropertySymbols(value).length > 0) return false;
  for (const key of Object.keys(value)) if (!isPlain((value as { [key: string]: unknown })[key])) return false;
  return true;
}
