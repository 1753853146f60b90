/** Whether Gemini CLI heeds a registration: hooks may be switched off, and folders must be trusted. */
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { objectIn } from "../commented-json.ts";
import { type InstallTarget, LEVELS } from "../host.ts";
import type { Trust } from "../program.ts";
import { HOOK_NAME } from "./install.ts";
import { settingsPath, trustedFoldersPath } from "./places.ts";
import { isTrusted } from "./trusted-folders.ts";

export function trust(target: InstallTarget): Trust {
  try {
    return switchedOff(target) ?? untrustedFolder(target) ?? { state: "trusted" };
  } catch (error) {
    return untrusted(`Gemini CLI does not start: ${(error as Error).message}`, "mend that file");
  }
}

function switchedOff(target: InstallTarget): Trust | undefined {
  for (const path of new Set(LEVELS.map((level) => settingsPath({ ...target, level })))) {
    const { enabled, disabled } = objectOr(readObject(path, target).hooksConfig);
    if (enabled === false) return untrusted(`"hooksConfig.enabled" is false in ${path}`, `set it to true in ${path}`);
    if (Array.isArray(disabled) && disabled.includes(HOOK_NAME)) {
      return untrusted(`${path} has "${HOOK_NAME}" in "hooksConfig.disabled"`, `remove it from that list in ${path}`);
    }
  }
  return undefined;
}

function untrustedFolder(target: InstallTarget): Trust | undefined {
  if (!asksForTrust(target)) return undefined;
  const { projectDir } = target;
  const path = trustedFoldersPath(target);
  const trusted = isTrusted(readObject(path, target), projectDir);
  if (trusted) return undefined;
  const why = trusted === false ? `${path} says not to trust ${projectDir}` : `${path} does not name ${projectDir}`;
  return untrusted(
    `Gemini CLI runs no hooks in a folder that is not trusted, and ${why}`,
    `start gemini in ${projectDir} and choose to trust the folder, or write "${projectDir}": "TRUST_FOLDER" into ${path}`,
  );
}

/** A project cannot say of itself that no trust is needed. */
function asksForTrust(target: InstallTarget): boolean {
  return (["user", "managed"] as const).every((level) => {
    const { folderTrust } = objectOr(readObject(settingsPath({ ...target, level }), target).security);
    return objectOr(folderTrust).enabled !== false;
  });
}

const untrusted = (why: string, fix: string): Trust => ({ state: "untrusted", why, fix });

const readObject = (path: string, { readFile }: InstallTarget) => objectIn(readFile(path) ?? "{}", path);

const objectOr = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
