/**
 * Strands Agents (@strands-agents/sdk 1.19, Node 22 or newer). Its hooks abort the invocation when they throw, so none
 * of ours does; the one thing thrown on purpose is the SDK's own interrupt. No hook of it is told the prompt: that is
 * taken where an invocation begins.
 */
import type { Session } from "../embed/session.ts";
import { ToolGuard } from "./strands-calls.ts";
import { isGuarded } from "./strands-own-events.ts";
import type { StrandsAgent, StrandsSdk } from "./strands-shapes.ts";
import { Turns } from "./strands-turns.ts";

export { support } from "./strands-support.ts";

export type { StrandsAgent, StrandsSdk };

export interface StrandsOptions {
  /** Where hooks ask, the invocation ends with an interrupt, to be resumed when a person has answered. Default: ask in process. */
  readonly suspend?: boolean;
}

/** Guards the agent given, which serves one session; agents that it asks as tools are guarded with it. */
export function guardAgent<A extends StrandsAgent>(
  session: Session,
  sdk: StrandsSdk,
  agent: A,
  { suspend = false }: StrandsOptions = {},
): A {
  if (isGuarded(agent)) throw new Error("This agent is guarded already: an agent serves one session.");
  new ToolGuard(sdk, session, suspend).guard(agent);
  new Turns(sdk, session).guard(agent);
  return agent;
}
