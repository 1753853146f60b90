import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import type { FileEdit, Host, InstallTarget } from "../../src/hosts/host.ts";
import { installerById } from "../../src/hosts/installers.ts";
import { HOSTS } from "../../src/hosts/registry.ts";
import { distDir, it, type Machine, registeredProgram as program } from "../program.ts";
import { tells, userHooks } from "../rules.ts";

/** What every host's registration keeps to, seen through the command that people run. */
const EACH = HOSTS.map((host) => ({ id: host.id, host }));

function targetOn(machine: Machine): InstallTarget {
  return {
    projectDir: machine.projectDir,
    homeDir: machine.home,
    env: machine.env,
    level: "project",
    program,
    plugin: join(distDir, "plugin.cjs"),
    listFiles: (dir) => (existsSync(dir) ? readdirSync(dir) : []),
    readFile: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
  };
}

const editsOf = (host: Host, machine: Machine): readonly FileEdit[] =>
  installerById(host.id)?.edits(targetOn(machine)) ?? [];

const textsOf = (edits: readonly FileEdit[]) =>
  Object.fromEntries(edits.map(({ path }) => [path, existsSync(path) ? readFileSync(path, "utf8") : undefined]));

const init = (machine: Machine, id: string, ...args: string[]) =>
  machine.cli(["init", "--yes", "--hosts", id, ...args]);

describe.concurrent("every host is registered the same way", () => {
  it.for(EACH)(
    "N-1 N-2 $id: the files of its own table, and what they call is our program",
    async ({ id, host }, { machine }) => {
      expect((await init(machine, id)).code).toBe(0);
      // A file that is only added to where it is already there may be missing.
      const texts = Object.values(textsOf(editsOf(host, machine))).filter((text) => text !== undefined);
      expect(texts.length).toBeGreaterThan(0);
      expect(
        texts.every((text) => text?.includes(host.inProcess ? "plugin.cjs" : program) || text?.includes(program)),
      ).toBe(true);
    },
  );

  it.for(EACH)(
    "N-3 $id: again is the same to the byte, and an older registration of ours is replaced",
    async ({ id, host }, { machine }) => {
      await init(machine, id);
      const edits = editsOf(host, machine);
      const first = textsOf(edits);
      expect((await init(machine, id)).stdout).toContain(`already registered with ${id}`);
      expect(textsOf(edits)).toEqual(first);
      for (const [path, text = ""] of Object.entries(first)) {
        writeFileSync(path, text.replaceAll(program, "/opt/older/bin/holdfast").replaceAll(distDir, "/opt/older/dist"));
      }
      expect(textsOf(edits)).not.toEqual(first);
      expect((await init(machine, id)).code).toBe(0);
      expect(textsOf(edits)).toEqual(first);
    },
  );

  it.for(EACH)(
    "N-4 $id: a settings file that cannot be read stays as it is, and nothing else is written",
    async ({ id, host }, { machine }) => {
      for (const { path } of editsOf(host, machine)) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, "{ [ this is neither JSON nor TOML nor ours");
        const { code, stderr } = await init(machine, id);
        expect({ code, named: stderr.includes("HF401") }, path).toEqual({ code: 3, named: true });
        expect(readFileSync(path, "utf8")).toBe("{ [ this is neither JSON nor TOML nor ours");
        expect(existsSync(join(machine.projectDir, "holdfast.yaml"))).toBe(false);
        writeFileSync(path, "");
        await machine.cli(["uninstall", "--hosts", id]);
      }
    },
  );

  it.for(EACH)(
    "N-9 $id: a session that stands in a subdirectory is judged by the project's rules",
    async ({ id, host }, { machine }) => {
      machine.write("project/holdfast.yaml", "version: 1\nguards: { protected-paths: { write: ['kept/**'] } }\n");
      const cwd = join(machine.projectDir, "deep", "er");
      mkdirSync(cwd, { recursive: true });
      const native = host.support.pre_tool_use?.native[0] ?? "";
      const call = host.probes.write(join(machine.projectDir, "kept", "file"), "text");
      const payload = host.codec.compose({ on: "pre_tool_use", native, session: "s", cwd, id: "c", call });
      const { stdout, stderr } = await machine.run(["hook", "--host", id, "--event", native], {
        stdin: JSON.stringify(payload),
        cwd,
      });
      expect(`${stdout}${stderr}`).toContain("Blocked by holdfast");
    },
  );

  it.for(EACH)(
    "N-37 $id: what a hook tells at session start goes out on the host's own channel, and only there",
    async ({ id, host }, { machine }) => {
      await userHooks(machine, [{ event: "session_start", script: tells("session_start", "the build is slow today") }]);
      const native = host.support.session_start?.native[0] ?? "";
      const payload = host.codec.compose({
        on: "session_start",
        native,
        session: "s",
        cwd: machine.projectDir,
        id: "c",
      });
      const { stdout, stderr, code } = await machine.run(["hook", "--host", id, "--event", native], {
        stdin: JSON.stringify(payload),
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(CHANNELS[id]?.(stdout), stdout).toContain("the build is slow today");
    },
  );
});

// biome-ignore lint/suspicious/noExplicitAny: each host's own answer
const json = (stdout: string): any => JSON.parse(stdout);

/** Where each host looks, told a second time and independently of the codecs. */
const CHANNELS: Readonly<Record<string, (stdout: string) => string>> = {
  "claude-code": (stdout) => json(stdout).hookSpecificOutput.additionalContext,
  codex: (stdout) => json(stdout).hookSpecificOutput.additionalContext,
  cursor: (stdout) => json(stdout).additional_context,
  copilot: (stdout) => json(stdout).additionalContext,
  gemini: (stdout) => json(stdout).hookSpecificOutput.additionalContext,
  qwen: (stdout) => json(stdout).hookSpecificOutput.additionalContext,
  kiro: (stdout) => stdout,
  // Their plugin carries it into the conversation.
  opencode: (stdout) => json(stdout).context,
  pi: (stdout) => json(stdout).context,
};
