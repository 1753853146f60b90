/** Holdfast inside pi: each event is put to the engine as a payload, and what it answers is done. */
import { failureText } from "../answer-text.ts";
import type { Connect, HostPlugin } from "../plugin.ts";
import { type PiAnswer, type Question, readAnswer } from "./answer.ts";
import type {
  CustomMessage,
  ExtensionApi,
  ExtensionContext,
  Handler,
  PiEventName,
  PiEvents,
  PiResults,
} from "./extension-api.ts";
import { payloadOf } from "./payload.ts";

export const plugin: HostPlugin = (connect) => (pi: ExtensionApi) => {
  const turns = sessionTurns();
  /** Into the session, behind the results of calls that are running; the model reads it with its next request. */
  const tell = (text: string | undefined) => {
    if (text) pi.sendMessage(message(text, false), { triggerTurn: false });
    return undefined;
  };

  /** pi ignores what a handler throws on nearly all events: nothing may be thrown, and `closed` answers for it. */
  function on<E extends PiEventName>(
    name: E,
    obey: (answer: PiAnswer, event: PiEvents[E], context: ExtensionContext) => Obeyed<E>,
    closed: (reason: string, context: ExtensionContext) => PiResults[E] | undefined = () => undefined,
  ): void {
    const handler: Handler<E> = async (event, context) => {
      if (!turns.ours(name, event)) return undefined;
      try {
        return await obey(await asked(connect, name, event, context), event, context);
      } catch (error) {
        const { message: text } = error instanceof Error ? error : new Error(String(error));
        return closed(failureText(`holdfast itself failed: ${text}`, true), context);
      }
    };
    pi.on(name, handler);
  }

  on("session_start", ({ context: text }) => tell(text));
  on("session_shutdown", () => undefined);
  on(
    "input",
    ({ block, context: text }, _event, context) => (block ? refusePrompt(block, context) : tell(text)),
    refusePrompt,
  );

  on(
    "tool_call",
    async ({ block, ask, input, context: text }, event, context) => {
      tell(text);
      const refusal = block ?? (ask && (await refusalOf(ask, context)));
      if (refusal) return { block: true, reason: refusal };
      if (input) replaceFields(event.input, input);
      return undefined;
    },
    (reason) => ({ block: true, reason }),
  );
  on("tool_result", ({ block, content, context: text }, event) => {
    if (block === undefined && content === undefined && text === undefined) return undefined;
    const shown = block === undefined ? (content ?? event.content) : [textPart(block)];
    return { content: text === undefined ? shown : [...shown, textPart(text)] };
  });

  on("agent_before_settle", ({ continue: goOn, halt, context: text }, { entries }, context) => {
    if (goOn) return { continue: true, entries: [...entries, entry(goOn, true)] };
    if (halt) inform(halt, context);
    return {
      ...(halt ? { continue: false } : {}),
      ...(text ? { entries: [...entries, entry(text, false)] } : {}),
    };
  });

  on(
    "session_before_compact",
    ({ block, context: text }, _event, context) => {
      tell(text);
      return block ? refuseCompaction(block, context) : undefined;
    },
    refuseCompaction,
  );
  on("session_compact", ({ context: text }) => tell(text));
};

type Obeyed<E extends PiEventName> = PiResults[E] | undefined | Promise<PiResults[E] | undefined>;

async function asked<E extends PiEventName>(
  connect: Connect,
  name: E,
  event: PiEvents[E],
  context: ExtensionContext,
): Promise<PiAnswer> {
  const said = await connect(context.cwd)(payloadOf(name, event, context));
  const remarks = said.exitCode === 1 ? [...said.remarks, said.stderr] : said.remarks;
  if (context.hasUI) for (const remark of remarks) context.ui.notify(remark, "warning");
  return readAnswer(said);
}

function refusePrompt(reason: string, context: ExtensionContext): PiResults["input"] {
  inform(reason, context);
  return { action: "handled" };
}

function refuseCompaction(reason: string, context: ExtensionContext): PiResults["session_before_compact"] {
  inform(reason, context);
  return { cancel: true };
}

/** What pi itself would stop without a word. Never throws: who is told matters less than that it is stopped. */
function inform(text: string, context: ExtensionContext): void {
  try {
    if (context.hasUI) return context.ui.notify(text, "warning");
  } catch {
    // The session was replaced meanwhile, and its screen with it.
  }
  process.stderr.write(`${text}\n`);
}

/** Asks the person, where there is one; undefined: they said yes. */
async function refusalOf(ask: Question, { hasUI, ui, signal }: ExtensionContext): Promise<string | undefined> {
  if (!hasUI) return ask.unasked;
  const yes = await ui.confirm("Holdfast", ask.question, signal ? { signal } : {});
  return yes === true ? undefined : ask.refused;
}

function replaceFields(input: Record<string, unknown>, fields: Readonly<Record<string, unknown>>): void {
  for (const key of Object.keys(input)) if (!Object.hasOwn(fields, key)) delete input[key];
  Object.assign(input, fields);
}

const message = (content: string, display: boolean): CustomMessage => ({ customType: "holdfast", content, display });
const entry = (content: string, display: boolean) => ({ type: "custom_message", ...message(content, display) });
const textPart = (text: string) => ({ type: "text", text });

/**
 * We may be registered for the project and for the person: pi then loads us twice. Whoever sees the start of a session
 * first serves it. pi hands the same object to both, and has been seen to hand it over twice.
 */
function sessionTurns() {
  const self = {};
  let quiet = false;
  return {
    ours(name: PiEventName, event: object): boolean {
      if (name !== "session_start") return !quiet;
      const owner = claims().get(event);
      if (owner === undefined) claims().set(event, self);
      quiet = owner !== undefined && owner !== self;
      return owner === undefined;
    },
  };
}

const CLAIMS = Symbol.for("holdfast.pi.sessions");

/** Shared by all copies of us in one process. */
function claims(): WeakMap<object, object> {
  const shared = globalThis as { [CLAIMS]?: WeakMap<object, object> };
  shared[CLAIMS] ??= new WeakMap();
  return shared[CLAIMS];
}
