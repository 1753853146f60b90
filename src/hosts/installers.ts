/** How each host of the registry is installed. Apart from it, because editing settings loads a package. */
import { install as claudeCode } from "./claude-code/install.ts";
import type { Install } from "./host.ts";
import { install as kiro } from "./kiro/install.ts";
import { install as pi } from "./pi/install.ts";
import type { HostId } from "./registry.ts";

/** A host that is missing here does not compile. */
export const INSTALLERS: { readonly [Id in HostId]: Install } = { "claude-code": claudeCode, kiro, pi };

export const installerById = (id: string): Install | undefined =>
  Object.hasOwn(INSTALLERS, id) ? INSTALLERS[id as HostId] : undefined;
