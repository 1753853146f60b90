/** Whether Gemini CLI heeds a registration: hooks may be switched off, and folders must be trusted. */
import { stripComments } from "jsonc-parser";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { type InstallTarget, LEVELS } from "../host.ts";
import type { Trust } from "../program.ts";
import { HOOK_NAME } from "./install.ts";
import { settingsPath, trustedFoldersPath } from "./places.ts";
import { isTrusted } from "./trusted-folders.ts";

export function trust(target: InstallTarget): Trust {
  return switchedOff(target) ?? untrustedFolder(target) ?? { state: "trusted" };
}

function switchedOff(target: InstallTarget): Trust | undefined {
  for (const path of new Set(LEVELS.map((level) => settingsPath({ ...target, level })))) {
    const { enabled, disabled } = objectOr(readJson(path, target).hooksConfig);
    if (enabled === false) {
      return untrusted(`"hooksConfig.enabled" is false in ${path}`, `set it to true in ${path}`);
    }
    if (Array.isArray(disabled) && disabled.includes(HOOK_NAME)) {
      return untrusted(`"${HOOK_NAME}" stands under "hooksConfig.disabled" in ${path}`, `remove it there`);
    }
  }
  return undefined;
}

function untrustedFolder(target: InstallTarget): Trust | undefined {
  const { projectDir, env } = target;
  if (env.GEMINI_CLI_TRUST_WORKSPACE === "true" || !asksForTrust(target)) return undefined;
  const path = trustedFoldersPath(target);
  const trusted = isTrusted(readJson(path, target), projectDir);
  if (trusted) return undefined;
  const why = trusted === false ? `${path} says not to trust ${projectDir}` : `${path} does not name ${projectDir}`;
  return untrusted(
    `Gemini CLI runs no hooks in a folder that is not trusted: ${why}`,
    `start gemini in ${projectDir} and choose to trust the folder, or add "${projectDir}": "TRUST_FOLDER" to ${path}`,
  );
}

/** A project cannot say of itself that no trust is needed. */
const asksForTrust = (target: InstallTarget) =>
  (["user", "managed"] as const).every((level) => {
    const { folderTrust } = objectOr(readJson(settingsPath({ ...target, level }), target).security);
    return objectOr(folderTrust).enabled !== false;
  });

const untrusted = (why: string, fix: string): Trust => ({ state: "untrusted", why, fix });

/** A file that cannot be read stops the program itself, loudly: nothing to say about it here. */
function readJson(path: string, { readFile }: InstallTarget): JsonObject {
  try {
    return objectOr(JSON.parse(stripComments(readFile(path) ?? "{}", " ")));
  } catch {
    return {};
  }
}

const objectOr = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
