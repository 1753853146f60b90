/** How each host of the registry is installed. Apart from it, because editing settings loads a package. */
import { install as claudeCode } from "./claude-code/install.ts";
import { install as codex } from "./codex/install.ts";
import { install as copilot } from "./copilot/install.ts";
import { install as cursor } from "./cursor/install.ts";
import { install as gemini } from "./gemini/install.ts";
import type { Install } from "./host.ts";
import { install as kiro } from "./kiro/install.ts";
import { install as opencode } from "./opencode/install.ts";
import { install as pi } from "./pi/install.ts";
import { install as qwen } from "./qwen/install.ts";
import type { HostId } from "./registry.ts";

/** A host that is missing here does not compile. */
export const INSTALLERS: { readonly [Id in HostId]: Install } = {
  "claude-code": claudeCode,
  codex,
  cursor,
  copilot,
  opencode,
  gemini,
  kiro,
  qwen,
  pi,
};

export const installerById = (id: string): Install | undefined =>
  Object.hasOwn(INSTALLERS, id) ? INSTALLERS[id as HostId] : undefined;
