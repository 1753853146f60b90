/**
 * Answers made-up calls while nobody waits, so that V8 has optimised what real ones need: a daemon that is asked once in
 * a while would take hours to get there. They look like a call that came, because code is optimised for what it has seen.
 * Built-in hooks only; the records go into a place of their own.
 */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { Environment } from "../../config/places.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { isApprovals } from "../../engine/asked-approvals.ts";
import type { ReadyEngine } from "../../engine/ready.ts";
import type { AppendSoon } from "../../records/journal.ts";
import { parsePayload } from "../hook/payload.ts";
import type { Request } from "./protocol.ts";
import { callDaemon } from "./talk.ts";

const LONGEST_MS = 4_000;
const CALLS = 1_500;
const BUSY_MS = 1;
/** So that the first calls of a session are over. */
const AFTER_MS = 1_000;
const MAX_EXAMPLES = 4;
const MARK = "HOLDFAST_WARM_UP";

export interface WarmUpPlace {
  /** Takes the records of the made-up calls, and is removed with them. */
  readonly scratchDir: string;
  readonly socketFile: string;
  readonly append: AppendSoon;
  /** Somebody waits, who goes first. */
  readonly isBusy: () => boolean;
  readonly isOver: () => boolean;
}

export interface WarmUp {
  /** To be told of calls that came. */
  noteCall(request: Request, engine: ReadyEngine): void;
  readonly isDone: () => boolean;
  /** The engine that answers the made-up calls; undefined: this call is none of them. */
  engineFor(env: Environment): ReadyEngine | undefined;
}

const COMMANDS: readonly string[] = [
  "git status",
  "git add -A && git commit -m 'fix: one more'",
  "git push --force origin main",
  "npm test -- --run src/a.test.ts 2>&1 | tail -20",
  "rm -rf node_modules dist",
  "cd packages/core && npx tsc --noEmit",
  'grep -rn "TODO" src | head -5 > todo.txt',
  'for f in *.ts; do echo "$f"; sed -i \'s/a/b/\' "$f"; done',
  "curl -s https://example.org/a.json | jq .name",
  'X=$(date +%s); printf "%s" "$X" >> out/log.txt',
  "docker ps -a && kubectl get pods",
  "python3 -c 'print(1)'; cat package.json",
];

export function warmUp(place: WarmUpPlace): WarmUp {
  // Nobody else knows it: no call from outside is taken for a made-up one.
  const token = randomUUID();
  const examples = new Map<string, Example>();
  let rehearsing: ReadyEngine | undefined;
  let isOver = false;

  async function run(): Promise<void> {
    const startedMs = performance.now();
    try {
      for (let calls = 0; calls < CALLS && !place.isOver() && performance.now() - startedMs < LONGEST_MS; ) {
        await (place.isBusy() ? sleep(BUSY_MS) : turn());
        if (place.isBusy()) continue;
        const known = [...examples.values()];
        const example = known[Math.floor(calls / COMMANDS.length) % known.length] as Example;
        const command = COMMANDS[calls++ % COMMANDS.length] as string;
        await callDaemon(place.socketFile, madeUp(example, command, token));
      }
    } finally {
      isOver = true;
      rehearsing = undefined;
      rmSync(place.scratchDir, { recursive: true, force: true });
    }
  }

  return {
    noteCall(request, engine) {
      if (isOver || examples.size >= MAX_EXAMPLES) return;
      const example = exampleOf(request);
      // One of each event will do.
      if (!example || examples.has(example.event)) return;
      examples.set(example.event, example);
      if (examples.size > 1) return;
      rehearsing = rehearsalOf(engine, place);
      // Where it cannot be done, the daemon is slower, not wrong.
      setTimeout(() => void run().catch(() => {}), AFTER_MS).unref();
    },
    isDone: () => isOver,
    engineFor: (env) => (env[MARK] === token ? rehearsing : undefined),
  };
}

/** A call of the host's that runs a command. */
interface Example {
  readonly event: string;
  readonly request: Request;
  readonly payload: JsonObject;
  readonly input: JsonObject;
}

function exampleOf(request: Request): Example | undefined {
  const payload = parsePayload([request.payload]);
  const { tool_input: input, hook_event_name: event } = payload;
  if (!isJsonObject(input) || typeof input.command !== "string" || typeof event !== "string") return undefined;
  return { event, request, payload, input };
}

function madeUp({ request, payload, input }: Example, command: string, token: string): Request {
  const made = { ...payload, session_id: "warm-up", tool_input: { ...input, command } };
  return {
    ...request,
    env: { ...request.env, [MARK]: token },
    payload: Buffer.from(JSON.stringify(made)),
    id: "warm-up",
  };
}

const rehearsalOf = (engine: ReadyEngine, { scratchDir, append }: WarmUpPlace): ReadyEngine => ({
  plan: { ...engine.plan, root: scratchDir },
  places: { ...engine.places, stateDir: scratchDir, recordsDir: undefined },
  // Nobody is asked about a call that is made up.
  hooks: engine.hooks.filter((hook) => hook.source === "builtin" && !isApprovals(hook)),
  remarks: [],
  append,
  desk: () => Promise.reject(new Error("a rehearsal asks nobody")),
  handIn: () => {},
  close: async () => {},
});
