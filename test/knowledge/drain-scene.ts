import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { readSessionLog, type SessionFront } from "../../src/knowledge/capture/session-log.ts";
import { answerOf, logText } from "../../src/knowledge/drain/drain.fixture.ts";
import { type KnowledgePlaces, knowledgePlaces } from "../../src/knowledge/places.ts";
import { endProcessesOf } from "../processes.ts";

const root = join(import.meta.dirname, "../..");
export const binary = join(root, "bin/holdfast");

/** A project with knowledge switched on, and a host's program that does as the test says. */
export interface ProcessScene {
  readonly dir: string;
  readonly project: string;
  readonly places: KnowledgePlaces;
  readonly stateDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** The text of a shell script; `answer` prints what the model said. */
  codex(script: string): void;
  log(session: string, said: readonly string[], more?: Partial<SessionFront>): string;
  front(file: string): Promise<SessionFront>;
  /** Whether the test's script has left this file. */
  has(name: string): boolean;
  text(name: string): string;
  /** `keptOpen`: whoever started it never closes its input. */
  start(args: readonly string[], more?: { stdin?: string; keptOpen?: boolean; env?: NodeJS.ProcessEnv }): Started;
  remove(): Promise<void>;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

export function processScene(drain: object = { enabled: true }): ProcessScene {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-know-"));
  const at = (name: string) => join(dir, name);
  const project = at("project");
  const places = knowledgePlaces(project);
  for (const path of [project, at("home"), at("config"), at("state"), at("bin"), places.sessionsDir]) {
    mkdirSync(path, { recursive: true });
  }
  writeFileSync(at("config/holdfast.yaml"), JSON.stringify({ version: 1, knowledge: { enabled: true, drain } }));
  const env: NodeJS.ProcessEnv = {
    HOME: at("home"),
    PATH: [at("bin"), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    HOLDFAST_CONFIG_DIR: at("config"),
    HOLDFAST_STATE_DIR: at("state"),
    HOLDFAST_DAEMON: "off",
    SCENE: dir,
  };
  const item = JSON.stringify({ type: "agent_message", text: answerOf("One") });
  writeFileSync(
    at("answer.jsonl"),
    `{"type":"thread.started","thread_id":"t"}\n{"type":"item.completed","item":${item}}\n`,
  );
  return {
    ...{ dir, project, places, env, stateDir: at("state") },
    codex(script) {
      writeFileSync(at("bin/codex"), `#!/bin/sh\nanswer() { cat "$SCENE/answer.jsonl"; }\n${script}\n`);
      chmodSync(at("bin/codex"), 0o755);
    },
    log(session, said, more) {
      const file = join(places.sessionsDir, `20261101-1000-${session}.md`);
      writeFileSync(file, logText(session, said, more));
      return file;
    },
    async front(file) {
      const read = await readSessionLog(file);
      if ("problem" in read) throw new Error(read.problem);
      return read.log.front;
    },
    has: (name) => existsSync(at(name)),
    text: (name) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : ""),
    start(args, { stdin = "", keptOpen = false, env: more = {} } = {}) {
      const child = spawn(process.execPath, [binary, ...args], {
        ...{ cwd: project, env: { ...env, ...more }, detached: true },
      });
      let stdout = "";
      let stderr = "";
      child.stdout.on("data", (chunk) => {
        stdout += chunk;
      });
      child.stderr.on("data", (chunk) => {
        stderr += chunk;
      });
      child.stdin.on("error", () => {});
      if (keptOpen) child.stdin.write(stdin);
      else child.stdin.end(stdin);
      const ended = new Promise<Awaited<Started["ended"]>>((settle) =>
        child.once("exit", (code) => settle({ code, stdout, stderr })),
      );
      return { child, ended };
    },
    async remove() {
      await endProcessesOf({ stateDir: at("state") });
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

export const sessionStart = (project: string, session: string, more: object = {}) =>
  JSON.stringify({
    ...{ session_id: session, transcript_path: null, cwd: project, hook_event_name: "SessionStart", model: "gpt-5.5" },
    ...{ permission_mode: "default", source: "startup", ...more },
  });
