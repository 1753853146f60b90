import { describe, expect, it } from "vitest";
import { judgeNative } from "../src/engine/judge.ts";
import { type ReadyEngine, readyEngine } from "../src/engine/ready.ts";
import { asker } from "../src/entry/plugin/ask.ts";
import { PACKS } from "../src/hooks/destructive-command/packs.ts";
import type { Host, HostAnswer, NativeCall } from "../src/hosts/host.ts";
import { HOSTS, hostById } from "../src/hosts/registry.ts";
import { createMachine, distDir, inPool, it as onMachine } from "./program.ts";

/** Every command that a rule stops or passes, and calls of the other kinds. */
const commandOf = (item: string | { readonly command: string }) => (typeof item === "string" ? item : item.command);
const COMMANDS = [
  ...new Set(PACKS.flatMap(({ rules }) => rules.flatMap(({ stops, passes }) => [...stops, ...passes].map(commandOf)))),
];

interface Question {
  readonly name: string;
  readonly call: (host: Host) => NativeCall;
}

const QUESTIONS: readonly Question[] = [
  ...COMMANDS.map((command): Question => ({ name: command, call: ({ probes }) => probes.shell(command) })),
  ...[
    "holdfast.yaml",
    ".claude/settings.json",
    ".git/hooks/pre-commit",
    "src/app.ts",
    ".github/workflows/ci.yml",
  ].flatMap((path): Question[] => [
    { name: `write ${path}`, call: ({ probes }) => probes.write(path, "text") },
    { name: `edit ${path}`, call: ({ probes }) => probes.edit(path, "before", "after") },
  ]),
  ...[".env", "id_rsa", "README.md"].map(
    (path): Question => ({ name: `read ${path}`, call: ({ probes }) => probes.read(path) }),
  ),
];

interface Verdict {
  readonly kind: string;
  readonly reasons: readonly string[];
}

function nativeOf(host: Host, { call }: Question, cwd: string) {
  const native = host.support.pre_tool_use?.native[0] ?? "";
  const sample = { on: "pre_tool_use", native, session: "parity", cwd, id: "call", call: call(host) } as const;
  const payload = host.codec.compose(sample) ?? {};
  return host.codec.parse(payload, { id: "event", at: "2026-11-15T00:00:00.000Z", env: {}, cwd, event: native });
}

async function verdictOn(host: Host, question: Question, cwd: string, { hooks }: ReadyEngine): Promise<Verdict> {
  const options = { abort: new AbortController(), maxContextCharacters: 8_000 };
  const [outcome] = await judgeNative(host, nativeOf(host, question, cwd), hooks, options);
  return {
    kind: outcome?.decision.kind ?? "nobody was asked",
    reasons: outcome?.decision.reasons.map(({ text }) => text) ?? [],
  };
}

const reference = hostById("claude-code") as Host;

describe("verdict parity", () => {
  it("the corpus has enough of both sides to tell a difference", async () => {
    expect(COMMANDS.length).toBeGreaterThan(500);
  });

  it.each(HOSTS.filter((host) => host !== reference).map((host) => ({ host, id: host.id })))(
    "$id gives the same decision and reasons on every call of the corpus",
    async ({ host }) => {
      const { machine, remove } = createMachine();
      const engine = await readyEngine(machine.projectDir, machine.env, distDir);
      try {
        for (const question of QUESTIONS) {
          const here = await verdictOn(host, question, machine.projectDir, engine);
          expect(here, question.name).toEqual(await verdictOn(reference, question, machine.projectDir, engine));
        }
      } finally {
        await engine.close();
        remove();
      }
    },
  );

  onMachine("explain, the hook process and the in-process path agree, host by host", async ({ machine }) => {
    const corpus = ["git push --force origin main", "rm -rf /", "ls -l", "npm publish", "git status"];
    const lines = corpus.map((command) => JSON.stringify({ command })).join("\n");
    await inPool(HOSTS, 2, async (host) => {
      const explained = await machine.run(["explain", "--jsonl", "--host", host.id], { stdin: lines });
      const decisions = explained.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      for (const [index, command] of corpus.entries()) {
        const { payload, event } = shellPayload(host, command, machine.projectDir);
        const ended = await machine.run(["hook", "--host", host.id, "--event", event], {
          stdin: JSON.stringify(payload),
        });
        const spoken: HostAnswer = { stdout: ended.stdout, stderr: ended.stderr, exitCode: ended.code ?? -1 };
        const { reason, decision } = decisions[index];
        const stops = decision === "block" || decision === "ask";
        const firstLine = reason.split("\n")[0];
        expect(says(spoken, firstLine), `${host.id} ${command}`).toBe(stops);
      }
    });
  });

  it("X-12 a plugin's answer is the hook process's answer", async () => {
    for (const host of HOSTS.filter(({ inProcess }) => inProcess)) {
      const { machine, remove } = createMachine();
      const { payload, event } = shellPayload(host, "git push --force origin main", machine.projectDir);
      const ask = asker({ host, cwd: machine.projectDir, distDir });
      const before = { ...process.env };
      Object.assign(process.env, machine.env);
      try {
        const { remarks: _remarks, ...answer } = await ask(payload);
        const ended = await machine.run(["hook", "--host", host.id, "--event", event], {
          stdin: JSON.stringify(payload),
        });
        expect(answer).toMatchObject({ stdout: ended.stdout, stderr: ended.stderr, exitCode: ended.code });
      } finally {
        process.env = before;
        remove();
      }
    }
  });
});

function shellPayload(host: Host, command: string, cwd: string) {
  const event = host.support.pre_tool_use?.native[0] ?? "";
  const sample = { on: "pre_tool_use", native: event, session: "parity", cwd, id: "call" } as const;
  return { payload: host.codec.compose({ ...sample, call: host.probes.shell(command) }) ?? {}, event };
}

const says = ({ stdout, stderr }: HostAnswer, text: string) =>
  text !== "" && (stderr.includes(text) || stdout.includes(JSON.stringify(text).slice(1, -1)));
