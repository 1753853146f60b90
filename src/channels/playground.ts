/** A real approval about nothing, so that a person sees that a channel works from the card to the click. */
import { randomUUID } from "node:crypto";
import type { Approval, Person } from "../approvals/approval.ts";
import type { Approvals } from "../approvals/service.ts";
import { HoldfastError } from "../core/errors.ts";
import type { OpenChannels } from "./open-channels.ts";

const EXPIRES_AFTER_MS = 10 * 60_000;
const SENT_WITHIN_MS = 60_000;

export interface PlaygroundDeps {
  readonly approvals: Approvals;
  readonly channels: OpenChannels;
}

/** Resolves when the card is there. It takes the way of every other approval; the dispatcher must be running. */
export async function tryOut(
  { approvals, channels }: PlaygroundDeps,
  person: Person,
  channel: string,
): Promise<Approval> {
  const { organisation } = person;
  const { stored } = await channels.openFor(organisation, channel);
  const run = randomUUID();
  const asked = await approvals.request({
    organisation,
    digest: `playground:${run}`,
    call: {
      eventId: run,
      host: "holdfast",
      session: `playground-${run}`,
      turn: "1",
      agent: "playground",
      initiator: person.id,
      cwd: "/",
      tool: "try-out",
      kind: "other",
      input: { channel: stored.name, message: "Nothing runs, whatever you decide." },
      effects: [],
    },
    rule: "playground",
    reason: `${person.name} tries out this channel.`,
    policy: {
      approvers: { people: [], roles: [], count: 1, notInitiator: false },
      expiresAfterMs: EXPIRES_AFTER_MS,
      remindEveryMs: null,
      escalation: null,
    },
    channel,
  });
  const isSettled = ({ delivery }: Approval) => delivery.state !== "waiting";
  const now = await approvals.until(asked.id, isSettled, AbortSignal.timeout(SENT_WITHIN_MS));
  if (now?.delivery.state === "delivered") return now;
  const why = now?.delivery.detail || "the card was not sent in time; is the server that sends cards running?";
  await approvals.withdraw(asked.id, `the card could not be sent: ${why}`, person.id);
  throw new HoldfastError("HF936", `the card could not be sent: ${why}`);
}
