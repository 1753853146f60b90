/** A new run as the command line asks for it. */
import { resolve } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { listDefinitions } from "../../runs/assignment/definition-file.ts";
import { type AgentDefinition, loadAgent, loadAssignment } from "../../runs/assignment/load.ts";
import type { NewRun, RunOverrides } from "../../runs/new-run.ts";
import { EFFORTS, type Effort } from "../../runs/run.ts";
import { definitionPlaces } from "../run/definitions.ts";
import { type CommandCall, listFlag, textFlag } from "./command.ts";

export function newRunOf(call: CommandCall, isStarted: boolean): NewRun {
  const { words, env, cwd } = call;
  const places = definitionPlaces(cwd, env);
  const [reference] = words;
  const agent = textFlag(call, "agent");
  return {
    assignment: reference === undefined ? null : loadAssignment(reference, places),
    agent: agent === undefined ? adHocAgent(call) : loadAgent(agent, places),
    callerCwd: cwd,
    cliVars: cliVarsOf(call),
    webVars: {},
    overrides: overridesOf(call),
    isStarted,
  };
}

/** Without an agent of its own, a run needs to know at least who works. */
function adHocAgent(call: CommandCall): AgentDefinition {
  const backend = textFlag(call, "backend");
  if (backend === undefined) {
    const agents = listDefinitions("agents", definitionPlaces(call.cwd, call.env).dirs).map(({ name }) => name);
    throw new HoldfastError("HF701", "who works on it?", {
      hint: `give --agent <name>${agents.length > 0 ? ` (${agents.join(", ")})` : ""}, or --backend claude-code; holdfast list backends shows those`,
    });
  }
  return {
    ...{ name: "ad-hoc", file: "", backend, model: null, effort: null, launcher: null, executionEnvironment: null },
    ...{ backendConfig: {}, backendArgs: {}, timeoutSec: 3600, unrestricted: true, lockedFields: [], body: "" },
  };
}

export function cliVarsOf(call: CommandCall): Record<string, string> {
  return Object.fromEntries(
    listFlag(call, "var").map((text) => {
      const at = text.indexOf("=");
      if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
      throw new HoldfastError("HF701", `--var ${text} names no value`, { hint: "--var name=value" });
    }),
  );
}

function overridesOf(call: CommandCall): RunOverrides {
  const text = (name: string) => textFlag(call, name);
  const cwd = text("cwd");
  const depends = listFlag(call, "depend");
  const fields: { readonly [K in keyof RunOverrides]: RunOverrides[K] | undefined } = {
    cwd: cwd === undefined ? undefined : resolve(call.cwd, cwd),
    backend: text("backend"),
    model: text("model"),
    message: text("message"),
    name: text("name"),
    note: text("note"),
    group: text("group"),
    parentRun: text("parent"),
    backendSession: text("session"),
    dependencies: depends.length > 0 ? depends : undefined,
    ...settingOverrides(call),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** What can be said anew for every session of a run. */
export function settingOverrides(call: CommandCall) {
  const model = textFlag(call, "model");
  const effort = textFlag(call, "effort");
  const timeoutSec = wholeNumber(call, "timeout");
  const maxRetries = wholeNumber(call, "retries");
  return {
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort: effortOf(effort) }),
    ...(timeoutSec === undefined ? {} : { timeoutSec }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
    ...(call.flags.restricted ? { unrestricted: false } : {}),
  };
}

function effortOf(name: string): Effort {
  const effort = EFFORTS.find((known) => known === name);
  if (effort) return effort;
  const meant = nearest(name, EFFORTS);
  throw new HoldfastError("HF701", `there is no effort "${name}"`, {
    hint: meant ? `did you mean ${meant}?` : `efforts: ${EFFORTS.join(", ")}`,
  });
}

function wholeNumber(call: CommandCall, name: string): number | undefined {
  const text = textFlag(call, name);
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw new HoldfastError("HF701", `--${name} ${text} is no whole number`, { hint: `--${name} 3` });
}
