/** Holdfast inside a program of one's own: the rules that guard a coding agent guard the agent people ship, unchanged. */
import { join, resolve } from "node:path";
import type { Approval } from "../approvals/approval.ts";
import type { Desk } from "../approvals/desk.ts";
import { type Environment, placesOf } from "../config/places.ts";
import { inOrder } from "../core/hook.ts";
import { isPartOf } from "../core/session-tree.ts";
import type { AwaitingConfirmation, OnAwaiting } from "../engine/awaiting-confirmation.ts";
import { journalOf } from "../engine/journals.ts";
import { keptDesks } from "../engine/kept-desks.ts";
import { keptEngines } from "../engine/kept-engines.ts";
import { loadRegex } from "../engine/lazy.ts";
import type { NoticeRecord } from "../engine/perform.ts";
import type { ReadyEngine } from "../engine/ready.ts";
import { keptTails } from "../records/kept-tails.ts";
import { leasedAppends } from "../records/leased-append.ts";
import { readRecords } from "../records/read.ts";
import type { ReadRecord } from "../records/read-record.ts";
import { assertOptions } from "./checked-options.ts";
import { type CodeHook, codeHooks, needsRegex } from "./code-hooks.ts";
import { type EngineHost, judgeEvent, recordAnswer } from "./engine-host.ts";
import { putQuestions } from "./put-questions.ts";
import { Session, type SessionOptions } from "./session.ts";
import type { PersonAnswer, Question } from "./tool-call.ts";
import { callMetadata, type ToolDescriptions, toolReader } from "./tools.ts";
import { UnderWay } from "./under-way.ts";

export type { AwaitingConfirmation, Desk, NoticeRecord };

export interface HoldfastOptions {
  /** How rules (`hosts:`) and records call this agent. */
  readonly host?: string;
  /** Where the agent works: rules are looked for here and above. */
  readonly cwd?: string;
  /** As it is now: what becomes of it later changes no rule. */
  readonly env?: Environment;
  /** What the agent's tools do. Tools that are not here are of kind "other". */
  readonly tools?: ToolDescriptions;
  /** Hooks in code, besides those of the config. */
  readonly hooks?: readonly CodeHook[];
  /** Asks a person. Without it, what would be asked is blocked. */
  readonly ask?: (question: Question) => Promise<PersonAnswer> | PersonAnswer;
  /** Hears that a call waits for people, as it happens; whether anybody hears it changes nothing. */
  readonly onAwaitingConfirmation?: OnAwaiting;
  /** Where approvals are kept, instead of where the config says. */
  readonly desk?: Desk;
  /** Hears of every hook that misbehaved, as it happens; they are kept too (`holdfast notices`). */
  readonly onNotice?: (notice: NoticeRecord) => void;
  /** Hears of what stops nothing but should be known: a record that could not be written. Default: standard error. */
  readonly onRemark?: (remark: string) => void;
  /** How often hooks may continue one turn; 1 unless it is said. */
  readonly maxContinuations?: number;
  /** Of Holdfast itself, where it is not loaded from its package. */
  readonly distDir?: string;
}

export interface Holdfast {
  session(options?: SessionOptions): Session;
  /** Until people have decided about an approval, or `signal`: how it stands then. Undefined: there is no such approval. */
  settled(approval: string, signal?: AbortSignal): Promise<Approval["status"] | undefined>;
  /** What was noticed about hooks in a session and those of its sub-agents, from the records. */
  notices(session: string): Promise<readonly NoticeRecord[]>;
  /**
   * Waits for hooks that are being asked, but five seconds at most, and not for people. What a call that still runs has
   * to ask and to record later is asked and recorded.
   */
  close(): Promise<void>;
}

const CLOSE_MS = 5_000;
const HERE = join(import.meta.dirname, "..");

export async function createHoldfast(options: HoldfastOptions = {}): Promise<Holdfast> {
  assertOptions(options);
  const { host = "embedded", hooks = [], ask, onNotice = () => {}, onRemark = toStandardError } = options;
  const cwd = resolve(options.cwd ?? process.cwd());
  // A copy: engines and plans are kept by its identity, and a program may change its own in place.
  const env = { ...(options.env ?? process.env) };
  const distDir = options.distDir ?? HERE;
  const tails = keptTails();
  const appends = leasedAppends(tails.wrote);
  const desks = keptDesks();
  const { desk, onAwaitingConfirmation } = options;
  const engines = keptEngines({
    append: appends.append,
    newestFirst: tails.newestFirst,
    desks: desk ? async () => desk : desks.deskAt,
  });
  const regex = needsRegex(hooks) ? await loadRegex() : undefined;
  const descriptions = options.tools ?? {};
  const tools = toolReader(descriptions);
  const together = new WeakMap<ReadyEngine["hooks"], ReadyEngine["hooks"]>();

  const engineAt = async (): Promise<ReadyEngine> => {
    const engine = await engines.engineAt(cwd, env, distDir, undefined);
    if (hooks.length === 0) return engine;
    const all = together.get(engine.hooks) ?? inOrder([...engine.hooks, ...codeHooks(hooks, regex, engine.machine)]);
    together.set(engine.hooks, all);
    return { ...engine, hooks: all };
  };
  // A config that cannot be read is a reason not to start, not one to run without rules.
  await (await engineAt()).close();

  const { maxContinuations } = options;
  // Named one by one: a copy of an object made for each call is slow to make, and to read.
  const setupWith = (onAwaiting?: OnAwaiting) => ({
    id: host,
    tools,
    engineAt,
    onNotice,
    onRemark,
    maxContinuations,
    onAwaiting,
  });
  let isClosed = false;
  const letGo = async () => {
    await engines.close();
    await desks.close();
    appends.close();
    tails.close();
  };
  // What comes, or ends, after the close leaves nothing open either.
  const underWay = new UnderWay(() => {
    if (isClosed) letGo().catch((error) => onRemark(`what was left open cannot be closed: ${error}`));
  });
  const during = <T>(begin: (onAwaiting: OnAwaiting) => Promise<T>): Promise<T> =>
    underWay.during((waits) =>
      begin((waiting) => {
        waits();
        return onAwaitingConfirmation?.(waiting);
      }),
    );
  const engineHost: EngineHost = {
    id: host,
    cwd,
    tools,
    ...(ask ? { ask } : {}),
    questions: putQuestions(placesOf(env), host),
    metadataOf: (name, input, signal) => callMetadata(descriptions, name, input, signal),
    judge: (event, how = {}) => during((onAwaiting) => judgeEvent(event, setupWith(onAwaiting), how)),
    recordAnswer: (event, answer) => during(() => recordAnswer(event, answer, setupWith())),
  };
  return {
    session: (given = {}) => new Session(engineHost, given),
    async settled(approval, signal = new AbortController().signal) {
      const engine = await engineAt();
      try {
        const found = await (await engine.desk()).until(approval, ({ status }) => status !== "pending", signal);
        return found?.status;
      } finally {
        await engine.close();
      }
    },
    async notices(session) {
      const { plan, places, close } = await engineAt();
      await close();
      const filter = (record: ReadRecord) => record.host === host && isPartOf(String(record.session), session);
      const found: NoticeRecord[] = [];
      for await (const record of readRecords(journalOf("notices", plan, places), { filter })) {
        found.push(record as unknown as NoticeRecord);
      }
      return found;
    },
    async close() {
      await underWay.over(CLOSE_MS);
      isClosed = true;
      await letGo();
    },
  };
}

const toStandardError = (remark: string) => void process.stderr.write(`holdfast: ${remark}\n`);
