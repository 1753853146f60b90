import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { PERSONAL } from "../../approvals/approval.ts";
import { placesOf } from "../../config/places.ts";
import { giveSignOfLife, tellOfHandIn, toldLast } from "../../engine/hand-in-sign.ts";
import { journalOf } from "../../engine/journals.ts";
import { appendRecords } from "../../records/journal.ts";
import { memoryStores } from "../../stores/memory.ts";
import { listen } from "../server/listen.ts";
import { createToken } from "../server/tokens.ts";
import { auditServer } from "./audit-server.ts";
import { handIn, type Round } from "./hand-in.ts";
import { removeOldSigns } from "./old-signs.ts";
import { problemText } from "./problem-text.ts";
import { stay } from "./stay.ts";

const pace = { roundMs: 5, idleMs: 50, longestPauseMs: 20, mostFailures: 4 };

async function scene() {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-stay-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const places = placesOf({ HOME: dir, HOLDFAST_STATE_DIR: join(dir, "state") });
  const root = join(dir, "project");
  const stores = memoryStores();
  const server = await listen({ stores, host: "127.0.0.1", port: 0 });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await server.close();
    isOpen = false;
  };
  onTestFinished(close);
  const who = { organisation: PERSONAL, name: "records", kind: "agent" as const, agent: null, person: null };
  await stores.putPerson({ id: "test", organisation: who.organisation, name: "Test", roles: ["admin"] });
  const { token } = await createToken(stores, { ...who, scopes: ["ingest"], createdBy: "test", lastsMs: 60_000 });
  const other = await createToken(stores, { ...who, scopes: ["request"], createdBy: "test", lastsMs: 60_000 });
  const sign = join(dir, "state", "run", "hand-in-one");
  const place = { server: server.url, tokenEnv: "TOKEN" };
  const told: string[] = [];
  const decide = () => appendRecords(journalOf("audit", { root }, places), [{ timestamp: new Date().toISOString() }]);
  decide();
  return {
    url: server.url,
    close,
    sign,
    token,
    tokenWithoutTheRight: other.token,
    told,
    decide,
    places,
    journalFile: journalOf("audit", { root }, places).file,
    stored: async () => (await stores.audit({ organisation: PERSONAL, limit: 100 })).rows,
    staying: (withToken: string, around: (round: () => Promise<Round>) => Promise<Round> = (round) => round()) => {
      const handing = handIn(auditServer(server.url, withToken), () => [root], places);
      return stay({
        handing: { round: () => around(() => handing.round()) },
        sign,
        pace,
        tell: (error) => {
          told.push(problemText(error, place));
          tellOfHandIn(problemText(error, place), sign, { root, places });
        },
      });
    },
    notices: () => {
      const { file } = journalOf("notices", { root }, places);
      return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    },
  };
}

it("a token that the server does not know ends it at once, and the person is told what to do", async () => {
  const { staying, told } = await scene();
  expect(await staying("hf_revoked")).toBe("refused");
  expect(told).toEqual([expect.stringMatching(/answered 401: .*revoked.*ask an admin.*set TOKEN to it/)]);
});

it("a token without the right to hand in ends it at once, too", async () => {
  const { staying, told, tokenWithoutTheRight } = await scene();
  expect(await staying(tokenWithoutTheRight)).toBe("refused");
  expect(told).toEqual([expect.stringMatching(/answered 403: .*right to ingest/)]);
});

it("the same problem of the next process is no second notice; one that begins after all was well is", async () => {
  const { staying, notices, token, sign } = await scene();
  await staying("hf_revoked");
  await staying("hf_revoked");
  expect(notices()).toHaveLength(1);
  expect(toldLast(sign)).toMatchObject({ problem: expect.stringContaining("401") });
  expect(await staying(token)).toBe("without news");
  expect(toldLast(sign)).toBeUndefined();
  await staying("hf_revoked");
  expect(notices()).toHaveLength(2);
});

it("a server that cannot be reached is asked again, told of once, and given up in the end", async () => {
  const { staying, close, told, token } = await scene();
  await close();
  let rounds = 0;
  const ending = await staying(token, (round) => {
    rounds += 1;
    return round();
  });
  expect(ending).toBe("given up");
  expect(rounds).toBe(pace.mostFailures);
  expect(told).toEqual([expect.stringMatching(/cannot be reached: .*try again by themselves/)]);
});

it("another problem is told of though the first still stands", async () => {
  const { staying, told } = await scene();
  let rounds = 0;
  const ending = await staying("hf_revoked", async (round) =>
    rounds++ < 2 ? { rows: 0, problem: new Error("one journal cannot be read") } : round(),
  );
  expect(ending).toBe("refused");
  expect(told).toEqual([expect.stringContaining("one journal"), expect.stringContaining("answered 401")]);
});

it("a record of a call that left it to this process is handed in, though it came as this one was ending", async () => {
  const { staying, decide, stored, token, sign } = await scene();
  let isDecided = false;
  const ending = await staying(token, async (round) => {
    const done = await round();
    if (done.rows > 0 || isDecided) return done;
    await sleep(pace.idleMs + 20);
    // After the last look, while the sign is still there: such a call starts nobody.
    expect(existsSync(sign)).toBe(true);
    decide();
    isDecided = true;
    return done;
  });
  expect(ending).toBe("without news");
  expect(await stored()).toHaveLength(2);
  expect(existsSync(sign)).toBe(false);
});

it("signs of tokens that nobody uses any more are not kept", async () => {
  const { places, sign } = await scene();
  giveSignOfLife(sign);
  const old = `${sign}-old`;
  writeFileSync(old, "");
  const tenDaysAgo = Date.now() / 1_000 - 10 * 24 * 60 * 60;
  utimesSync(old, tenDaysAgo, tenDaysAgo);
  utimesSync(sign, tenDaysAgo, tenDaysAgo);
  removeOldSigns(places, sign);
  expect([existsSync(sign), existsSync(old)]).toEqual([true, false]);
});

it("a journal that cannot be handed in is told of once, by all processes that meet it, and others go on", async () => {
  const { staying, token, stored, notices, sign } = await scene();
  const withProblem = async (round: () => Promise<Round>) => ({ ...(await round()), problem: new Error("ELOOP") });
  expect(await staying(token, withProblem)).toBe("without news");
  expect((await stored()).filter(({ decision }) => decision !== "notice")).toHaveLength(1);
  expect(statSync(sign).mtimeMs).toBe(0);
  expect(await staying(token, withProblem)).toBe("without news");
  expect(notices()).toHaveLength(1);
  await staying(token);
  expect(existsSync(sign)).toBe(false);
});

it("a state directory that is removed under it ends it, and is not made again", async () => {
  const { staying, token, places } = await scene();
  const ending = await staying(token, async () => {
    rmSync(places.stateDir, { recursive: true, force: true });
    return { rows: 1 };
  });
  expect(ending).toBe("given up");
  expect(existsSync(places.stateDir)).toBe(false);
});

it("each place where somebody wrote into a journal is told of once, and not again by every process that finds it", async () => {
  const { staying, token, told, notices, journalFile } = await scene();
  const forge = () => appendFileSync(journalFile, '{"tool":"Forged"}\n');
  forge();
  let rounds = 0;
  await staying(token, (round) => {
    rounds += 1;
    if (rounds === 3) forge();
    return round();
  });
  expect(told).toEqual(
    ["Line 2", "Line 3"].map((line) => expect.stringContaining(`${line} of audit.jsonl has no seal`)),
  );
  expect(notices()).toHaveLength(2);
  await staying(token);
  const all = notices().length;
  await staying(token);
  expect(notices()).toHaveLength(all);
});
