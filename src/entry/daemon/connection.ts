/** One call of a client, from its request to the answer. Nothing is recorded before the client can know that it will be. */
import type { Socket } from "node:net";
import type { EngineSource } from "../../engine/answer.ts";
import type { Engines } from "../../engine/kept-engines.ts";
import type { HostAnswer } from "../../hosts/host.ts";
import type { AppendSoon } from "../../records/journal.ts";
import {
  type Call,
  chosenHost,
  failedAnswerSoon,
  given,
  type JudgedCall,
  judgeHostCall,
  silenceOf,
  TooHeavy,
} from "../hook/call.ts";
import { Ending } from "../hook/ending.ts";
import { parsePayload } from "../hook/payload.ts";
import type { Arrivals, Moment } from "./arrivals.ts";
import { isHeavy } from "./call-weight.ts";
import type { Patience } from "./patience.ts";
import { answer, declined, declinedAsLarge, type Request, RequestReader } from "./protocol.ts";
import { Telling } from "./telling.ts";
import type { WarmUp } from "./warm-up.ts";

export interface Serving {
  readonly distDir: string;
  readonly engineAt: Engines["engineAt"];
  /** That a call of somebody's is judged. */
  readonly countCall: () => void;
  readonly append: AppendSoon;
  readonly patience: Patience;
  readonly arrivals: Arrivals;
  readonly warming: WarmUp;
  /** true: the daemon is going away and takes no more calls. */
  readonly isClosing: () => boolean;
  /** For a person who asks. */
  readonly status: () => string;
  readonly stop: () => void;
}

/** Resolves when the connection is closed. Never rejects: a client that is left without an answer decides by itself. */
export async function serveConnection(socket: Socket, serving: Serving): Promise<void> {
  const gone = new Ending();
  const { patience, arrivals } = serving;
  const closed = new Promise<void>((resolve) => gone.whenOver(resolve));
  // What follows it is the close.
  socket.on("error", () => {});
  socket.on("close", () => gone.end());
  patience.begin(socket);
  arrivals.connected();
  const request = await requestOf(socket, gone);
  arrivals.arrived();
  patience.end(socket);
  if (request && !gone.isOver) await converse(request, socket, serving, gone);
  else socket.destroy();
  if (!gone.isOver) {
    patience.begin(socket);
    await closed;
  }
  patience.end(socket);
}

async function converse(request: Request, socket: Socket, serving: Serving, gone: Ending): Promise<void> {
  if (serving.isClosing()) return void socket.end(declined());
  const [word] = request.argv;
  if (word === "status" || word === "stop") {
    if (word === "stop") serving.stop();
    return void socket.end(answer(0, serving.status(), ""));
  }
  const moment = await serving.arrivals.join(request.payload.length);
  const telling = new Telling(socket);
  const call = await judge(request, moment, telling, serving, gone);
  telling.judgingIsOver();
  if (!call) return void socket.end(declinedAsLarge());
  try {
    if (gone.isOver || !(await telling.claim())) return void socket.destroy();
    const { exitCode, stdout, stderr } = await call.record();
    telling.conclude(answer(exitCode, stdout, stderr));
  } catch {
    // Without an answer the client decides by itself, and looks whether the call is recorded.
    socket.destroy();
  } finally {
    await call.close();
  }
}

/** undefined: it went away, or said what is none. What it says after its request is not even kept. */
function requestOf(socket: Socket, gone: Ending): Promise<Request | undefined> {
  const reader = new RequestReader();
  let isRead = false;
  return new Promise((resolve) => {
    socket.on("data", (chunk) => {
      if (isRead) return;
      try {
        const request = reader.feed(chunk);
        if (!request) return;
        isRead = true;
        resolve(request);
      } catch {
        isRead = true;
        resolve(undefined);
      }
    });
    gone.whenOver(() => resolve(undefined));
  });
}

type Chosen = ReturnType<typeof chosenHost>;
const chosen = new WeakMap<readonly string[], Chosen>();

/** The calls of a session come with the same words, known by their identity. */
function hostChosenBy(argv: readonly string[]): Chosen {
  const known = chosen.get(argv);
  if (known) return known;
  const found = chosenHost(argv.slice(1));
  chosen.set(argv, found);
  return found;
}

/** Should the daemon die on a call, the client has to notice it and start Node, all within the host's time. */
const RESERVE_MS = 4_000;

/** Until it is known how long the judging may take, the client is promised this. */
const UNKNOWN_MS = 5_000;

/** undefined: it would hold up the others. */
async function judge(
  request: Request,
  moment: Moment,
  telling: Telling,
  serving: Serving,
  ending: Ending,
): Promise<JudgedCall | undefined> {
  const { argv, env, cwd, id } = request;
  const chosen = hostChosenBy(argv);
  const answeredAtOnce = (spoken: HostAnswer): JudgedCall => {
    telling.accept(UNKNOWN_MS);
    return given(spoken);
  };
  if (env.HOLDFAST_INTERNAL === "1") return answeredAtOnce(silenceOf("host" in chosen ? chosen.host : undefined));
  if ("answer" in chosen) return answeredAtOnce(chosen.answer);
  const call: Call = { host: chosen.host, event: chosen.event, cwd };
  const { warming } = serving;
  const isMadeUp = warming.isMadeUp(request);
  const engineAt: EngineSource = (place, variables, distDir, projectDir) => {
    const found = serving.engineAt(place, variables, distDir, projectDir, moment);
    return isMadeUp || !warming.isDone() ? found.then((engine) => warming.engineFor(request, engine)) : found;
  };
  if (!isMadeUp) serving.countCall();
  try {
    const judgedCall = await judgeHostCall(call, parsePayload([request.payload]), {
      id,
      at: new Date().toISOString(),
      env,
      distDir: serving.distDir,
      ending,
      // Its close may have come in this very turn of the event loop: the kernel knows before we are told.
      isAwaited: () => !ending.isOver && telling.isHeard(),
      elapsedMs: 0,
      engineAt,
      reserveMs: RESERVE_MS,
      onDeadline: (milliseconds) => telling.accept(milliseconds),
      isTooHeavy: isHeavy,
    });
    // A call that another registration answers has no deadline to be told.
    telling.accept(UNKNOWN_MS);
    return judgedCall;
  } catch (error) {
    if (error instanceof TooHeavy) return undefined;
    telling.accept(UNKNOWN_MS);
    if (isMadeUp) return given(silenceOf(call.host));
    // It leaves a notice, so it too is recorded only once it is ours.
    return { record: () => failedAnswerSoon(error, call, env, serving.append), close: async () => {} };
  }
}
