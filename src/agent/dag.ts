/** Steps that need each other's results: whatever is ready runs, side by side, each as an agent with the parent's hooks. */
import type { Conversation, Role } from "./conversation.ts";

export interface DagStep {
  readonly id: string;
  readonly task: string;
  /** Ids of the steps whose results it needs. */
  readonly needs?: readonly string[];
  readonly role?: Role;
}

export type DagResult =
  | { readonly status: "completed"; readonly text: string }
  | { readonly status: "failed" | "cancelled"; readonly text: string }
  /** A step it needs did not complete; it was not begun. */
  | { readonly status: "skipped"; readonly text: string };

export interface DagOptions {
  readonly signal?: AbortSignal;
  /** How many steps run at a time. */
  readonly parallel?: number;
}

const PARALLEL = 4;

/** The result of every step. A step that fails stops those that need it, and no other. */
export async function runDag(
  parent: Conversation,
  steps: readonly DagStep[],
  { signal = new AbortController().signal, parallel = PARALLEL }: DagOptions = {},
): Promise<ReadonlyMap<string, DagResult>> {
  assertOrder(steps);
  if (!(parallel >= 1)) throw new Error(`parallel is how many steps run at a time, from 1 on, not ${parallel}`);
  const slots = limited(Math.floor(parallel));
  const running = new Map<string, Promise<DagResult>>();
  for (const step of inOrder(steps)) {
    const needed = (step.needs ?? []).map((id) => [id, running.get(id) as Promise<DagResult>] as const);
    running.set(step.id, runWhenReady(parent, step, needed, slots, signal));
  }
  const results = await Promise.all(steps.map(async ({ id }) => [id, (await running.get(id)) as DagResult] as const));
  return new Map(results);
}

async function runWhenReady(
  parent: Conversation,
  step: DagStep,
  needed: readonly (readonly [string, Promise<DagResult>])[],
  slots: Slots,
  signal: AbortSignal,
): Promise<DagResult> {
  const inputs = await Promise.all(needed.map(async ([id, result]) => [id, await result] as const));
  const missing = inputs.find(([, { status }]) => status !== "completed");
  if (missing) return { status: "skipped", text: `step ${missing[0]}, which it needs, was ${missing[1].status}` };
  const given = inputs.map(([id, { text }]) => `Result of step ${id}:\n${text}`);
  return slots(() => runStep(parent, step, [...given, step.task].join("\n\n"), signal));
}

async function runStep(
  parent: Conversation,
  { id, role = parent.role }: DagStep,
  prompt: string,
  signal: AbortSignal,
): Promise<DagResult> {
  if (signal.aborted || parent.hasEnded) return { status: "cancelled", text: "it was cancelled before it began" };
  const child = parent.child(id, role);
  try {
    await child.start("startup");
    const { status, text } = await child.send(prompt, { signal, from: "agent" });
    return { status: status === "completed" || status === "cancelled" ? status : "failed", text };
  } catch (error) {
    return { status: "failed", text: error instanceof Error ? error.message : String(error) };
  } finally {
    await child.end("step over");
  }
}

type Slots = <T>(work: () => Promise<T>) => Promise<T>;

function limited(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

function assertOrder(steps: readonly DagStep[]): void {
  const ids = steps.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`two steps are called "${twice}"`);
  for (const { id, needs = [] } of steps) {
    const unknown = needs.find((other) => !ids.includes(other));
    if (unknown !== undefined) throw new Error(`step "${id}" needs "${unknown}", which is no step`);
  }
  const circle = circleIn(steps);
  if (circle) throw new Error(`steps need each other in a circle: ${circle.join(" -> ")}`);
}

/** A step that comes after all those it needs. Only for steps without a circle. */
function inOrder(steps: readonly DagStep[]): DagStep[] {
  const ordered = new Set<DagStep>();
  const visit = (step: DagStep) => {
    if (ordered.has(step)) return;
    for (const other of step.needs ?? []) visit(steps.find(({ id }) => id === other) as DagStep);
    ordered.add(step);
  };
  for (const step of steps) visit(step);
  return [...ordered];
}

function circleIn(steps: readonly DagStep[]): string[] | undefined {
  const needsOf = new Map(steps.map(({ id, needs = [] }) => [id, needs]));
  const safe = new Set<string>();
  const walk = (id: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    if (safe.has(id)) return undefined;
    for (const other of needsOf.get(id) ?? []) {
      const found = walk(other, [...path, id]);
      if (found) return found;
    }
    safe.add(id);
    return undefined;
  };
  for (const { id } of steps) {
    const found = walk(id, []);
    if (found) return found;
  }
  return undefined;
}
