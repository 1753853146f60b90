/** The desk over a store of our own. */
import type { ApprovalMode } from "../core/approval-rule.ts";
import type { Status } from "./approval.ts";
import { chooseChannel, isMeant, withEscalationChannel } from "./choose-channel.ts";
import { type Desk, DeskRefusal } from "./desk.ts";
import { Approvals } from "./service.ts";
import type { ChannelStore, Stores } from "./store.ts";

/** More refusals than any session has. */
const MAX_OF_SESSION = 200;

export function localDesk(stores: Stores): Desk {
  const approvals = new Approvals(stores);
  const ofSession = async (organisation: string, session: string, status: Status) =>
    (await stores.list({ organisation, session, statuses: [status], limit: MAX_OF_SESSION })).approvals;
  return {
    async request({ mode, ...draft }) {
      const channel = await whereToAsk(stores, draft.organisation, mode, draft.channel);
      const policy = await withEscalationChannel(stores, draft.organisation, draft.policy);
      return approvals.request({ ...draft, policy, channel });
    },
    denials: (organisation, session) => ofSession(organisation, session, "denied"),
    pending: (organisation, session) => ofSession(organisation, session, "pending"),
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
