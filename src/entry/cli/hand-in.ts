/** `holdfast hand-in`: records to the server that the user's config names. Calls of agents start it by themselves. */
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { interpolate } from "../../config/interpolate.ts";
import { type Places, placesOf } from "../../config/places.ts";
import { storedPlans } from "../../config/stored-plans.ts";
import { HoldfastError } from "../../core/errors.ts";
import { type HandInPlace, SIGN_OF_LIFE_MS, signOfLife } from "../../engine/hand-in-start.ts";
import { journalOf } from "../../engine/journals.ts";
import { appendRecords } from "../../records/journal.ts";
import { auditServer } from "../hand-in/audit-server.ts";
import { type HandIn, handIn } from "../hand-in/hand-in.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";

/** Without news for so long it ends; the next call of an agent starts it again. */
const IDLE_MS = 60_000;
const ROUND_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export async function run(call: CommandCall): Promise<ExitCode> {
  const places = placesOf(call.env);
  const wanted = textFlag(call, "server");
  const found = namedPlaces(places).filter(({ server }) => wanted === undefined || server === wanted);
  if (found.length === 0)
    throw new HoldfastError("HF1091", wanted === undefined ? "no config names a server" : `no config names ${wanted}`);
  const [first] = found;
  if (call.flags.stay) return first ? stay(first, call, places) : 0;
  let rows = 0;
  for (const place of found) rows += await opened(place, call, places).round();
  if (call.output.json) call.output.data({ servers: found.map(({ server }) => server), rows });
  else call.output.line(`${rows} records handed in to ${found.map(({ server }) => server).join(", ")}`);
  return 0;
}

function opened({ server, tokenEnv }: HandInPlace, { env }: CommandCall, places: Places): HandIn {
  const token = env[tokenEnv];
  if (!token) throw new HoldfastError("HF1091", `the variable ${tokenEnv} with the token for ${server} is not set`);
  return handIn(auditServer(interpolate(server, env), token), server, places);
}

/** Until there has been no news for a while. A server that is down is asked again, ever more seldom. */
async function stay(place: HandInPlace, call: CommandCall, places: Places): Promise<ExitCode> {
  const sign = signOfLife(place, places);
  const living = setInterval(() => writeFileSync(sign, "", { mode: 0o600 }), SIGN_OF_LIFE_MS);
  let newsAt = performance.now();
  let pauseMs = ROUND_MS;
  let said = "";
  let handing: HandIn | undefined;
  try {
    for (;;) {
      try {
        handing ??= opened(place, call, places);
        if ((await handing.round()) > 0) newsAt = performance.now();
        pauseMs = ROUND_MS;
        said = "";
      } catch (error) {
        const problem = `records could not be handed in: ${(error as Error).message}`;
        if (said === "") tell(problem, place, places);
        said = problem;
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
        // Without a token nothing will change: whoever has one starts another.
        if (!handing) return 1;
      }
      if (said === "" && performance.now() - newsAt > IDLE_MS) return 0;
      await sleep(pauseMs);
    }
  } finally {
    clearInterval(living);
  }
}

/** Once, where people look: `holdfast notices` of a project it concerns. */
function tell(message: string, { server }: HandInPlace, places: Places): void {
  const plan = storedPlans(places).find(({ settings }) => settings?.handIn?.server === server);
  if (!plan) return;
  const notice = { event_name: "hand_in", hook: null, is_error: true, code: "hand-in", host: "holdfast", session: "" };
  appendRecords(journalOf("notices", plan, places), [{ timestamp: new Date().toISOString(), ...notice, message }]);
}

function namedPlaces(places: Places): HandInPlace[] {
  const named = storedPlans(places).flatMap(({ settings }) => settings?.handIn ?? []);
  return [...new Map(named.map((place) => [JSON.stringify(place), place])).values()];
}
