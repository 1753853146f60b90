/** Where Gemini CLI keeps what decides whether it calls us. */
import { join } from "node:path";
import type { InstallTarget, Level } from "../host.ts";

type Place = Pick<InstallTarget, "projectDir" | "homeDir" | "env">;

/** There are no settings for one checkout alone: the project's are taken. */
export function settingsPath({ level, projectDir, homeDir, env }: Place & { readonly level: Level }): string {
  if (level === "managed") return env.GEMINI_CLI_SYSTEM_SETTINGS_PATH || join(SYSTEM_DIR, "settings.json");
  return join(level === "user" ? home({ homeDir, env }) : projectDir, ".gemini", "settings.json");
}

export const trustedFoldersPath = ({ homeDir, env }: Pick<Place, "homeDir" | "env">): string =>
  env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(home({ homeDir, env }), ".gemini", "trustedFolders.json");

const home = ({ homeDir, env }: Pick<Place, "homeDir" | "env">) => env.GEMINI_CLI_HOME || homeDir;

const SYSTEM_DIR = process.platform === "darwin" ? "/Library/Application Support/GeminiCli" : "/etc/gemini-cli";
