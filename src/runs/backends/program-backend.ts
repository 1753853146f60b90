/** A host's program as a backend: what differs between them is a row of data. */
import { randomUUID } from "node:crypto";
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { nearest } from "../../core/nearest.ts";
import type { AttemptResult, Backend, Invocation } from "../backend.ts";
import { EFFORTS, type Effort } from "../run.ts";
import { probeProgram } from "./probe.ts";
import { runProgram } from "./program-process.ts";

export interface ProgramRow {
  readonly id: string;
  readonly title: string;
  /** As it is called on the PATH; `backendConfig.command` in an agent names another. */
  readonly command: readonly string[];
  /** What the conformance suite ran. */
  readonly provenVersion: string;
  args(call: ProgramCall): readonly string[];
  /** An effort that is missing cannot be expressed, which is said. */
  readonly efforts: Partial<Readonly<Record<Effort, readonly string[]>>>;
  readonly permissions: { readonly unrestricted: readonly string[]; readonly restricted: readonly string[] };
  /** A new session gets an id of ours, because the program tells its own too late. */
  readonly isSessionOurs?: true;
  /** Variables of a session of the same program around us, which would take this one for a part of it. */
  readonly foreignEnv?: readonly string[];
  /** Set for the program, besides what is inherited. */
  env?(invocation: Invocation): NodeJS.ProcessEnv;
  read(line: JsonObject): Said;
  /** How it says that it does not know the session, and where, if not on standard error. */
  readonly unknownSession: RegExp;
  readonly errorsOn?: "stdout";
}

export interface ProgramCall {
  readonly session: { readonly id: string; readonly isNew: boolean } | null;
  readonly model: string | null;
  /** Effort, permissions and what the agent adds, in this order. */
  readonly more: readonly string[];
  readonly invocation: Invocation;
}

/** What one line of a program's output tells. */
export interface Said {
  readonly session?: string;
  /** Words of the agent. */
  readonly text?: string;
  /** The words go on where the last line's ended. */
  readonly isDelta?: boolean;
  readonly tool?: { readonly name: string; readonly input?: unknown };
  readonly problem?: string;
}

export function programBackend(row: ProgramRow): Backend {
  return {
    id: row.id,
    isPassive: false,
    canResume: true,
    probe: async (env, config = {}) => probeProgram(commandOf(row, config), env),
    invoke: (invocation) => invoke(row, invocation),
  };
}

async function invoke(row: ProgramRow, invocation: Invocation): Promise<AttemptResult> {
  const { prompt, settings, signal, timeoutMs, outputFile, onProgress, onSession } = invocation;
  const command = commandOf(row, settings.backendConfig);
  const session = sessionOf(row, invocation.session);
  for (const remark of inexpressible(row, invocation)) onProgress(remark);
  const listening = listen(row, invocation);
  if (session?.isNew) onSession(session.id);
  const end = await runProgram({
    argv: [
      ...command,
      ...row.args({
        session,
        model: settings.model,
        more: [
          ...((settings.effort && row.efforts[settings.effort]) ?? []),
          ...row.permissions[settings.unrestricted ? "unrestricted" : "restricted"],
          ...settings.backendArgs,
        ],
        invocation,
      }),
    ],
    ...{ cwd: settings.cwd, stdin: prompt, outputFile, timeoutMs, signal },
    env: { ...without(invocation.env, row.foreignEnv ?? []), ...row.env?.(invocation) },
    onLine: listening.hear,
    onRemark: onProgress,
    onProcess: invocation.onProcess,
  });
  const isSessionUnknown =
    invocation.session !== null && end.exitCode !== 0 && row.unknownSession.test(end[row.errorsOn ?? "stderr"]);
  return {
    ...end,
    session: isSessionUnknown ? null : (listening.session() ?? session?.id ?? null),
    transcript: listening.transcript(),
    isSessionUnknown,
  };
}

function sessionOf(row: ProgramRow, earlier: string | null): ProgramCall["session"] {
  if (earlier !== null) return { id: earlier, isNew: false };
  return row.isSessionOurs ? { id: randomUUID(), isNew: true } : null;
}

function listen(row: ProgramRow, { onProgress, onSession, session: earlier }: Invocation) {
  let transcript = "";
  let session: string | undefined;
  let isTextLast = false;
  return {
    hear(line: string) {
      const event = parsed(line);
      if (event === undefined) return;
      const said = row.read(event);
      if (said.session !== undefined && session === undefined) {
        session = said.session;
        if (session !== earlier) onSession(session);
      }
      if (said.text !== undefined && said.text !== "") {
        transcript = said.isDelta && isTextLast ? transcript + said.text : said.text;
        onProgress(said.text);
      }
      if (said.tool) onProgress(`> ${said.tool.name}  ${inputLine(said.tool.input)}`.trimEnd());
      if (said.problem !== undefined) onProgress(`problem: ${said.problem}`);
      isTextLast = said.text !== undefined;
    },
    transcript: () => transcript,
    session: () => session,
  };
}

/** What is not JSON is a word beside the stream: it is in the output file. */
function parsed(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const MAX_INPUT_CHARACTERS = 200;

function inputLine(input: unknown): string {
  if (input === undefined) return "";
  const main = isJsonObject(input) ? (input.command ?? input.cmd ?? input.file_path ?? input.filePath ?? input) : input;
  const text = (typeof main === "string" ? main : JSON.stringify(main)).replaceAll("\n", " ");
  return text.length > MAX_INPUT_CHARACTERS ? `${text.slice(0, MAX_INPUT_CHARACTERS)}…` : text;
}

export function inexpressible({ title, efforts }: ProgramRow, { settings: { effort } }: Invocation): string[] {
  if (!effort || efforts[effort]) return [];
  const known = EFFORTS.filter((name) => efforts[name]);
  return [
    known.length === 0
      ? `${title} has no setting for effort: ${effort} is not passed on`
      : `${title} has no effort ${effort} (it has ${known.join(", ")}): its own default holds`,
  ];
}

const CONFIG_KEYS = ["command"];

/** The program and what must stand before its arguments. */
export function commandOf(row: Pick<ProgramRow, "id" | "command">, config: JsonObject): readonly string[] {
  for (const key of Object.keys(config)) {
    if (CONFIG_KEYS.includes(key)) continue;
    const meant = nearest(key, CONFIG_KEYS);
    throw new HoldfastError("HF1043", `the backend ${row.id} has no setting backendConfig.${key}`, {
      hint: meant ? `did you mean ${meant}?` : `settings: ${CONFIG_KEYS.join(", ")}`,
    });
  }
  const { command } = config;
  if (command === undefined) return row.command;
  const words = typeof command === "string" ? [command] : command;
  const isList = Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === "string" && word);
  if (isList) return words as string[];
  throw new HoldfastError("HF1043", `backendConfig.command of ${row.id} is neither a program nor a list of words`, {
    hint: 'for example backendConfig: { command: ["node", "/path/to/program.js"] }',
  });
}

const without = (env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
