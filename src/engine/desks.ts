/** Where approvals are kept, opened once per process and place. Loaded only where a call needs an approval. */
import { join } from "node:path";
import { type Desk, shownServer } from "../approvals/desk.ts";
import { interpolate } from "../config/interpolate.ts";
import type { Environment, Places } from "../config/places.ts";
import type { PlanSettings } from "../config/plan.ts";
import { HoldfastError } from "../core/errors.ts";

export interface DeskPlace {
  readonly settings: PlanSettings["approvals"];
  readonly places: Places;
  readonly env: Environment;
}

export interface Desks {
  at(place: DeskPlace): Promise<Desk>;
  close(): Promise<void>;
}

export const defaultStoreFile = ({ stateDir }: Pick<Places, "stateDir">) => join(stateDir, "approvals", "approvals.db");

export function openDesks(): Desks {
  const open = new Map<string, Promise<Desk>>();
  return {
    at(place) {
      const wanted = addressOf(place);
      const key = JSON.stringify(wanted);
      const known = open.get(key) ?? openDesk(wanted);
      open.set(key, known);
      // One that could not be opened is tried again by the next call.
      known.catch(() => open.delete(key));
      return known;
    },
    async close() {
      const desks = [...open.values()];
      open.clear();
      if (desks.length > 0) await withinGrace(desks.map((desk) => desk.then((opened) => opened.close())));
    },
  };
}

/** A call's answer goes out after this, and must not be late because a store that has gone silent never says goodbye. */
const CLOSE_GRACE_MS = 500;

async function withinGrace(closings: readonly Promise<void>[]): Promise<void> {
  let grace: NodeJS.Timeout | undefined;
  const enough = new Promise((done) => {
    grace = setTimeout(done, CLOSE_GRACE_MS);
  });
  await Promise.race([Promise.allSettled(closings), enough]).finally(() => clearTimeout(grace));
}

export type Address = { readonly server: string; readonly token: string } | { readonly url: string };

/** Throws where the config names what is not there. */
export function addressOf({ settings = {}, places, env }: DeskPlace): Address {
  const { url, server, tokenEnv = "" } = settings;
  if (server === undefined) return { url: url === undefined ? defaultStoreFile(places) : interpolate(url, env) };
  const token = env[tokenEnv];
  if (!token)
    throw new HoldfastError("HF901", `the variable ${tokenEnv} with the token for ${shownServer(server)} is not set`, {
      hint: "set it where the agent is started, and start the agent again",
    });
  return { server: interpolate(server, env), token };
}

async function openDesk(address: Address): Promise<Desk> {
  if ("server" in address) return (await import("../approvals/remote-desk.ts")).remoteDesk(address);
  const [{ openStores }, { localDesk }] = await Promise.all([
    import("../stores/open.ts"),
    import("../approvals/local-desk.ts"),
  ]);
  return localDesk(await openStores(address));
}
