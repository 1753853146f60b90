/**
 * The records of this machine's projects, handed in to the server's own store as they grow, so that pages and exports
 * show them without any other machine. Under the names that the API gives them: a project whose records are handed in to
 * this very server besides is kept once.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { AuditStore } from "../../approvals/store.ts";
import type { Places } from "../../config/places.ts";
import { storedPlans } from "../../config/stored-plans.ts";
import type { AuditServer } from "../hand-in/audit-server.ts";
import { handIn, type Round } from "../hand-in/hand-in.ts";
import { sourceIn } from "./audit-source.ts";

export interface LocalJournals {
  /** Ends after the rows that are on their way. */
  close(): Promise<void>;
}

export interface LocalJournalsSettings {
  readonly stores: AuditStore;
  readonly places: Places;
  /** Of whoever belongs to none. */
  readonly organisation: string;
  readonly log: (line: string) => void;
  readonly everyMs?: number;
}

const EVERY_MS = 2_000;

export function localJournals({ stores, places, organisation, log, everyMs = EVERY_MS }: LocalJournalsSettings) {
  const roots = () => storedPlans(places).map(({ root }) => root);
  const handing = handIn(storeAsServer(stores, organisation), roots, places);
  const ending = new AbortController();
  const { signal } = ending;

  /** A store that is down is told of once, and tried again. */
  async function goOn(): Promise<void> {
    let said = "";
    while (!signal.aborted) {
      const { problem, changed } = await handing
        .round(signal)
        .catch((error: Error): Round => ({ rows: 0, problem: error }));
      if (changed) log(`${changed.message}; holdfast log verify shows the first such place`);
      const line = problem ? lineOf(problem) : "";
      if (line !== "" && line !== said) log(line);
      said = line;
      await sleep(everyMs, undefined, { signal }).catch(() => {});
    }
  }

  const under = goOn();
  return {
    async close() {
      ending.abort();
      await under;
    },
  } satisfies LocalJournals;
}

const lineOf = (problem: Error) => `records of this machine could not be handed to the store: ${problem.message}`;

/** Without the API in between, and each record for the organisation it names. */
export function storeAsServer(stores: AuditStore, organisation: string): AuditServer {
  return {
    lastSequence: (source) => stores.lastSequence(sourceIn(organisation, source)),
    async handIn(source, rows) {
      await stores.appendAudit(
        rows.map(({ organisation: own = organisation, ...row }) => ({
          ...row,
          source: sourceIn(own, source),
          organisation: own,
        })),
      );
      return rows.at(-1)?.sequence ?? 0;
    },
  };
}
