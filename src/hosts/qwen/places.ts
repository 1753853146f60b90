/** Where Qwen Code keeps what decides whether it calls us. */
import { join } from "node:path";
import type { InstallTarget, Level } from "../host.ts";

type Place = Pick<InstallTarget, "projectDir" | "homeDir" | "env">;

/** There are no settings for one checkout alone: the project's are taken. */
export function settingsPath({ level, projectDir, homeDir, env }: Place & { readonly level: Level }): string {
  if (level === "managed") return env.QWEN_CODE_SYSTEM_SETTINGS_PATH || join(SYSTEM_DIR, "settings.json");
  return join(level === "user" ? ownDir({ homeDir, env }) : join(projectDir, ".qwen"), "settings.json");
}

export const trustedFoldersPath = ({ homeDir, env }: Pick<Place, "homeDir" | "env">): string =>
  env.QWEN_CODE_TRUSTED_FOLDERS_PATH || join(ownDir({ homeDir, env }), "trustedFolders.json");

const ownDir = ({ homeDir, env }: Pick<Place, "homeDir" | "env">) => env.QWEN_HOME || join(homeDir, ".qwen");

const SYSTEM_DIR = process.platform === "darwin" ? "/Library/Application Support/QwenCode" : "/etc/qwen-code";
