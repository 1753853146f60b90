/**
 * Answers made-up calls while nobody waits, so that V8 has optimised what real ones need: a daemon that is asked once in
 * a while would take hours to get there. They look like a call that came, because code is optimised for what it has seen.
 * Built-in hooks only; the records go into a place of their own. What still was different shows in the real calls that
 * follow, for which V8 throws away what does not fit: after some of them it goes on, a few times.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { placesOf } from "../../config/places.ts";
import type { Plan } from "../../config/plan.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { isApprovals } from "../../engine/asked-approvals.ts";
import { lender } from "../../engine/kept-engines.ts";
import { engineOf, type ReadyEngine } from "../../engine/ready.ts";
import { isKnownDead, processScope } from "../../process/process-scope.ts";
import type { AppendSoon } from "../../records/journal.ts";
import { type KeptTails, keptTails } from "../../records/kept-tails.ts";
import { parsePayload } from "../hook/payload.ts";
import type { Request } from "./protocol.ts";
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
const ENGINES = 2;

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
  const examples = new Map<string, Example>();
  let rehearsing: (() => ReadyEngine) | undefined;
  let done = 0;
  let cameSince = 0;
  let isUnderWay = false;

  async function run({ calls, longestMs }: Round): Promise<void> {
    const startedMs = performance.now();
    const tails = keptTails();
    try {
      const [first] = examples.values();
      rehearsing = await rehearsalOf(first as Example, tails, place);
      for (let made = 0; made < calls && !place.isOver() && performance.now() - startedMs < longestMs; ) {
        await (place.isBusy() ? sleep(BUSY_MS) : turn());
        if (place.isBusy()) continue;
        const known = [...examples.values()];
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
      if (isDone()) examples.clear();
    };
    // Where it cannot be done, the daemon is slower, not wrong.
    setTimeout(() => void run(round).then(end, end), AFTER_MS).unref();
  }

  function noteCall(request: Request, { plan }: ReadyEngine): void {
    if (isDone()) return;
    const example = examples.size < MAX_EXAMPLES ? exampleOf(request, plan) : undefined;
    // One of each will do.
    if (example && !examples.has(example.kind)) examples.set(example.kind, example);
    cameSince += 1;
    const round = ROUNDS[done] as Round;
    if (!isUnderWay && examples.size > 0 && cameSince >= round.after) begin(round);
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
      // One that was given up and comes late: a person's hooks are not asked about it.
      if (!rehearsing) throw new Error("the rehearsal is over");
      return rehearsing();
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

/** A call of the host's to a tool. */
interface Example {
  readonly kind: string;
  readonly plan: Plan;
  readonly request: Request;
  readonly payload: JsonObject;
  readonly input: JsonObject;
}

function exampleOf(request: Request, plan: Plan): Example | undefined {
  if (request.payload.length > MAX_EXAMPLE_BYTES) return undefined;
  const payload = parsePayload([request.payload]);
  const { tool_input: input, tool_name: tool, hook_event_name: event } = payload;
  if (!isJsonObject(input) || typeof tool !== "string" || typeof event !== "string") return undefined;
  return { kind: `${event} ${tool}`, plan, request, payload, input };
}

function madeUp({ request, payload, input }: Example, number: number, id: string): Request {
  const command = COMMANDS[number % COMMANDS.length] as string;
  const session = `warm-up-${Math.floor(number / CALLS_OF_SESSION)}`;
  const asked = "command" in input ? { ...input, command } : input;
  const made = { ...payload, session_id: session, tool_input: asked };
  return { ...request, payload: Buffer.from(JSON.stringify(made)), id };
}

/**
 * Engines like the ones that real calls have, made and lent in the same way: code that is optimised for others has to be
 * optimised again, by the calls of a person. Several, because it would be optimised for the one there is.
 */
async function rehearsalOf(
  { plan, request: { env } }: Example,
  { newestFirst }: KeptTails,
  { scratchDir, distDir, append }: WarmUpPlace,
): Promise<() => ReadyEngine> {
  const elsewhere = { HOLDFAST_STATE_DIR: scratchDir, HOLDFAST_RECORDS_DIR: join(scratchDir, "records") };
  const places = placesOf({ ...env, ...elsewhere });
  const builtins = { ...plan, hooks: plan.hooks.filter(({ run }) => run.type === "builtin") };
  // Nobody is asked about a call that is made up, by its hooks neither.
  const desks = () => Promise.reject(new Error("a rehearsal asks nobody"));
  const records = { append, newestFirst, desks };
  const lend: (() => ReadyEngine)[] = [];
  while (lend.length < ENGINES) {
    const made = await engineOf({ plan: builtins, remarks: [], places, env, distDir }, records);
    lend.push(
      lender({
        ...made,
        plan,
        hooks: made.hooks.filter((hook) => !isApprovals(hook)),
        // Nobody gets a copy of its records.
        handIn: () => {},
      }),
    );
  }
  let calls = 0;
  return () => (lend[calls++ % ENGINES] as () => ReadyEngine)();
}
