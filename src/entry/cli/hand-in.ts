/** `holdfast hand-in`: records to the server that the user's config names. Calls of agents start it by themselves. */
import { interpolate } from "../../config/interpolate.ts";
import { type Environment, type Places, placesOf } from "../../config/places.ts";
import { type StoredPlan, storedPlans } from "../../config/stored-plans.ts";
import { HoldfastError } from "../../core/errors.ts";
import { type HandInPlace, signOfHandIn, tellOfHandIn } from "../../engine/hand-in-sign.ts";
import { auditServer } from "../hand-in/audit-server.ts";
import { type HandIn, handIn, type Round } from "../hand-in/hand-in.ts";
import { latestOf } from "../hand-in/latest-project.ts";
import { removeOldSigns } from "../hand-in/old-signs.ts";
import { problemText } from "../hand-in/problem-text.ts";
import { stay } from "../hand-in/stay.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const places = placesOf(call.env);
  const found = wantedPlaces(call, places);
  return call.flags.stay ? stayAt(found, call.env, places) : handInOnce(found, call, places);
}

/** What plans name, those whose token is set first: a plan of long ago may name a variable that nobody sets any more. */
function wantedPlaces(call: CommandCall, places: Places): [HandInPlace, ...HandInPlace[]] {
  const [server, tokenEnv] = [textFlag(call, "server"), textFlag(call, "token-env")];
  const named = storedPlans(places).flatMap(({ settings }) => settings?.handIn ?? []);
  const [first, ...others] = [...new Map(named.map((place) => [JSON.stringify(place), place])).values()]
    .filter((place) => server === undefined || place.server === server)
    .filter((place) => tokenEnv === undefined || place.tokenEnv === tokenEnv)
    .sort((left, right) => Number(!call.env[left.tokenEnv]) - Number(!call.env[right.tokenEnv]));
  if (first) return [first, ...others];
  const wanted = [server, ...(tokenEnv === undefined ? [] : [`with the token in ${tokenEnv}`])].filter(Boolean);
  throw new HoldfastError("HF1091", `no config names ${wanted.length === 0 ? "a server" : wanted.join(" ")}`);
}

async function handInOnce(found: readonly HandInPlace[], call: CommandCall, places: Places): Promise<ExitCode> {
  const servers: string[] = [];
  const problems: string[] = [];
  let rows = 0;
  for (const server of new Set(found.map((place) => place.server))) {
    const attempt = await firstTaken(
      found.filter((place) => place.server === server),
      call.env,
      places,
    );
    rows += attempt.rows;
    problems.push(...attempt.problems);
    if (attempt.isTaken) servers.push(server);
  }
  if (servers.length === 0) throw new HoldfastError("HF1091", problems.join("; "));
  if (call.output.json) call.output.data({ servers, rows, problems });
  else call.output.line(`${rows} records handed in to ${servers.join(", ")}`);
  for (const problem of problems) call.output.note(problem);
  return problems.length === 0 ? 0 : 1;
}

interface Attempt extends Pick<Round, "rows"> {
  readonly isTaken: boolean;
  readonly problems: readonly string[];
}

/** Of one server, with one token after the other; those that are not set count only where none is. */
async function firstTaken(found: readonly HandInPlace[], env: Environment, places: Places): Promise<Attempt> {
  const withToken = found.filter(({ tokenEnv }) => env[tokenEnv]);
  const problems: string[] = [];
  for (const place of withToken.length > 0 ? withToken : found)
    try {
      const { rows, problem, changed } = await opened(place, env, places).round();
      const found = [problem, changed].filter((one) => one !== undefined);
      return { isTaken: true, rows, problems: found.map((one) => problemText(one, place)) };
    } catch (error) {
      problems.push(error instanceof HoldfastError ? error.message : problemText(error as Error, place));
    }
  return { isTaken: false, rows: 0, problems };
}

function opened({ server, tokenEnv }: HandInPlace, env: Environment, places: Places): HandIn {
  const token = env[tokenEnv];
  if (!token) throw new HoldfastError("HF1091", `the variable ${tokenEnv} with the token for ${server} is not set`);
  const roots = () => plansFor(server, places).map(({ root }) => root);
  return handIn(auditServer(interpolate(server, env), token), roots, places);
}

async function stayAt(
  [place]: readonly [HandInPlace, ...unknown[]],
  env: Environment,
  places: Places,
): Promise<ExitCode> {
  const sign = signOfHandIn(place, env, places);
  removeOldSigns(places, sign);
  const tell = (error: Error) => {
    const project = latestOf(plansFor(place.server, places), places);
    if (project) tellOfHandIn(problemText(error, place), sign, { ...project, places });
  };
  let handing: HandIn;
  try {
    handing = opened(place, env, places);
  } catch (error) {
    // Nothing of this will change while it stays: whoever has what is missing starts another.
    tell(error as Error);
    return 1;
  }
  return (await stay({ handing, sign, tell })) === "without news" ? 0 : 1;
}

const plansFor = (server: string, places: Places): StoredPlan[] =>
  storedPlans(places).filter(({ settings }) => settings?.handIn?.server === server);
