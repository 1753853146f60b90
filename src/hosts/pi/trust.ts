/**
 * pi runs a project's extensions only where the person trusts it. Its store maps directories to true or false; the entry
 * of the directory itself or of the nearest one above decides, links resolved, and else a setting of the person.
 */
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { FileEdit, InstallTarget } from "../host.ts";
import { appendTo, nodeAt, removeAt } from "../json-text.ts";
import type { Trust } from "../program.ts";

/** Where pi keeps what is the person's. */
export function agentDir({ env, homeDir }: Pick<InstallTarget, "env" | "homeDir">): string {
  const own = env.PI_CODING_AGENT_DIR;
  if (!own) return join(homeDir, ".pi", "agent");
  return own === "~" || own.startsWith("~/") ? join(homeDir, own.slice(1)) : own;
}

/** What stands in the store already is the person's own word, whatever it is. */
export function trustEdit(target: InstallTarget): FileEdit {
  const path = join(agentDir(target), "trust.json");
  const directory = realPath(target.projectDir);
  const entry = `${ourKey(directory)}: true`;
  return {
    path,
    add(text) {
      if (text === undefined) return `{\n  ${entry}\n}\n`;
      const { mark, body } = checked(text, path);
      const store = storeOf(body);
      if (Object.hasOwn(store, directory) || decisionFor(directory, store) !== undefined) return text;
      return mark + appendTo(body, [], true, directory).replace(`${JSON.stringify(directory)}: true`, () => entry);
    },
    remove(text) {
      const { mark, body } = checked(text, path);
      if (!Object.hasOwn(storeOf(body), directory) || !isOurs(body, directory)) return text;
      const left = removeAt(body, [directory]);
      return left === undefined ? undefined : mark + left;
    },
  };
}

export function trustOf(target: InstallTarget): Trust {
  if (target.level === "user") return TRUSTED;
  const directory = realPath(target.projectDir);
  const store = join(agentDir(target), "trust.json");
  const decisions = settingsOf(target.readFile(store));
  const saved = decisionFor(directory, decisions);
  const { defaultProjectTrust: otherwise = "ask" } = settingsOf(
    target.readFile(join(agentDir(target), "settings.json")),
  );
  if (saved ?? otherwise === "always") return TRUSTED;
  const why = "pi loads the extensions of a project only where it is trusted, and says nothing where it is not";
  if (saved === false || Object.hasOwn(decisions, directory)) {
    const said = `${why}: ${store} does not say true`;
    return { state: "untrusted", why: said, fix: "start pi in the project and use /trust" };
  }
  return { state: "untrusted", why, fix: "holdfast init --hosts pi --yes" };
}

const TRUSTED: Trust = { state: "trusted" };

function decisionFor(directory: string, store: JsonObject): boolean | undefined {
  const decision = Object.hasOwn(store, directory) ? store[directory] : undefined;
  if (typeof decision === "boolean") return decision;
  const parent = dirname(directory);
  return parent === directory ? undefined : decisionFor(parent, store);
}

/** As pi does it. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The same key to every reader of JSON, in a spelling that only we use: so it can be told from a person's own. */
const ourKey = (directory: string) =>
  `"\\u${directory.charCodeAt(0).toString(16).padStart(4, "0")}${JSON.stringify(directory.slice(1)).slice(1)}`;

function isOurs(body: string, directory: string): boolean {
  const key = nodeAt(body, [directory]).parent?.children?.[0];
  return key !== undefined && body.slice(key.offset, key.offset + key.length) === ourKey(directory);
}

const storeOf = (body: string) => JSON.parse(body) as JsonObject;

function checked(text: string, path: string): { mark: string; body: string } {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const body = text.slice(mark.length);
  const problem = problemOf(body);
  if (problem) throw new HoldfastError("HF401", `${path} ${problem}`, { file: path });
  return { mark, body };
}

function problemOf(body: string): string | undefined {
  try {
    return isJsonObject(JSON.parse(body)) ? undefined : "does not hold a JSON object";
  } catch (error) {
    return `is not valid JSON: ${(error as Error).message}`;
  }
}

/** For a question only: what pi itself could not read trusts nothing. */
function settingsOf(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  try {
    const settings: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return isJsonObject(settings) ? settings : {};
  } catch {
    return {};
  }
}
