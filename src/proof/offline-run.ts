/** A real host program, run once against a scripted model: own home, clean environment, loopback only. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "../files/make-directory.ts";
import type { OfflineProgram, OfflineSetting, Seed } from "../hosts/program.ts";
import { cleanPath, type HostExit, runHostProcess } from "./host-process.ts";
import type { ModelScript } from "./script.ts";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.ts";
import { tellStory } from "./story.ts";
import type { Wire } from "./wire.ts";
import { anthropicWire } from "./wires/anthropic.ts";
import { chatCompletionsWire } from "./wires/chat-completions.ts";
import { geminiWire } from "./wires/gemini.ts";
import { responsesWire } from "./wires/responses.ts";

export interface OfflineCall extends Omit<OfflineSetting, "modelUrl"> {
  /** The program, and what must stand before its arguments. */
  readonly command: readonly string[];
  readonly program: OfflineProgram;
  readonly script: ModelScript;
  /** Behind the program's own. */
  readonly extraArgs?: readonly string[];
  /** Added to the clean environment; hook processes inherit it. */
  readonly env?: Readonly<Record<string, string>>;
  /** The PATH of the program, where it needs another than the system's. */
  readonly path?: string | undefined;
  readonly timeoutMs: number;
}

export interface OfflineResult extends HostExit {
  readonly model: Pick<ScriptedModel, "requests" | "toolResults" | "textsSentToModel">;
  /** The run told for a person: what the model was told and said, what went wrong. */
  readonly story: string;
}

const WIRES: { readonly [W in OfflineProgram["wire"]]: Wire } = {
  anthropic: anthropicWire,
  "chat-completions": chatCompletionsWire,
  gemini: geminiWire,
  responses: responsesWire,
};

export async function runOffline(call: OfflineCall): Promise<OfflineResult> {
  const model = await startModelFor(call.program, call.script);
  try {
    const { args, env, seeds } = call.program.run({ ...call, modelUrl: model.url });
    plantSeeds(seeds);
    const [command = "", ...before] = call.command;
    const exit = await runHostProcess({
      command,
      args: [...before, ...args, ...(call.extraArgs ?? [])],
      cwd: call.projectDir,
      env: { HOME: call.homeDir, PATH: call.path ?? cleanPath, TERM: "dumb", ...given(env), ...call.env },
      timeoutMs: call.timeoutMs,
    });
    const { requests, toolResults, textsSentToModel } = model;
    return { ...exit, model: { requests, toolResults, textsSentToModel }, story: tellStory(exit, requests) };
  } finally {
    await model.close();
  }
}

/** A scripted model that speaks to this program. */
export const startModelFor = ({ wire }: OfflineProgram, script: ModelScript): Promise<ScriptedModel> =>
  startScriptedModel(script, WIRES[wire]);

export function plantSeeds(seeds: readonly Seed[]): void {
  for (const { path, text } of seeds) {
    makeDirectory(dirname(path));
    writeFileSync(path, text(existsSync(path) ? readFileSync(path, "utf8") : undefined), { mode: 0o600 });
  }
}

const given = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
