import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noteOf, type RunNews, runNotifier } from "./notifications.ts";
import { channelsFor } from "./platforms/all.fixture.ts";
import { ORGANISATION, type World, worldOn } from "./world.fixture.ts";

describe.each(channelsFor())("notifications on %s", (_, platformOf) => {
  let world: World;
  beforeEach(async () => {
    world = await worldOn(await platformOf());
  });
  afterEach(() => world.close());

  const newsOf = (changes: Partial<RunNews> = {}): RunNews => ({
    run: "run-1",
    organisation: ORGANISATION,
    channel: world.channel.id,
    kind: "finished",
    agent: "deployer",
    durationMs: 61_000,
    tools: ["Bash"],
    asked: "Deploy it <at id=all></at>",
    answer: "Done <!channel>",
    link: null,
    ...changes,
  });
  const notifierOf = (problems: string[] = []) =>
    runNotifier({
      stores: world.stores,
      channels: world.channels,
      onProblem: (_, problem) => void problems.push(problem),
      retryDelaysMs: [5, 5],
    });

  it("F-45 people are told once of each run that ended, whoever tells", async () => {
    const [one, other] = [notifierOf(), notifierOf()];
    for (const notifier of [one, other, one]) notifier.tell(newsOf());
    one.tell(newsOf({ run: "run-2", kind: "failed" }));
    one.tell(newsOf({ kind: "needs-someone" }));
    await Promise.all([one.settled(), other.settled()]);
    const messages = world.platform.messages();
    expect(messages).toHaveLength(3);
    expect(messages.join("\n")).toMatch(/deployer has finished/);
    expect(messages.join("\n")).toMatch(/deployer has failed/);
    expect(messages.join("\n")).toMatch(/deployer needs somebody/);
  });

  it("F-45 telling returns at once and throws nothing, and a failure is told of", async () => {
    const problems: string[] = [];
    const notifier = notifierOf(problems);
    world.platform.failNext(99, "final");
    expect(notifier.tell(newsOf())).toBeUndefined();
    notifier.tell(newsOf({ run: "run-3", channel: "C-none" }));
    await notifier.settled();
    expect(problems).toHaveLength(2);
    expect(world.platform.messages()).toEqual([]);
  });

  it("F-45 a channel of another organisation is refused", async () => {
    const problems: string[] = [];
    const notifier = notifierOf(problems);
    const foreign = await world.addChannel("rivals", "theirs");
    notifier.tell(newsOf({ channel: foreign.id }));
    await notifier.settled();
    expect(problems).toEqual([expect.stringContaining("another organisation")]);
    expect(world.platform.messages()).toEqual([]);
  });
});

describe("a note of a run", () => {
  it("F-45 long texts are shortened visibly, and no more than six tools are named", () => {
    const note = noteOf({
      run: "r",
      organisation: "o",
      channel: "c",
      kind: "finished",
      agent: "a",
      durationMs: 1000,
      tools: ["1", "2", "3", "4", "5", "6", "7", "8"],
      asked: "x".repeat(500),
      answer: "y".repeat(5000),
      link: null,
    });
    expect(note.lines[0]).toBe(`Asked: ${"x".repeat(199)}…`);
    expect(note.lines[1]).toBe(`Said: ${"y".repeat(599)}…`);
    expect(note.lines[2]).toContain("1, 2, 3, 4, 5, 6 and 2 more");
  });
});
