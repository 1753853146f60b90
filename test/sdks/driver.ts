/** What a binding's test driver does: plays a scripted model through the real SDK, guarded by a session. */
import type { Json, JsonObject } from "../../src/core/json.ts";
import type { Session } from "../../src/embed/session.ts";

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** What the model answers to one request. The steps are answered in their order, whatever the request holds. */
export type ModelStep = { readonly text: string } | { readonly calls: readonly ScriptedCall[] };

export interface ScriptedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  run(input: JsonObject): Promise<Json> | Json;
}

/** Offered to the model as a tool of its name with the input `{ objective }`, or as the SDK does it. */
export interface ScriptedSubAgent {
  readonly name: string;
  readonly description: string;
  readonly script: readonly ModelStep[];
  readonly tools: readonly ScriptedTool[];
}

export interface DriverRun {
  readonly session: Session;
  readonly prompt: string;
  /** What the person said before the prompt, in messages of their own, with no answer between. */
  readonly said: readonly string[];
  readonly script: readonly ModelStep[];
  readonly tools: readonly ScriptedTool[];
  readonly subAgents: readonly ScriptedSubAgent[];
  /** Where hooks ask, the run is to end and wait for a person, not to ask in process. */
  readonly suspend: boolean;
  /** The program's own part in the SDK that may change a call before its tool runs: middleware, a hook. */
  readonly extension?: (input: JsonObject) => JsonObject;
}

export interface Ran {
  /** Each request the main model got, as one text: instructions, messages, tool results. */
  readonly modelSaw: readonly string[];
  /** Likewise of all sub-agents. */
  readonly subAgentSaw: readonly string[];
  /** The last words; of a refused prompt, the reason in the form the SDK gives it to its caller (thrown or returned). */
  readonly answer: string;
  /** The run ended to wait for a person. */
  readonly suspended?: Suspended;
}

export interface Suspended {
  /** What the person is told. */
  readonly reason: string;
  /** Goes on from what was stored, as another process would. `modelSaw` is of the requests since. */
  resume(answer: { readonly approve: boolean }): Promise<Ran>;
}

/** What not every SDK can do. Everything else is expected of all. */
export type Ability =
  | "see a shell command"
  | "change a call"
  | "repeat an id"
  | "two messages at once"
  | "block a prompt"
  | "prompt context"
  | "tool context"
  | "suspend"
  | "continue a stop"
  | "delegation"
  | "rewrite a delegation";

export interface Driver {
  readonly name: string;
  /** What the SDK cannot do, and what happens instead: as its support table says. */
  readonly lacks: Partial<Record<Ability, string>>;
  /** Which input of a rewritten call the model sees in its history. */
  readonly history: "original" | "rewritten";
  run(run: DriverRun): Promise<Ran>;
}
