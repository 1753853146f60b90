/** The knowledge layer as built-in hooks see it: each role is loaded in the call that first needs it. */
import type { Places } from "../config/places.ts";
import type { Plan } from "../config/plan.ts";
import { NO_OPINION } from "../core/verdict.ts";
import type { Knowledge, KnowledgeRole } from "../hooks/builtin.ts";
import { HOSTS } from "../hosts/registry.ts";
import type { TakeLock } from "../knowledge/lock.ts";
import type { RoleSetting } from "../knowledge/role.ts";
import { awaitFileLock, tryFileLock } from "../records/file-lock.ts";
import { KNOWLEDGE_ROLES } from "./lazy.ts";
import type { MachineRecords } from "./machine.ts";

export function knowledgeOf(plan: Plan, places: Places, records: MachineRecords): Knowledge {
  const setting: RoleSetting = {
    root: plan.root,
    section: plan.settings.knowledge ?? {},
    homeDir: places.homeDir,
    stateDir: places.stateDir,
    env: records.env ?? {},
    distDir: records.distDir ?? "",
    takeLock,
  };
  const role =
    (name: KnowledgeRole): Knowledge[KnowledgeRole] =>
    async (event, context) => {
      // Roles write, and start programs: somebody who only asks what would happen gets none of it.
      if (records.rehearsal) return NO_OPINION;
      if (name === "promptContext" && !takesPromptContext(event.host)) return NO_OPINION;
      const perform = await KNOWLEDGE_ROLES[name]();
      return perform(event, context, setting);
    };
  return {
    capture: role("capture"),
    drain: role("drain"),
    sessionStart: role("sessionStart"),
    promptContext: role("promptContext"),
    lintTick: role("lintTick"),
  };
}

/**
 * Whether what is said of a prompt reaches the model, as seen with the real program and not only documented. Programs that
 * embed us are no hosts of ours: they take context as data.
 */
export function takesPromptContext(hostId: string): boolean {
  const host = HOSTS.find(({ id }) => id === hostId);
  if (!host) return true;
  return host.provenVersion !== "documented" && host.support.user_prompt_submit?.answers.context === "native";
}

/** Others in this process go on meanwhile. */
export const takeLock: TakeLock = async (lockFile) =>
  tryFileLock(lockFile, LOCK) ?? (await awaitFileLock(lockFile, LOCK));

const LOCK = { createDirectory: true, waitMs: 5_000 };
