import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { placesOf } from "../../config/places.ts";
import { journalOf } from "../../engine/journals.ts";
import { phaseEvent } from "../../runs/hooks/phase-event.ts";
import { beforeAttempt, layered } from "../../runs/hooks/phases.fixture.ts";
import { sampleRun } from "../../runs/scratch.fixture.ts";
import { createPhaseEngine } from "./phase-engine.ts";

/** A program in the place of ours, which writes down how it was started. */
const PROGRAM = `
const { appendFileSync } = require("node:fs");
const started = { words: process.argv.slice(2), token: process.env.TOKEN };
appendFileSync(__dirname + "/started.jsonl", JSON.stringify(started) + "\\n");
`;

function machine() {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), "holdfast-phase-engine-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const name of ["bin", "config", "project"]) mkdirSync(join(dir, name));
  writeFileSync(join(dir, "bin", "holdfast"), PROGRAM);
  writeFileSync(
    join(dir, "config", "holdfast.yaml"),
    "records: { server: https://records.example, token_env: TOKEN }\n",
  );
  const env = {
    ...{ HOME: dir, PATH: process.env.PATH, TOKEN: "hf_ingest" },
    ...{ HOLDFAST_CONFIG_DIR: join(dir, "config"), HOLDFAST_STATE_DIR: join(dir, "state") },
  };
  const cwd = join(dir, "project");
  const started = join(dir, "bin", "started.jsonl");
  return {
    audit: journalOf("audit", { root: cwd }, placesOf(env)).file,
    started: () => (existsSync(started) ? readFileSync(started, "utf8").trim().split("\n") : []),
    async fire({ isRehearsal }: { isRehearsal: boolean }): Promise<void> {
      const setting = { env, distDir: join(dir, "dist"), isRehearsal, onRemark: expect.fail };
      const engine = createPhaseEngine(setting);
      const { settings } = sampleRun();
      const run = sampleRun({ settings: { ...settings, cwd } });
      const event = phaseEvent({ run, moment: beforeAttempt(), directory: dir, prompt: "go", at: new Date() });
      const opened = await engine.open({ id: run.id, cwd });
      const rule = layered("rule", "beforeAttempt", () => ({ opinion: { kind: "block", reason: "no" } }));
      await opened.record(event, await opened.decide(event, rule, new AbortController().signal));
      await opened.close();
      await engine.close();
    },
  };
}

it("what is recorded of a run reaches the server though no agent calls: whoever hands in is started", async () => {
  const { fire, audit, started } = machine();
  await fire({ isRehearsal: false });
  expect(existsSync(audit)).toBe(true);
  await expect
    .poll(() => started().map((line) => JSON.parse(line)))
    .toEqual([
      {
        words: ["hand-in", "--server", "https://records.example", "--token-env", "TOKEN", "--stay"],
        token: "hf_ingest",
      },
    ]);
});

it("who only asks what would happen starts nobody", async () => {
  const { fire, audit, started } = machine();
  await fire({ isRehearsal: true });
  await sleep(300);
  expect([existsSync(audit), started()]).toEqual([false, []]);
});
