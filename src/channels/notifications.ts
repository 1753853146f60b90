/** Telling people that a run has ended or needs them. Nobody waits for it, and nothing fails because of it. */
import { shortened, visible } from "../approvals/card.ts";
import type { Note } from "../approvals/channel.ts";
import type { Stores } from "../approvals/store.ts";
import { problemInWords } from "./failure.ts";
import type { OpenChannels } from "./open-channels.ts";
import { RETRY_DELAYS_MS, retried } from "./retry.ts";

export interface RunNews {
  /** Of the run: people are told once of each end, and once of each need. */
  readonly run: string;
  readonly organisation: string;
  readonly channel: string;
  readonly kind: "finished" | "failed" | "needs-someone";
  readonly agent: string;
  readonly durationMs: number;
  readonly tools: readonly string[];
  /** What it was asked, and what it said at last. */
  readonly asked: string;
  readonly answer: string;
  readonly link: string | null;
}

export interface NotifierDeps {
  readonly stores: Stores;
  readonly channels: OpenChannels;
  readonly onProblem: (run: string, problem: string) => void;
  readonly retryDelaysMs?: readonly number[];
  /** Aborted when nobody should try any more. */
  readonly signal?: AbortSignal;
}

export interface Notifier {
  /** Returns at once, whatever becomes of it. */
  tell(news: RunNews): void;
  /** When all that was told has gone out, or has not. */
  settled(): Promise<void>;
}

export function runNotifier(deps: NotifierDeps): Notifier {
  const { onProblem } = deps;
  const running = new Set<Promise<void>>();
  return {
    tell(news) {
      const work = told(deps, news)
        .catch((error: unknown) => onProblem(news.run, `nobody was told of the run: ${problemInWords(error)}`))
        .finally(() => running.delete(work));
      running.add(work);
    },
    settled: async () => void (await Promise.all(running)),
  };
}

const REMEMBERED_MS = 30 * 24 * 60 * 60 * 1000;

async function told({ stores, channels, ...deps }: NotifierDeps, news: RunNews): Promise<void> {
  const { run, organisation, kind, channel: id } = news;
  const { channel } = await channels.openFor(organisation, id);
  const key = `told:${organisation}:${run}:${kind === "needs-someone" ? kind : "ended"}`;
  if (!(await stores.keepNew(key, "", new Date(stores.now().getTime() + REMEMBERED_MS)))) return;
  const note = noteOf(news);
  const { retryDelaysMs = RETRY_DELAYS_MS, signal = new AbortController().signal } = deps;
  await retried(() => channel.notify(note), retryDelaysMs, signal);
}

const KINDS = {
  finished: { tone: "good", words: "has finished" },
  failed: { tone: "bad", words: "has failed" },
  "needs-someone": { tone: "waiting", words: "needs somebody" },
} as const;

const TOOLS_NAMED = 6;

export function noteOf({ kind, agent, durationMs, tools, asked, answer, link }: RunNews): Note {
  const more = tools.length - TOOLS_NAMED;
  const named = tools.slice(0, TOOLS_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
  const lines = [
    `Asked: ${shortened(asked, 200)}`,
    ...(answer === "" ? [] : [`Said: ${shortened(answer, 600)}`]),
    `Took ${Math.round(durationMs / 1000)} s. ${tools.length === 0 ? "No tools were used." : `Tools: ${named}.`}`,
  ];
  const { tone, words } = KINDS[kind];
  return { tone, title: visible(`${agent} ${words}`), lines: lines.map(visible), link };
}
