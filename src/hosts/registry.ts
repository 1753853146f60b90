/** The only list of hosts. On the hot path: what installing needs is in installers.ts. */
import { claudeCode } from "./claude-code/host.ts";
import type { Host } from "./host.ts";
import { kiro } from "./kiro/host.ts";
import { pi } from "./pi/host.ts";

const ALL = [claudeCode, kiro, pi] as const;

export type HostId = (typeof ALL)[number]["id"];

export const HOSTS: readonly Host[] = ALL;

export const hostById = (id: string): Host | undefined => HOSTS.find((host) => host.id === id);
