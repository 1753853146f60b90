/** Whether Qwen Code heeds a registration: hooks may be switched off, and folders may need trust. */
import type { InstallTarget } from "../host.ts";
import type { Trust } from "../program.ts";
import { objectIn } from "./commented-json.ts";
import { trustedFoldersPath } from "./places.ts";
import { asksForTrust, isTrusted, settingOf } from "./trusted-folders.ts";

export function trust(target: InstallTarget): Trust {
  try {
    return switchedOff(target) ?? untrustedFolder(target) ?? { state: "trusted" };
  } catch (error) {
    return untrusted(`Qwen Code cannot read its settings: ${(error as Error).message}`, "mend that file");
  }
}

function switchedOff(target: InstallTarget): Trust | undefined {
  if (settingOf(target, ({ disableAllHooks }) => disableAllHooks) !== true) return undefined;
  return untrusted(`"disableAllHooks" is true in Qwen Code's settings`, `remove "disableAllHooks" there`);
}

/** A person's own hooks and a machine's run everywhere. */
function untrustedFolder(target: InstallTarget): Trust | undefined {
  if (target.level === "user" || target.level === "managed" || !asksForTrust(target)) return undefined;
  const { projectDir } = target;
  const path = trustedFoldersPath(target);
  const trusted = isTrusted(objectIn(target.readFile(path) ?? "{}", path), projectDir);
  if (trusted) return undefined;
  const why = trusted === false ? `${path} says not to trust ${projectDir}` : `${path} does not name ${projectDir}`;
  return untrusted(
    `"security.folderTrust.enabled" is true, so Qwen Code runs no hook of an untrusted folder, and ${why}`,
    `start qwen in ${projectDir} and choose to trust the folder, or write "${projectDir}": "TRUST_FOLDER" into ${path}`,
  );
}

const untrusted = (why: string, fix: string): Trust => ({ state: "untrusted", why, fix });
