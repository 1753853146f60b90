/** What real programs leave behind of a session, once knowledge is switched on. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { call, offlineProgram, runInProject } from "./guarded-host.ts";
import { holdfast } from "./holdfast.ts";
import type { HostName } from "./installed-host.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

const PROMPT =
  "Remember this for the project: the release job must run on the arm runners, because only they have the signing key, and it always builds with the frozen lockfile. Then print the word fine into note.txt, please.";
const LAST = "Noted: the release job stays on the arm runners.";

describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1")("a session of a real program", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await makeScratch();
  });
  afterEach(() => scratch.remove());

  test.each(["claude-code", "codex", "copilot", "gemini", "opencode"] satisfies HostName[])(
    "N-17 N-24 of %s has one log with what was said, and nothing a tool returned",
    async (host) => {
      await scratch.write("project/holdfast.yaml", "knowledge: { enabled: true }\n");
      await holdfast(scratch, "init", "--yes", "--hosts", host);
      const { says } = offlineProgram(host);
      const run = await runInProject(host, scratch, {
        prompt: PROMPT,
        script: [{ tools: [call("one", says.shell("printf TOOL-RETURNED; printf fine > note.txt"))] }, { text: LAST }],
      });
      const folder = join(scratch.projectDir, ".holdfast/knowledge/_sessions");
      const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".md")) : [];
      expect(names, run.story).toHaveLength(1);
      const text = readFileSync(join(folder, names[0] as string), "utf8");
      expect(text).toContain(`host: ${host}\n`);
      expect(text).toContain("[USER]: ");
      expect(text).toContain("only they have the signing key");
      expect(text).toContain(`[AGENT]: ${LAST}`);
      expect(text.match(/only they have the signing key/g), text).toHaveLength(1);
      expect(text).not.toContain("TOOL-RETURNED");
      expect(text).toContain("proposal_status: pending\n");
    },
  );
});
