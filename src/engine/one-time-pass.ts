/** A one-time pass: a person lets one blocked call through, once, soon, and no other call. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Places, sha256 } from "../config/places.ts";
import { writePrivateFile } from "../config/private-file.ts";
import type { Decision } from "../core/decision.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import { deliver } from "../hosts/delivery.ts";
import type { Outcome, Support } from "../hosts/host.ts";
import { isApprovals } from "./asked-approvals.ts";
import { callDigest, shortCode } from "./call-digest.ts";
import type { IsAwaited } from "./judge.ts";

const LIFETIME_MS = 15 * 60 * 1000;

export interface Pass {
  readonly digest: string;
  readonly grantedAt: string;
  readonly expiresAt: string;
}

const passFile = (places: Places, digest: string) => join(places.stateDir, "passes", `${digest}.json`);

export function grantPass(digest: string, places: Places, now: Date): Pass {
  const pass = { digest, grantedAt: now.toISOString(), expiresAt: new Date(now.getTime() + LIFETIME_MS).toISOString() };
  const file = passFile(places, digest);
  writePrivateFile(file, JSON.stringify(pass));
  removeUsed(dirname(file), now);
  return pass;
}

/**
 * Takes the pass away as it is used: of two calls at once only one finds it. It is kept for that one call: whoever takes
 * the call over from a daemon that died on it finds it again.
 */
export async function usePass(event: AgentEvent, places: Places, isAwaited: IsAwaited): Promise<Pass | undefined> {
  const digest = callDigest(event);
  if (digest === undefined) return undefined;
  const file = passFile(places, digest);
  const taken = `${file}.${sha256(event.id).slice(0, 32)}.used`;
  // There is hardly ever one, and a failed rename costs more than two looks.
  if (!existsSync(file) && !existsSync(taken)) return undefined;
  // It is for the call that a person meant, not for one whose caller has gone.
  if (!(await isAwaited())) return undefined;
  try {
    renameSync(file, taken);
  } catch {
    if (!existsSync(taken)) return undefined;
  }
  const pass = JSON.parse(readFileSync(taken, "utf8")) as Pass;
  return pass.digest === digest && pass.expiresAt > event.at ? pass : undefined;
}

/** A file that a rename has moved is as old as the pass in it. */
function removeUsed(directory: string, now: Date): void {
  for (const name of readdirSync(directory).filter((name) => name.endsWith(".used"))) {
    const path = join(directory, name);
    const writtenAtMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (now.getTime() - writtenAtMs > LIFETIME_MS) rmSync(path, { force: true });
  }
}

/**
 * The hooks that stopped the call step aside; all others still judge. What a managed layer forbids stays forbidden, and who
 * must approve is asked all the same.
 */
export function hooksUnderPass(hooks: readonly Hook[], { decision }: Outcome): Hook[] {
  const stopped = new Set(
    decision.trace
      .filter(({ opinion }) => opinion?.kind === "block" || opinion?.kind === "ask")
      .map(({ hook }) => hook),
  );
  return hooks.filter((hook) => hook.layer === "managed" || !stopped.has(hook.name) || isApprovals(hook));
}

export const mayPass = (rule: string | undefined) => !NO_PASS.test(rule ?? "");

/** Broken rules are mended, not passed; what nobody can judge nobody can mean; nobody lends an agent a person's commands; and who must approve is not asked around. */
const NO_PASS = /^(config\/|approvals\/|input\/|person-only$)/;

/**
 * Tells the model whom to ask, where a person could let the call through. `support`: of the host. Where it takes a
 * question as a block, nobody answers it there; where it asks, it is for the host to say so if nobody was there.
 */
export function withPassOffer(outcome: Outcome, hooks: readonly Hook[], support?: Support): Outcome {
  const { event, decision } = outcome;
  if (event.name !== "pre_tool_use" || (decision.kind !== "block" && !(decision.kind === "ask" && support)))
    return outcome;
  const digest = callDigest(event);
  const [first, ...rest] = decision.reasons;
  if (digest === undefined || !first || !decision.reasons.every(({ rule }) => mayPass(rule))) return outcome;
  const managed = hooks.some(
    ({ name, layer }) => layer === "managed" && decision.reasons.some(({ hook }) => hook === name),
  );
  if (managed) return outcome;
  const offer = `A person can allow it once: holdfast allow-once ${shortCode(digest)}.`;
  if (support && deliver(outcome, support).kind === "ask") return { event, decision, offer };
  const text = `${first.text}\n${offer}`;
  return { event, decision: { ...decision, reasons: [{ ...first, text }, ...rest] } satisfies Decision };
}
