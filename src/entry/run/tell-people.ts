/** Tells people in a channel how a run ended. After everything else, within seconds, and whatever comes of it the run is as it is. */
import { PERSONAL } from "../../approvals/approval.ts";
import { chooseChannel, isMeant } from "../../approvals/choose-channel.ts";
import { loadKeyring } from "../../channels/keyring.ts";
import { runNotifier } from "../../channels/notifications.ts";
import { OpenChannels } from "../../channels/open-channels.ts";
import { projectRoot } from "../../config/places.ts";
import { type Address, addressOf, type DeskPlace } from "../../engine/desks.ts";
import { journalOf } from "../../engine/journals.ts";
import { recordsNewestFirst } from "../../records/newest-first.ts";
import type { Run, RunStatus } from "../../runs/run.ts";
import { openStores } from "../../stores/open.ts";

export interface News {
  readonly run: string;
  readonly kind: "finished" | "failed" | "needs-someone";
  readonly agent: string;
  readonly durationMs: number;
  readonly tools: readonly string[];
  readonly asked: string;
  readonly answer: string;
}

const PATIENCE_MS = 10_000;

/** Why nobody was told; undefined: they were, or will be by the server. `channel`: id, name or type:name; "" : whichever there is. */
export async function tellPeople(run: Run, channel: string, place: DeskPlace): Promise<string | undefined> {
  const news = newsOf(run, place);
  try {
    const address = addressOf(place);
    const wish = channel === "" ? null : channel;
    if ("server" in address) return await throughServer(news, wish, address);
    return await fromHere(news, wish, address.url, place);
  } catch (error) {
    return `nobody was told of run ${run.id}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function throughServer(
  news: News,
  channel: string | null,
  { server, token }: Extract<Address, { server: string }>,
) {
  const response = await fetch(`${server.replace(/\/+$/, "")}/api/notifications`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ ...news, channel }),
    redirect: "error",
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (response.ok) return undefined;
  const { error } = (await response.json().catch(() => ({}))) as { error?: { message?: string } };
  throw new Error(`the server answered ${response.status}${error?.message ? `: ${error.message}` : ""}`);
}

async function fromHere(news: News, wish: string | null, url: string, { places, env }: DeskPlace) {
  const stores = await openStores({ url });
  try {
    const active = (await stores.channels(PERSONAL)).filter(({ isActive }) => isActive);
    const named = wish === null ? undefined : active.find((channel) => isMeant(channel, wish));
    const channel = wish === null ? chooseChannel(PERSONAL, active, { explicit: null, completion: null }) : named;
    if (!channel) throw new Error(wish === null ? "there is no active channel" : `there is no active channel ${wish}`);
    let problem: string | undefined;
    const notifier = runNotifier({
      stores,
      channels: new OpenChannels(stores, loadKeyring(env, places.stateDir)),
      onProblem: (_run, why) => {
        problem = why;
      },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    notifier.tell({ ...news, organisation: PERSONAL, channel: channel.id, link: null });
    await notifier.settled();
    return problem;
  } finally {
    await stores.close();
  }
}

const KINDS: Readonly<Record<RunStatus, News["kind"]>> = {
  success: "finished",
  initialized: "finished",
  ready: "finished",
  running: "needs-someone",
  blocked: "needs-someone",
  exhausted: "needs-someone",
  aborted: "failed",
  error: "failed",
};

function newsOf(run: Run, place: DeskPlace): News {
  const done = run.tasks.filter(({ status }) => status === "completed").length;
  const tasks = run.tasks.length === 0 ? "" : `${done} of ${run.tasks.length} tasks are completed. `;
  const started = Date.parse(run.sessions.at(-1)?.startedAt ?? run.createdAt);
  return {
    // Each session ends by itself: whoever resumes a run wants to hear of that end too.
    run: `${run.id}/${run.sessions.length}`,
    kind: KINDS[run.status],
    agent: run.agent.name,
    durationMs: Math.max(0, Date.parse(run.endedAt ?? run.updatedAt) - started),
    tools: toolsOf(run, place),
    asked: run.settings.message ?? run.name ?? run.assignment?.name ?? run.id,
    answer: `${tasks}${run.statusReason}`.trim() || run.status,
  };
}

const MAX_LINES = 20_000;

/** As the ledger has them, in the order they were first used. */
function toolsOf({ id, settings }: Run, { places }: DeskPlace): string[] {
  const journal = journalOf("ledger", { root: projectRoot({ cwd: settings.cwd }, places) }, places);
  const used: string[] = [];
  for (const record of recordsNewestFirst(journal, { maxLines: MAX_LINES, marks: [`"run":${JSON.stringify(id)}`] }))
    if (record.run === id && typeof record.tool_name === "string") used.push(record.tool_name);
  return [...new Set(used.reverse())];
}
