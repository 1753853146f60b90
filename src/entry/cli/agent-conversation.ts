/** A conversation of `holdfast agent` as a file, so that a later call goes on in it. */
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Message } from "../../agent/message.ts";
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { type CommandCall, textFlag } from "./command.ts";

export interface KeptConversation {
  readonly id: string;
  /** Absent: it is new. */
  readonly messages?: readonly Message[];
  save(messages: readonly Message[]): void;
}

export function keptConversation(call: CommandCall): KeptConversation | undefined {
  const resumed = textFlag(call, "resume-conversation");
  const file = resumed ?? textFlag(call, "save-conversation");
  if (file === undefined) return undefined;
  const path = resolve(call.cwd, file);
  const known = resumed === undefined ? { id: randomUUID() } : read(path);
  return { ...known, save: (messages) => write(path, { id: known.id, messages }) };
}

function read(path: string): { id: string; messages: readonly Message[] } {
  if (!existsSync(path)) throw wrong(`there is no conversation in ${path}`);
  let stored: unknown;
  try {
    stored = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw wrong(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (isJsonObject(stored) && typeof stored.id === "string" && Array.isArray(stored.messages)) {
    return { id: stored.id, messages: stored.messages as unknown as readonly Message[] };
  }
  throw wrong(`${path} is no conversation`);
}

/** Whole or not at all: a conversation that is cut in half is none. */
function write(path: string, conversation: object): void {
  makeDirectory(dirname(path), 0o700);
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, JSON.stringify(conversation), { mode: 0o600 });
  renameSync(temporary, path);
}

const wrong = (message: string) =>
  new HoldfastError("HF701", message, { hint: "begin one with --save-conversation <file>" });
