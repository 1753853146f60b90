/** An organisation with people, a channel on a simulated platform, and a server that sends cards and takes callbacks. */
import { type DraftChanges, draftOf } from "../approvals/approval.fixture.ts";
import type { Approval, Person } from "../approvals/approval.ts";
import type { CallbackAnswer } from "../approvals/channel.ts";
import { Approvals } from "../approvals/service.ts";
import type { StoredChannel, Stores } from "../approvals/store.ts";
import { memoryStores } from "../stores/memory.ts";
import { newChannel } from "./administration.ts";
import { type Keyring, sealingKey } from "./credentials.ts";
import { type Dispatcher, startDispatcher } from "./dispatcher.ts";
import { OpenChannels } from "./open-channels.ts";
import type { ClickWish, PlatformCallback, ShownCard, SimulatedPlatform } from "./platforms/platform.fixture.ts";
import { callbackHandler } from "./routes.ts";

export const ORGANISATION = "acme";
export const KEYRING: Keyring = [sealingKey("a key for tests, of more than 32 characters")];

export const linkTo = (approval: string) => `https://holdfast.example/approvals/${approval}`;

export async function worldOn(platform: SimulatedPlatform, stores?: Stores) {
  const clock = { aheadMs: 0 };
  const store = stores ?? memoryStores({ now: () => new Date(Date.now() + clock.aheadMs) });
  const problems: string[] = [];
  const approvals = new Approvals(store);
  const channels = new OpenChannels(store, KEYRING);
  const onProblem = (_: string | null, problem: string) => void problems.push(problem);
  const handle = callbackHandler({ stores: store, approvals, channels, linkTo, onProblem });
  const dispatchers: Dispatcher[] = [];

  const addChannel = async (
    organisation = ORGANISATION,
    name = "releases",
    from = platform,
  ): Promise<StoredChannel> => {
    const { type, config } = from;
    const stored = newChannel({ organisation, type, name, config }, KEYRING, store.now());
    await store.putChannel(stored);
    return stored;
  };
  const addPerson = async (id: string, channel: StoredChannel, changes: Partial<Person> = {}): Promise<Person> => {
    const person = { id, organisation: channel.organisation, name: `Name of ${id}`, roles: ["approver"], ...changes };
    await store.putPerson(person);
    await store.linkIdentity(platform.identityOf(userOf(id), channel.id), channel.organisation, id);
    return person;
  };
  const channel = await addChannel();
  await addPerson("ann", channel);
  await addPerson("bob", channel);

  return {
    platform,
    stores: store,
    approvals,
    channels,
    problems,
    channel,
    addChannel,
    addPerson,
    now: () => store.now(),
    forward(ms: number) {
      clock.aheadMs += ms;
    },
    async startDispatcher({ pollMs = 10_000, retryDelaysMs = [5, 5, 5] } = {}) {
      const options = { stores: store, approvals, channels, linkTo, onProblem, retryDelaysMs, pollMs };
      const dispatcher = await startDispatcher(options);
      dispatchers.push(dispatcher);
      return dispatcher;
    },
    ask: (changes: DraftChanges = {}) =>
      approvals.request(draftOf({ organisation: ORGANISATION, channel: channel.id, ...changes })),
    /** Asked, and its card is there. */
    async asked(changes: DraftChanges = {}): Promise<Approval> {
      const { id } = await approvals.request(draftOf({ organisation: ORGANISATION, channel: channel.id, ...changes }));
      return eventually(async () => {
        const approval = await store.get(id);
        return approval && approval.delivery.state !== "waiting" ? approval : undefined;
      });
    },
    callback: (callback: PlatformCallback, to = channel.id): Promise<CallbackAnswer> =>
      handle({ ...callback, channel: to }),
    click: (wish: Omit<ClickWish, "user"> & { by: string }, to = channel.id): Promise<CallbackAnswer> =>
      handle({ ...platform.click({ at: store.now(), ...wish, user: userOf(wish.by) }), channel: to }),
    cardOf: (approval: string): ShownCard | undefined =>
      platform.cards().find(({ raw }) => JSON.stringify(raw).includes(approval)),
    /** The card, once it has no buttons any more. */
    cardLoses: (approval: string): Promise<ShownCard> =>
      eventually(() => {
        const card = platform.cards().find(({ raw }) => JSON.stringify(raw).includes(approval));
        return card && card.buttons.length === 0 ? card : undefined;
      }),
    /** What the person who clicked was told, at once or by a message. */
    told: (answer: CallbackAnswer, words: RegExp) =>
      eventually(async () => {
        const texts = [platform.toastIn(answer) ?? "", ...platform.messages()];
        return texts.find((text) => words.test(text));
      }),
    async close() {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.close()));
      await platform.close();
    },
  };
}

export type World = Awaited<ReturnType<typeof worldOn>>;

/** What a person is called on a platform. */
export const userOf = (person: string) => `ou_${person}`;

/** Until it is there; what never comes fails the test. */
export async function eventually<T>(look: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  const givenUpAt = Date.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > givenUpAt) throw new Error(`It did not happen: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
