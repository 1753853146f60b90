/** The desk over a store of our own. */
import type { ApprovalMode } from "../core/approval-rule.ts";
import { allPages } from "./all-pages.ts";
import type { Status } from "./approval.ts";
import { chooseChannel, isMeant, withEscalationChannel } from "./choose-channel.ts";
import { inOwnWords } from "./deed.ts";
import { type Desk, DeskRefusal } from "./desk.ts";
import { withInitiator } from "./initiator.ts";
import { Approvals } from "./service.ts";
import type { ApprovalQuery, ChannelStore, Stores } from "./store.ts";

const PAGE = 200;

export function localDesk(stores: Stores): Desk {
  const approvals = new Approvals(stores);
  const ofSession = (query: Pick<ApprovalQuery, "organisation" | "session" | "sessionTree">, status: Status) =>
    allPages((cursor) =>
      stores.list({ ...query, statuses: [status], limit: PAGE, ...(cursor === null ? {} : { cursor }) }),
    );
  return {
    async request({ mode, ...draft }) {
      const channel = await whereToAsk(stores, draft.organisation, mode, draft.channel);
      const named = withInitiator(draft.policy, draft.call.initiator);
      const policy = await withEscalationChannel(stores, draft.organisation, named);
      return approvals.request({ ...draft, call: inOwnWords(draft.call), policy, channel });
    },
    denials: (organisation, sessionTree) => ofSession({ organisation, sessionTree }, "denied"),
    pending: (organisation, session) => ofSession({ organisation, session }, "pending"),
    until: (id, isWanted, signal) => approvals.until(id, isWanted, signal),
    use: (id, use) => approvals.use(id, use),
    withdraw: (id, why, by) => approvals.withdraw(id, why, by),
    settings: (organisation) => stores.settings(organisation),
    close: () => stores.close(),
  };
}

/** The id of the channel to ask in; null: the inbox and the terminal are enough. Throws DeskRefusal where a channel is a must. */
export async function whereToAsk(
  stores: ChannelStore,
  organisation: string,
  mode: ApprovalMode,
  wanted: string | null,
): Promise<string | null> {
  if (mode === "inline") return null;
  const channels = await stores.channels(organisation);
  const chosen = chooseChannel(organisation, channels, { explicit: wanted, completion: null });
  if (chosen && (wanted === null || isMeant(chosen, wanted))) return chosen.id;
  if (mode === "auto") return null;
  throw new DeskRefusal(
    wanted === null
      ? "the rule wants people asked in a channel, and the organisation has none that is active"
      : `the channel ${wanted} does not exist or is switched off`,
  );
}
