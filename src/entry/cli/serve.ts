/** `holdfast serve`: the inbox and the API, on the store that gates on this machine use unless another is named. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PERSONAL } from "../../approvals/approval.ts";
import type { Stores } from "../../approvals/store.ts";
import { loadKeyring } from "../../channels/keyring.ts";
import { placesOf } from "../../config/places.ts";
import { storedPlans } from "../../config/stored-plans.ts";
import { HoldfastError } from "../../core/errors.ts";
import { osUser } from "../../engine/approval-gate.ts";
import { openStores } from "../../stores/open.ts";
import { openRunStore } from "../run/run-store.ts";
import { localKnowledge } from "../server/knowledge/local-knowledge.ts";
import { assertSafePlace, type Listening, type ListenSettings, listen } from "../server/listen.ts";
import { localJournals } from "../server/local-journals.ts";
import type { OidcSettings } from "../server/oidc.ts";
import { localRuns } from "../server/runs/local-runs.ts";
import type { RunSource } from "../server/runs/run-source.ts";
import { sharedRuns } from "../server/runs/shared-runs.ts";
import { newSignInLink, ownerOf } from "../server/sign-in-link.ts";
import { shownTokens } from "../server/token-rest.ts";
import { tokensOf } from "../server/tokens.ts";
import { openApprovals } from "./approvals-store.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { assertPerson, isAgentShell, surroundings } from "./person.ts";
import { tokenLines } from "./token-lines.ts";
import { unknownWord } from "./unknown-word.ts";

const DEFAULT_PORT = 4560;

export async function run(call: CommandCall): Promise<ExitCode> {
  const [verb] = call.words;
  if (verb === undefined) return serve(call);
  if (verb === "link") return printLink(call);
  if (verb === "tokens") return printTokens(call);
  throw unknownWord("serve", verb, ["link", "tokens"], "holdfast serve | holdfast serve link | holdfast serve tokens");
}

async function serve(call: CommandCall): Promise<ExitCode> {
  const { output, env } = call;
  const place = placeOf(call);
  assertSafePlace(place);
  const oidc = oidcOf(call);
  const organisation = textFlag(call, "organisation") ?? PERSONAL;
  const keyring = loadKeyring(env, placesOf(env).stateDir);
  const stores = await storesOf(call);
  const shownRuns = await runsOf(call, organisation);
  let listening: Listening;
  try {
    const log = (line: string) => output.note(line);
    const knowledge = localKnowledge({
      roots: () => new Set(storedPlans(placesOf(env)).map(({ root }) => root)),
      organisation,
    });
    const shown = { runs: shownRuns.source, knowledge };
    listening = await listen({ ...place, stores, keyring, homeOrganisation: organisation, oidc, ...shown, log });
  } catch (error) {
    await Promise.all([stores.close(), shownRuns.close()]);
    throw error;
  }
  const { url } = listening;
  const journals = localJournals({
    stores,
    places: placesOf(env),
    organisation,
    log: (line) => output.note(line),
  });
  await stores.keep(SERVING, url, inDays(30));
  const signIn = isAgentShell(env) ? null : await newSignInLink(stores, url, await owner(call, stores));
  if (output.json) output.line(JSON.stringify({ url, signIn }));
  else {
    output.line(`${output.paint("bold", "holdfast")} is at ${output.paint("cyan", url)}`);
    output.line(
      signIn === null
        ? "this shell was started by an agent: a person gets a link to sign in with holdfast serve link"
        : `sign in, once and within 10 minutes: ${signIn}`,
    );
    output.line(output.paint("dim", "a new link: holdfast serve link    to end it: Ctrl-C"));
  }
  const signal = await ended();
  await journals.close();
  await listening.close();
  await stores.take(SERVING);
  await Promise.all([stores.close(), shownRuns.close()]);
  return signal === "SIGINT" ? 130 : 0;
}

/** This machine's, or those of the database that its runs are kept in. What waits for people is shown without them, too. */
async function runsOf(
  { env, cwd, distDir, output }: CommandCall,
  organisation: string,
): Promise<{ source: RunSource | undefined; close(): Promise<void> }> {
  try {
    const { store, queue, close } = await openRunStore({ env, cwd, distDir });
    const root = join(placesOf(env).stateDir, "runs");
    return { source: queue ? sharedRuns({ store, organisation }) : localRuns({ root, organisation }), close };
  } catch (error) {
    output.note(`runs are not shown: ${(error as Error).message}`);
    return { source: undefined, close: async () => {} };
  }
}

