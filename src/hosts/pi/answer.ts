/** What our plugin in pi's process is told to do: on stdout as JSON, so that it can be read without pi. */
import type { Json, JsonObject } from "../../core/json.ts";
import type { HostAnswer } from "../host.ts";

export interface PiAnswer {
  /** tool_call: does not run. input: is not sent. session_before_compact: does not happen. tool_result: stands in its place. */
  readonly block?: string;
  /** tool_call: runs only if a person says yes. */
  readonly ask?: Question;
  /** tool_call: the whole input that runs instead. */
  readonly input?: JsonObject;
  /** tool_result: the content that the model sees instead. */
  readonly content?: readonly Json[];
  /** agent_before_settle: the agent is told this and goes on. */
  readonly continue?: string;
  /** agent_before_settle: nothing makes the agent go on. */
  readonly halt?: string;
  /** For the model, at the next chance. */
  readonly context?: string;
}

export interface Question {
  /** For the person, with the call as it would run. */
  readonly question: string;
  /** For the model, where the person said no. */
  readonly refused: string;
  /** For the model, where nobody was there to be asked. */
  readonly unasked: string;
}

/** Exit 2 is our own failure on an event that guards: a block with what stderr says. */
export function readAnswer({ stdout, stderr, exitCode }: HostAnswer): PiAnswer {
  if (exitCode === 2) return { block: stderr };
  return stdout === "" ? {} : (JSON.parse(stdout) as PiAnswer);
}
