/** The only list of hosts. On the hot path: what installing needs is in installers.ts. */
import { claudeCode } from "./claude-code/host.ts";
import { codex } from "./codex/host.ts";
import { copilot } from "./copilot/host.ts";
import { cursor } from "./cursor/host.ts";
import { gemini } from "./gemini/host.ts";
import type { Host } from "./host.ts";
import { kiro } from "./kiro/host.ts";
import { opencode } from "./opencode/host.ts";
import { pi } from "./pi/host.ts";
import { qwen } from "./qwen/host.ts";

const ALL = [claudeCode, codex, cursor, copilot, opencode, gemini, kiro, qwen, pi] as const;

export type HostId = (typeof ALL)[number]["id"];

export const HOSTS: readonly Host[] = ALL;

export const hostById = (id: string): Host | undefined => HOSTS.find((host) => host.id === id);
