/**
 * Answers made-up calls while nobody waits, so that V8 has optimised what real ones need: a daemon that is asked once in
 * a while would take hours to get there. They look like a call that came, because code is optimised for what it has seen.
 * No hook of a person's runs; the records go into a place of their own. What still was different shows in the real calls
 * that follow, for which V8 throws away what does not fit: after some of them it goes on, a few times.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { ReadyEngine } from "../../engine/ready.ts";
import { isKnownDead, processScope } from "../../process/process-scope.ts";
import type { AppendSoon } from "../../records/journal.ts";
import { keptTails } from "../../records/kept-tails.ts";
import { parsePayload } from "../hook/payload.ts";
import type { Request } from "./protocol.ts";
import { type Rehearsals, type Rehearsed, rehearsalsOf } from "./rehearsal-engines.ts";
import { callDaemon } from "./talk.ts";

/** Each begins when so many calls have come since the last one. */
const ROUNDS = [
  { after: 1, calls: 1_500, longestMs: 4_000 },
  { after: 5, calls: 500, longestMs: 2_000 },
  { after: 25, calls: 500, longestMs: 2_000 },
  { after: 100, calls: 500, longestMs: 2_000 },
] as const;
type Round = (typeof ROUNDS)[number];
const BUSY_MS = 1;
/** So that the first calls of a session are over. */
const AFTER_MS = 1_000;
const MAX_EXAMPLES = 8;
const MAX_EXAMPLE_BYTES = 16 * 1024;
/** As many calls as a session has: what hooks find in its past is part of what a call costs. */
const CALLS_OF_SESSION = 50;

export interface WarmUpPlace {
  /** Takes the records of the made-up calls, and is removed with them. */
  readonly scratchDir: string;
  readonly socketFile: string;
  readonly distDir: string;
  readonly append: AppendSoon;
  /** Somebody waits, who goes first. */
  readonly isBusy: () => boolean;
  readonly isOver: () => boolean;
}

export interface WarmUp {
  /** None is under way, and there was one. */
  readonly isWarm: () => boolean;
  /** There will be no more rounds. */
  readonly isDone: () => boolean;
  isMadeUp(request: Request): boolean;
  /** The engine that judges a call, given the one that was found for it: made-up calls have one of their own. */
  engineFor(request: Request, found: ReadyEngine): ReadyEngine;
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
  removeLeftovers(dirname(place.scratchDir));
  // Nobody else knows it: no call from outside is taken for a made-up one.
  const token = randomBytes(16).toString("hex");
  const examples: Example[] = [];
  let rehearsing: Rehearsals | undefined;
  let done = 0;
  let cameSince = 0;
  let isUnderWay = false;

  async function run({ calls, longestMs }: Round): Promise<void> {
    const startedMs = performance.now();
    const tails = keptTails();
    try {
      const engines = await rehearsalsOf(examples, tails, place);
      rehearsing = engines;
      for (let made = 0; made < calls && !place.isOver() && performance.now() - startedMs < longestMs; ) {
        await (place.isBusy() ? sleep(BUSY_MS) : turn());
        if (place.isBusy()) continue;
        const known = examples.filter(({ plan }) => engines.has(plan));
        const example = known[Math.floor(made / COMMANDS.length) % known.length] as Example;
        await callDaemon(place.socketFile, madeUp(example, made, `${token}-${made}`));
        made += 1;
      }
    } finally {
      rehearsing = undefined;
      tails.close();
      rmSync(place.scratchDir, { recursive: true, force: true });
    }
  }

  function begin(round: Round): void {
    isUnderWay = true;
    const end = () => {
      isUnderWay = false;
      cameSince = 0;
      done += 1;
      if (isDone()) examples.length = 0;
    };
    // Where it cannot be done, the daemon is slower, not wrong.
    setTimeout(() => void run(round).then(end, end), AFTER_MS).unref();
  }

  function noteCall(request: Request, engine: ReadyEngine): void {
    if (isDone()) return;
    const example = examples.length < MAX_EXAMPLES ? exampleOf(request, engine) : undefined;
    const isNew = example && !examples.some(({ kind, plan }) => kind === example.kind && plan === example.plan);
    if (isNew) examples.push(example);
    cameSince += 1;
    const round = ROUNDS[done] as Round;
    if (!isUnderWay && examples.length > 0 && cameSince >= round.after) begin(round);
  }

  const isDone = () => done === ROUNDS.length;
  const isMadeUp = ({ id }: Request) => id.startsWith(token);

  return {
    isWarm: () => done > 0 && !isUnderWay,
    isDone,
    isMadeUp,
    engineFor(request, found) {
      if (!isMadeUp(request)) {
        noteCall(request, found);
        return found;
      }
      void found.close();
      const lend = rehearsing?.get(found.plan);
      // One that was given up and comes late, or the rules have changed: a person's hooks are not asked about it.
      if (!lend) throw new Error("the rehearsal is over");
      return lend();
    },
  };
}

/** Of daemons that were killed on the way. */
function removeLeftovers(runDir: string): void {
  const names = existsSync(runDir) ? readdirSync(runDir) : [];
  for (const name of names) {
    const pid = /^warm-up-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && isKnownDead(Number(pid), processScope()))
      rmSync(join(runDir, name), { recursive: true, force: true });
  }
}

/** A call of the host's to a tool: one of each kind will do, for each set of rules. */
interface Example extends Rehearsed {
  readonly kind: string;
  readonly request: Request;
  readonly payload: JsonObject;
  readonly input: JsonObject;
}

function exampleOf(request: Request, { plan, hooks }: ReadyEngine): Example | undefined {
  if (request.payload.length > MAX_EXAMPLE_BYTES) return undefined;
  const payload = parsePayload([request.payload]);
  const { tool_input: input, tool_name: tool, hook_event_name: event } = payload;
  if (!isJsonObject(input) || typeof tool !== "string" || typeof event !== "string") return undefined;
  return { kind: `${event} ${tool}`, plan, hooks, env: request.env, request, payload, input };
}

function madeUp({ request, payload, input }: Example, number: number, id: string): Request {
  const command = COMMANDS[number % COMMANDS.length] as string;
  const session = `warm-up-${Math.floor(number / CALLS_OF_SESSION)}`;
  const asked = "command" in input ? { ...input, command } : input;
  const made = { ...payload, session_id: session, tool_input: asked };
  return { ...request, payload: Buffer.from(JSON.stringify(made)), id };
}
