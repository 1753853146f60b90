/** How many streams one person or token has open: every tab has one, and a program that leaks them does not use up the server. */
import type { Principal } from "./principal.ts";
import { Problem } from "./problem.ts";

const MAX_STREAMS = 32;
const open = new Map<string, number>();

/** Throws where there are too many; else counts one, until it is told that it ended. */
export function countedStream(principal: Principal): () => void {
  const whose = keyOf(principal);
  const count = open.get(whose) ?? 0;
  if (count >= MAX_STREAMS)
    throw new Problem(429, "HF916", `there are ${count} streams open already`, { headers: { "retry-after": "5" } });
  open.set(whose, count + 1);
  return () => {
    const left = (open.get(whose) ?? 1) - 1;
    if (left > 0) open.set(whose, left);
    else open.delete(whose);
  };
}

const keyOf = (principal: Principal) =>
  principal.kind === "agent"
    ? `token:${principal.token}`
    : JSON.stringify([principal.organisation, principal.person.id]);
