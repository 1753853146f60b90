/** One call of a client, from its request to the answer. Nothing is recorded before the client can know that it will be. */
import type { Socket } from "node:net";
import type { EngineSource } from "../../engine/answer.ts";
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
import { isHeavy } from "./call-weight.ts";
import { closed, within } from "./patience.ts";
import {
  accepted,
  answer,
  declined,
  declinedAsLarge,
  judged,
  judging,
  type Request,
  RequestReader,
} from "./protocol.ts";
import type { WarmUp } from "./warm-up.ts";

export interface Serving {
  readonly distDir: string;
  readonly engineAt: EngineSource;
  readonly append: AppendSoon;
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
  socket.on("error", () => gone.end());
  socket.on("close", () => gone.end());
  await converse(socket, serving, gone);
  await closed(socket);
}

async function converse(socket: Socket, serving: Serving, gone: Ending): Promise<void> {
  const request = await within(requestOf(socket, gone), undefined);
  if (!request || gone.isOver) return void socket.destroy();
  if (serving.isClosing()) return void socket.end(declined());
  const [word] = request.argv;
  if (word === "status" || word === "stop") {
    if (word === "stop") serving.stop();
    return void socket.end(answer(0, serving.status(), ""));
  }
  const call = await judge(request, socket, serving, gone);
  if (!call) return void socket.end(declinedAsLarge());
  try {
    if (gone.isOver || !(await claimed(socket))) return void socket.destroy();
    const { exitCode, stdout, stderr } = await call.record();
    socket.end(answer(exitCode, stdout, stderr));
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

/**
 * Says JUDGED, which makes the call ours to record. A client that gives up shuts its end for reading: then this fails,
 * or the client finds the word. So one of us records the call, and both know who.
 */
function claimed(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.write(judged(), (error) => resolve(!error));
    socket.uncork();
  });
}

/** Should the daemon die on a call, the client has to notice it and start Node, all within the host's time. */
const RESERVE_MS = 4_000;

/** Until it is known how long the judging may take, the client is promised this. */
const UNKNOWN_MS = 5_000;

/** A client takes one that is silent three times as long for hung. */
const SIGN_OF_LIFE_MS = 1_000;

/** undefined: it would hold up the others. */
async function judge(
  request: Request,
  socket: Socket,
  serving: Serving,
  ending: Ending,
): Promise<JudgedCall | undefined> {
  const { argv, env, cwd, id } = request;
  const chosen = chosenHost(argv.slice(1));
  let told = false;
  let alive: NodeJS.Timeout | undefined;
  const tell = (milliseconds: number) => {
    if (told) return;
    told = true;
    // Sent with the judgement if that comes at once: every message wakes the client up.
    socket.cork();
    socket.write(accepted(milliseconds));
    setImmediate(() => socket.uncork());
  };
  if (env.HOLDFAST_INTERNAL === "1") return answeredAtOnce(silenceOf("host" in chosen ? chosen.host : undefined), tell);
  if ("answer" in chosen) return answeredAtOnce(chosen.answer, tell);
  const call: Call = { ...chosen, cwd };
  const engineAt: EngineSource = async (...place) => {
    const rehearsing = serving.warming.engineFor(env);
    if (rehearsing) return rehearsing;
    const engine = await serving.engineAt(...place);
    serving.warming.noteCall(request, engine);
    return engine;
  };
  try {
    const judgedCall = await judgeHostCall(call, parsePayload([request.payload]), {
      id,
      at: new Date().toISOString(),
      env,
      distDir: serving.distDir,
      ending,
      elapsedMs: 0,
      engineAt,
      reserveMs: RESERVE_MS,
      onDeadline(milliseconds) {
        tell(milliseconds);
        alive = setInterval(() => socket.write(judging()), SIGN_OF_LIFE_MS);
      },
      isTooHeavy: isHeavy,
    });
    // A call that another registration answers has no deadline to be told.
    tell(UNKNOWN_MS);
    return judgedCall;
  } catch (error) {
    if (error instanceof TooHeavy) return undefined;
    tell(UNKNOWN_MS);
    // It leaves a notice, so it too is recorded only once it is ours.
    return { record: () => failedAnswerSoon(error, call, env, serving.append), close: async () => {} };
  } finally {
    clearInterval(alive);
  }
}

function answeredAtOnce(spoken: HostAnswer, tell: (milliseconds: number) => void): JudgedCall {
  tell(UNKNOWN_MS);
  return given(spoken);
}
