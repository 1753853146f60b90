import { chmodSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { programById } from "../../src/hosts/programs.ts";
import { cleanPath, runHostProcess } from "../../src/proof/host-process.ts";
import { binary, holdfastEnvironment } from "./holdfast.ts";
import { type HostName, hostNames, installedHost } from "./installed-host.ts";
import { record } from "./matrix.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1")("holdfast verify", () => {
  let scratch: Scratch;

  beforeEach(async () => {
    scratch = await makeScratch();
  });
  afterEach(() => scratch.remove());

  test.each(hostNames)("%s: proven where it is registered, and not where it is not; nothing stays behind", (host) =>
    record(host, "holdfast verify", async () => {
      const path = await personsPath(host, scratch);
      const refused = await holdfast(path, "verify", "--host", host);
      expect(refused.exitCode).toBe(3);
      expect(refused.stderr).toContain(`holdfast init --hosts ${host}`);

      expect((await holdfast(path, "init", "--yes", "--hosts", host)).exitCode).toBe(0);
      const before = scratch.files();
      const proof = await holdfast(path, "verify", "--host", host, "--story");
      expect(proof.stdout, proof.stderr).toMatch(/^proven /);
      expect(proof.exitCode, proof.stdout).toBe(0);
      expect(ours(scratch.files())).toEqual(ours(before));

      const { hosts } = JSON.parse((await holdfast(path, "doctor", "--host", host, "--json")).stdout);
      const graded = (check: string) => hosts[0].findings.find((finding: { check: string }) => finding.check === check);
      expect(graded("registered"), JSON.stringify(hosts, null, 1)).toMatchObject({ grade: "good" });
      expect(graded("proven"), JSON.stringify(hosts, null, 1)).toMatchObject({ grade: "good" });
    }),
  );

  /** The host under its usual name on a PATH, as a person has it. */
  async function personsPath(host: HostName, { write }: Scratch): Promise<string> {
    const { command, path } = await installedHost(host);
    const words = command.map((word) => `'${word}'`).join(" ");
    const name = programById(host)?.commands[0] ?? host;
    const script = await write(`bin/${name}`, `#!/bin/sh\nexec ${words} "$@"\n`);
    chmodSync(script, 0o755);
    return [dirname(script), path, cleanPath].join(delimiter);
  }

  async function holdfast(path: string, ...args: readonly string[]) {
    return runHostProcess({
      command: binary,
      args,
      cwd: scratch.projectDir,
      env: { HOME: scratch.home, PATH: path, ...holdfastEnvironment(scratch) },
      timeoutMs: 140_000,
    });
  }

  /** What a host itself leaves in a project is its own matter: packages for its plugins, its version in its settings. */
  const ours = (files: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(files).filter(
        ([name]) =>
          !/node_modules|package(-lock)?\.json|bun\.lock|\.qwen\/settings\.json|\.opencode\/\.gitignore/.test(name),
      ),
    );
});
