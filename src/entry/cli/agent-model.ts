/** The model of `holdfast agent`: a script, or any model of the AI SDK that the project has installed. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type AiSdk, aiSdkModel, type LanguageModel } from "../../agent/ai-sdk-model.ts";
import { jsonMode } from "../../agent/json-mode.ts";
import type { Model } from "../../agent/model.ts";
import { type ScriptedStep, scriptedModel } from "../../agent/scripted-model.ts";
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { type CommandCall, textFlag } from "./command.ts";

export async function modelOf(call: CommandCall): Promise<Model> {
  const script = textFlag(call, "script");
  const model = script === undefined ? await installedModel(call) : scriptIn(resolve(call.cwd, script));
  return call.flags["json-mode"] ? jsonMode(model) : model;
}

const wrong = (message: string, hint: string) => new HoldfastError("HF701", message, { hint });

function scriptIn(file: string): Model {
  const hint = 'a script is a list of answers: ["words", {"calls": [{"name": "shell", "input": {"command": "ls"}}]}]';
  let steps: unknown;
  try {
    steps = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw wrong(`the script ${file} cannot be read: ${(error as Error).message}`, hint);
  }
  const isStep = (step: unknown) =>
    typeof step === "string" || (isJsonObject(step) && ("calls" in step || "text" in step));
  if (!Array.isArray(steps) || !steps.every(isStep)) throw wrong(`${file} is no script`, hint);
  return scriptedModel(steps as ScriptedStep[]);
}

const HOW = [
  "install the AI SDK and a provider in your project, then name one of its models:",
  "npm install ai@6 @ai-sdk/anthropic && holdfast agent --model anthropic:claude-sonnet-4-5 …",
  "(HOLDFAST_AGENT_MODEL does the same; the provider reads its own key from the environment; --script needs no model)",
].join(" ");

async function installedModel({ cwd, env, ...call }: CommandCall): Promise<Model> {
  const name = textFlag({ cwd, env, ...call }, "model") ?? env.HOLDFAST_AGENT_MODEL;
  if (!name) throw wrong("no model is set", HOW);
  const [, provider = "", id = ""] = /^([\w@/.-]+?):(.+)$/.exec(name) ?? [];
  if (id === "") throw wrong(`a model is named provider:model, not "${name}"`, HOW);
  const sdk = (await imported("ai", cwd)) as AiSdk;
  const packageName = provider.startsWith("@") ? provider : `@ai-sdk/${provider}`;
  const exported = (await imported(packageName, cwd)) as Record<string, unknown>;
  const create = exported[camelCase(packageName.split("/").at(-1) ?? "")] ?? exported.default;
  if (typeof create !== "function") throw wrong(`${packageName} exports no provider that we know how to call`, HOW);
  return aiSdkModel(create(id) as LanguageModel, { sdk });
}

const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** As a file of the project would import it. */
async function imported(name: string, cwd: string): Promise<unknown> {
  const directory = packageDirectory(name, resolve(cwd));
  if (directory === undefined) throw wrong(`the package ${name} is not installed in ${cwd} or above`, HOW);
  const description = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const entry = entryIn(description.exports?.["."] ?? description.exports) ?? description.module ?? description.main;
  return import(pathToFileURL(join(directory, entry ?? "index.js")).href);
}

function packageDirectory(name: string, from: string): string | undefined {
  const directory = join(from, "node_modules", name);
  if (existsSync(join(directory, "package.json"))) return directory;
  return dirname(from) === from ? undefined : packageDirectory(name, dirname(from));
}

/** What `exports` says of an import; nested conditions are looked into. */
function entryIn(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (!isJsonObject(target)) return undefined;
  return entryIn(target.import) ?? entryIn(target.node) ?? entryIn(target.default);
}