/** Whoever can write to the store may sign in anyway; an agent's shell is kept from doing it by the way. */
async function printLink(call: CommandCall): Promise<ExitCode> {
  const { output, env } = call;
  assertPerson(surroundings(env), "serve link");
  const stores = await storesOf(call);
  try {
    const url = await stores.kept(SERVING);
    if (url === undefined)
      throw new HoldfastError("HF918", "no server is running on this store", { hint: "Start one: holdfast serve" });
    const signIn = await newSignInLink(stores, url, await owner(call, stores));
    if (output.json) output.line(JSON.stringify({ url, signIn }));
    else output.line(`sign in, once and within 10 minutes: ${signIn}`);
    return 0;
  } finally {
    await stores.close();
  }
}

/** For whoever wonders why a machine is refused: which tokens there are, and which of them rest. No secret is kept of any. */
async function printTokens(call: CommandCall): Promise<ExitCode> {
  const { output } = call;
  const stores = await storesOf(call);
  try {
    const organisation = textFlag(call, "organisation");
    const tokens = await shownTokens(stores, await tokensOf(stores, organisation ?? PERSONAL));
    // An organisation is whoever is in it.
    if (organisation !== undefined && tokens.length === 0 && (await stores.people(organisation)).length === 0)
      throw new HoldfastError("HF701", `there is no organisation "${organisation}" in this store`, {
        hint: "give the --organisation that holdfast serve was started with, or its --store",
      });
    if (output.json) output.data(tokens);
    else for (const line of tokenLines(tokens, output)) output.line(line);
    return 0;
  } finally {
    await stores.close();
  }
}

/** Where the running server is found by those who share its store. */
const SERVING = "serving";

/** Without a name the one that gates here use: what they ask is what people must find. */
async function storesOf(call: CommandCall): Promise<Stores> {
  const url = textFlag(call, "store");
  return url === undefined ? (await openApprovals(call)).stores : openStores({ url });
}

function owner(call: CommandCall, stores: Stores) {
  const user = osUser();
  return ownerOf(stores, textFlag(call, "organisation") ?? PERSONAL, user, user);
}

function placeOf(call: CommandCall): Pick<ListenSettings, "host" | "port" | "tls" | "publicUrl" | "isBehindProxy"> {
  const text = textFlag(call, "port") ?? String(DEFAULT_PORT);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new HoldfastError("HF701", `"${text}" is not a port`, {
      hint: "Give a number up to 65535; 0 is any free one.",
    });
  const [cert, key] = [textFlag(call, "tls-cert"), textFlag(call, "tls-key")];
  if ((cert === undefined) !== (key === undefined))
    throw new HoldfastError("HF701", "--tls-cert and --tls-key belong together");
  return {
    host: textFlag(call, "host") ?? "127.0.0.1",
    port,
    isBehindProxy: call.flags["behind-proxy"] === true,
    publicUrl: textFlag(call, "public-url"),
    tls: cert === undefined || key === undefined ? undefined : { cert: read(cert), key: read(key) },
  };
}

function oidcOf(call: CommandCall): OidcSettings | undefined {
  const [issuer, clientId] = [textFlag(call, "oidc-issuer"), textFlag(call, "oidc-client-id")];
  if (issuer === undefined && clientId === undefined) return undefined;
  if (issuer === undefined || clientId === undefined || !URL.canParse(issuer))
    throw new HoldfastError("HF701", "the sign-in of a team needs --oidc-issuer, a URL, and --oidc-client-id");
  return { issuer, clientId, clientSecret: call.env.HOLDFAST_OIDC_CLIENT_SECRET || undefined };
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new HoldfastError("HF918", `${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`, { file });
  }
}

const inDays = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000);

/** The command line ends at once on SIGINT; a server first finishes what it has begun. */
function ended(): Promise<"SIGINT" | "SIGTERM"> {
  process.removeAllListeners("SIGINT");
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
  });
}
