/** A role of the knowledge layer: what one of its built-in hooks does when its event comes. */
import type { AgentEvent } from "../core/event.ts";
import type { JudgeContext } from "../core/hook.ts";
import type { Verdict } from "../core/verdict.ts";
import type { TakeLock } from "./lock.ts";
import type { KnowledgeSection } from "./settings.ts";

export interface RoleSetting {
  /** The project's root: the base lies below it, wherever in it the session stands. */
  readonly root: string;
  /** The section `knowledge:` of the config, all layers merged. */
  readonly section: KnowledgeSection;
  readonly homeDir: string;
  /** The person's own state directory. */
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly takeLock: TakeLock;
  /** Where the program lies: for work that goes on after the call. */
  readonly distDir: string;
}

/** Throws what a person should know: the engine makes a notice of it, and the call goes on. */
export type Role = (event: AgentEvent, context: JudgeContext, setting: RoleSetting) => Promise<Verdict>;
