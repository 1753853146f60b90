/** The keys that seal credentials: from the environment, else from a file only this user can read. */
import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../core/errors.ts";
import { makeDirectory } from "../files/make-directory.ts";
import { type Keyring, sealingKey } from "./credentials.ts";

export const KEY_VARIABLE = "HOLDFAST_SECRET_KEY";
export const KEY_FILE = "channel-key";

/** Several keys stand after each other, the current one first: with commas in the variable, on lines in the file. */
export function loadKeyring(environment: Readonly<Record<string, string | undefined>>, stateDir: string): Keyring {
  const fromEnvironment = environment[KEY_VARIABLE];
  const secrets =
    fromEnvironment === undefined || fromEnvironment === ""
      ? secretsOf(join(stateDir, KEY_FILE), stateDir)
      : fromEnvironment.split(",");
  const [current, ...older] = secrets.map((secret) => secret.trim()).filter((secret) => secret !== "");
  if (current === undefined) throw new HoldfastError("HF931", "the key that seals credentials is empty");
  return [sealingKey(current), ...older.map(sealingKey)];
}

function secretsOf(file: string, stateDir: string): readonly string[] {
  const text = readOrUndefined(file) ?? created(file, stateDir);
  const { mode } = statSync(file);
  if (process.platform !== "win32" && (mode & 0o077) !== 0)
    throw new HoldfastError("HF931", `others can read the key file ${file}`, {
      file,
      hint: `Run chmod 600 on it, and seal the credentials anew with another key if somebody may have read it.`,
    });
  return text.split("\n");
}

/** Written whole under another name first: of two at once both read the one that came first. */
function created(file: string, stateDir: string): string {
  makeDirectory(stateDir, 0o700);
  const draft = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
  chmodSync(draft, 0o600);
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(file, "utf8");
}

function readOrUndefined(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw new HoldfastError("HF931", `the key file ${file} cannot be read`, { file });
  }
}

const isCode = (error: unknown, code: string) => error instanceof Error && "code" in error && error.code === code;
