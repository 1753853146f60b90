import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { approvalOf as requestedOf } from "../../approvals/approval.fixture.ts";
import type { Approval } from "../../approvals/approval.ts";
import { Bells } from "./bells.ts";

const directory = mkdtempSync(join(tmpdir(), "holdfast-bells-"));
afterAll(() => rmSync(directory, { recursive: true }));
let place = "";
let places = 0;
const opened: Bells[] = [];
const bellsHere = () => {
  const bells = new Bells(place);
  opened.push(bells);
  return bells;
};
beforeEach(() => {
  place = join(directory, String(++places));
});
afterEach(() => {
  for (const bells of opened.splice(0)) bells.close();
});
const approvalOf = (changes: Partial<Approval> = {}): Approval => ({ ...requestedOf().approval, ...changes });
const rungFile = () => join(place, "rung");
const ring = (bells: Bells, approval: Approval) => bells.ring(approval, JSON.stringify(approval));
const openedHere = () =>
  readdirSync("/proc/self/fd")
    .filter((descriptor) => linkOf(descriptor) === rungFile())
    .map(Number);
/** Undefined: it was that of the listing. */
function linkOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(join("/proc/self/fd", descriptor));
  } catch {
    return undefined;
  }
}

/** What a watcher is told, each as it comes. */
function watched(bells: Bells, id: string | null) {
  const heard: (readonly [string, Approval | undefined])[] = [];
  let check = () => {};
  bells.watch(id, (changed, news) => {
    heard.push([changed, news]);
    check();
  });
  const until = (isHeard: (changed: string, news: Approval | undefined) => boolean) =>
    new Promise<void>((resolve) => {
      check = () => heard.some(([changed, news]) => isHeard(changed, news)) && resolve();
      check();
    });
  return { heard, until };
}

describe("bells", () => {
  it("say what the approval became", async () => {
    const approval = approvalOf({ version: 2, status: "denied" });
    const { until } = watched(bellsHere(), approval.id);
    ring(bellsHere(), approval);
    await until((_, news) => JSON.stringify(news) === JSON.stringify(approval));
  });

  it("only name an approval that is long", async () => {
    const approval = approvalOf({ reason: "x".repeat(10_000) });
    const { heard, until } = watched(bellsHere(), approval.id);
    ring(bellsHere(), approval);
    await until((id) => id === approval.id);
    expect(heard.map(([, news]) => news)).toEqual(heard.map(() => undefined));
  });

  it("tell each watcher of its own approval only, and nobody of what was rung before", async () => {
    const [mine, others] = [approvalOf({ id: "A-mine" }), approvalOf({ id: "A-other %\n" })];
    ring(bellsHere(), mine);
    const { heard, until } = watched(bellsHere(), others.id);
    const all = watched(bellsHere(), null);
    ring(bellsHere(), mine);
    ring(bellsHere(), others);
    await until((id) => id === others.id);
    await all.until((id) => id === others.id);
    expect(new Set(heard.map(([id]) => id))).toEqual(new Set([others.id]));
    expect(all.heard.map(([id]) => id)).toEqual([mine.id, others.id]);
  });

  it("that a process left half rung name the approval, and leave the next one whole", async () => {
    const approval = approvalOf({ version: 3 });
    ring(bellsHere(), approvalOf({ id: "A-first" }));
    const { until } = watched(bellsHere(), approval.id);
    const half = watched(bellsHere(), "A-half");
    appendFileSync(rungFile(), '\nA-half 2 {"id":"A-ha');
    ring(bellsHere(), approval);
    await half.until((id, news) => id === "A-half" && news === undefined);
    await until((_, news) => news?.version === 3);
  });

  it("do not pile up, and whoever may have missed one looks", async () => {
    const { until } = watched(bellsHere(), "A-waited-for");
    const all = watched(bellsHere(), null);
    const ringing = bellsHere();
    const body = JSON.stringify({ ...approvalOf(), reason: "x".repeat(7_000) });
    for (let version = 1; version <= 200; version++) ringing.ring({ ...approvalOf(), version }, body);
    expect(statSync(rungFile()).size).toBeLessThan(1_100_000);
    await until((id) => id === "A-waited-for");
    await all.until((id) => id === "");
  });

  it("are heard after the file was emptied and has grown past where one had read, and after it was removed", async () => {
    ring(bellsHere(), approvalOf({ id: "A-before" }));
    const { heard, until } = watched(bellsHere(), "A-waited-for");
    const line = readFileSync(rungFile(), "utf8").replaceAll("A-before", "A-behind");
    writeFileSync(rungFile(), line.repeat(3));
    await until((id) => id === "A-waited-for");
    heard.length = 0;
    rmSync(rungFile());
    await until((id) => id === "A-waited-for");
    heard.length = 0;
    ring(bellsHere(), approvalOf({ id: "A-waited-for", version: 7 }));
    await until((_, news) => news?.version === 7);
  });

  it("are heard from whoever rang before the file was removed", async () => {
    const ringing = bellsHere();
    ring(ringing, approvalOf({ id: "A-before" }));
    rmSync(place, { recursive: true });
    const { until } = watched(bellsHere(), "A-waited-for");
    ring(ringing, approvalOf({ id: "A-waited-for", version: 7 }));
    await until((_, news) => news?.version === 7);
  });

  it("are heard from and by whoever was there before the file was renamed", async () => {
    const ringing = bellsHere();
    ring(ringing, approvalOf({ id: "A-before" }));
    const old = watched(bellsHere(), "A-waited-for");
    renameSync(rungFile(), join(place, "rung.old"));
    await old.until((id) => id === "A-waited-for");
    const { until } = watched(bellsHere(), "A-waited-for");
    ring(ringing, approvalOf({ id: "A-waited-for", version: 7 }));
    await until((_, news) => news?.version === 7);
    await old.until((_, news) => news?.version === 7);
  });

  it.runIf(existsSync("/proc/self/fd"))("are heard again from whoever could not ring once", async () => {
    const ringing = bellsHere();
    ring(ringing, approvalOf({ id: "A-before" }));
    for (const descriptor of openedHere()) closeSync(descriptor);
    ring(ringing, approvalOf({ id: "A-waited-for", version: 6 }));
    const { until } = watched(bellsHere(), "A-waited-for");
    ring(ringing, approvalOf({ id: "A-waited-for", version: 7 }));
    await until((_, news) => news?.version === 7);
  });

  it("are not rung any more once they are closed", () => {
    const bells = bellsHere();
    bells.close();
    ring(bells, approvalOf());
    expect(existsSync(rungFile())).toBe(false);
  });

  it("that hold nonsense are passed over", async () => {
    ring(bellsHere(), approvalOf());
    const { until } = watched(bellsHere(), "A-sound");
    appendFileSync(rungFile(), "\n%E0%A4%A 1 {}\n\u0000\u0000\nwords without a number\n");
    ring(bellsHere(), approvalOf({ id: "A-sound", version: 2 }));
    await until((_, news) => news?.version === 2);
  });

  it.each([
    "{}",
    "5",
    '"approved"',
    "[]",
    '{"id":"A-half","status":"approved"}',
    '{"id":"A-other","status":"approved"}',
  ])("whose words are %s name the approval, and say nothing of it", async (body) => {
    ring(bellsHere(), approvalOf());
    const { heard, until } = watched(bellsHere(), "A-half");
    appendFileSync(rungFile(), `\nA-half 2 ${body}\n`);
    await until((id) => id === "A-half");
    expect(heard).toEqual([["A-half", undefined]]);
  });
});
