import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { type Environment, placesOf } from "../config/places.ts";
import type { Plan } from "../config/plan.ts";
import { signOfHandIn, tellOfHandIn } from "./hand-in-sign.ts";
import { startHandIn } from "./hand-in-start.ts";
import { journalOf } from "./journals.ts";

const TOKEN = "hf_not-for-other-eyes";

/** A program in the place of ours, which writes down how it was started. */
const PROGRAM = `
const { appendFileSync } = require("node:fs");
appendFileSync(__dirname + "/started.jsonl", JSON.stringify({ words: process.argv.slice(2), env: process.env }) + "\\n");
`;

function machine({ server = "https://records.example", tokenEnv = "TOKEN" } = {}) {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-start-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const root = join(dir, "project");
  mkdirSync(join(dir, "bin"));
  mkdirSync(root);
  writeFileSync(join(dir, "bin", "holdfast"), PROGRAM);
  const own = { HOME: dir, PATH: process.env.PATH, HOLDFAST_STATE_DIR: join(dir, "state") };
  const places = placesOf(own);
  const handIn = { server, tokenEnv };
  const plan = { root, settings: { handIn } } as unknown as Plan;
  const started = (): { words: string[]; env: Record<string, string> }[] => linesOf(join(dir, "bin", "started.jsonl"));
  return {
    places,
    call: (env: Environment) => startHandIn(plan, places, { ...own, ...env }, join(dir, "dist")),
    started,
    startedOnce: async () => {
      while (started().length === 0) await sleep(10);
      return started()[0];
    },
    sign: (env: Environment) => signOfHandIn(handIn, env, places),
    tell: (sign: string, problem: string) => tellOfHandIn(problem, sign, { root, places }),
    notices: (): { message: string }[] => linesOf(journalOf("notices", { root }, places).file),
  };
}

const linesOf = (file: string) =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
    : [];

it("whoever hands in finds the server that the call would: every variable the address refers to is passed on, and ways to it", async () => {
  const { call, startedOnce } = machine({ server: "https://${RECORDS_HOST:-elsewhere.example}/${TEAM}" });
  const ways = { HTTPS_PROXY: "http://proxy:1", no_proxy: "localhost", NODE_EXTRA_CA_CERTS: "/etc/ca.pem" };
  call({ TOKEN, RECORDS_HOST: "records.example", TEAM: "acme", AWS_SECRET_ACCESS_KEY: "not yours", ...ways });
  const { env } = (await startedOnce()) ?? { env: {} };
  expect(env).toMatchObject({ TOKEN, RECORDS_HOST: "records.example", TEAM: "acme", ...ways });
  expect(env).not.toHaveProperty("AWS_SECRET_ACCESS_KEY");
});

it("it is told which variable holds the token, and never the token", async () => {
  const { call, startedOnce } = machine({ tokenEnv: "NEW_TOKEN" });
  call({ NEW_TOKEN: TOKEN, OLD_TOKEN: "hf_old" });
  const { words } = (await startedOnce()) ?? { words: [] };
  expect(words).toEqual(["hand-in", "--server", "https://records.example", "--token-env", "NEW_TOKEN", "--stay"]);
});

it("without its token nothing is started, however many calls there are, and the person is told once", async () => {
  const { call, started, notices } = machine();
  for (let index = 0; index < 5; index++) call({});
  await sleep(300);
  expect(started()).toEqual([]);
  expect(notices().map(({ message }) => message)).toEqual([
    expect.stringMatching(/the variable TOKEN .* is not set.*[Ss]et it/),
  ]);
});

it("a call with another token waits for nobody who hands in with an old one", async () => {
  const { call, started, startedOnce } = machine();
  call({ TOKEN: "hf_old" });
  await startedOnce();
  call({ TOKEN: "hf_old" });
  call({ TOKEN: "hf_new" });
  while (started().length < 2) await sleep(10);
  expect(started().map(({ env }) => env.TOKEN)).toEqual(["hf_old", "hf_new"]);
});

it("one that ended with a problem is not started again by every call that finds it silent", async () => {
  const { call, started, startedOnce, sign, tell } = machine();
  const [failed, silent] = [sign({ TOKEN: "hf_revoked" }), sign({ TOKEN })];
  tell(failed, "refused");
  writeFileSync(silent, "");
  const aWhileAgo = Date.now() / 1_000 - 20;
  for (const file of [failed, silent]) utimesSync(file, aWhileAgo, aWhileAgo);
  call({ TOKEN: "hf_revoked" });
  call({ TOKEN });
  expect((await startedOnce())?.env.TOKEN).toBe(TOKEN);
  expect(started()).toHaveLength(1);
});

it("a problem is told again when it is another one, or when it has lasted for a day", () => {
  const { sign, tell, notices } = machine();
  const file = sign({ TOKEN });
  tell(file, "the server is down");
  tell(file, "the server is down");
  tell(file, "the token is refused");
  const told = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...told, at: Date.now() - 25 * 60 * 60 * 1_000 }));
  tell(file, "the token is refused");
  expect(notices().map(({ message }) => message)).toEqual([
    "the server is down",
    "the token is refused",
    "the token is refused",
  ]);
});
