/** What only some calls need, loaded in the branch that needs it. */
import type { LinearRegex } from "../config/pattern.ts";
import type { AgentEvent } from "../core/event.ts";
import type { JudgeContext, Member } from "../core/hook.ts";
import type { JsonObject } from "../core/json.ts";
import type { Verdict } from "../core/verdict.ts";
import type { Pins } from "../sources/pins.ts";

export interface ModuleCall {
  readonly file: string;
  readonly index: number;
  readonly pins: Pins | null;
  readonly event: AgentEvent;
  readonly context: JudgeContext;
  readonly timeoutMs: number;
}

export interface ModuleRuns {
  judge(call: ModuleCall): Promise<Verdict>;
  /** A hook that can be asked together with the others of these modules. */
  member(hook: Omit<ModuleCall, "event" | "context"> & { readonly options: JsonObject }): Member;
  close(): Promise<void>;
}

export const loadCompiler = () => import("./fresh-compile.ts");
export const loadModules = () => import("./modules.ts");
export const loadDesks = () => import("./desks.ts");
export const loadApprovalGate = () => import("./approval-gate.ts");
export const loadSessionApprovals = () => import("./session-approvals.ts");

export const KNOWLEDGE_ROLES = {
  capture: async () => (await import("../knowledge/capture/role.ts")).capture,
  drain: async () => (await import("../knowledge/drain/role.ts")).drain,
  sessionStart: async () => (await import("../knowledge/drain/session-start-role.ts")).sessionStart,
  promptContext: async () => (await import("../knowledge/retrieval/role.ts")).promptContext,
  lintTick: async () => (await import("../knowledge/drain/lint-tick-role.ts")).lintTick,
};

export async function loadRegex(): Promise<LinearRegex> {
  const { RE2JS } = await import("re2js");
  return {
    compile(source) {
      const compiled = RE2JS.compile(source);
      return { test: (value) => compiled.matcher(value).find() };
    },
  };
}
