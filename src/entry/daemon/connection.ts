/** One call of a client, from its request to the answer. Nothing is recorded before the client has said go. */
import type { Socket } from "node:net";
import type { HostAnswer } from "../../hosts/host.ts";
import type { AppendSoon } from "../../records/journal.ts";
import type { EngineSource } from "../engine/answer.ts";
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
import { parsePayload } from "../hook/payload.ts";
import { isHeavy } from "./call-weight.ts";
import { accepted, answer, declined, declinedAsLarge, GO, judged, type Request, RequestReader } from "./protocol.ts";

export interface Serving {
  readonly distDir: string;
  readonly engineAt: EngineSource;
  readonly append: AppendSoon;
  /** true: the daemon is going away and takes no more calls. */
  readonly isClosing: () => boolean;
  /** For a person who asks. */
  readonly status: () => string;
  readonly stop: () => void;
}

/** Resolves when the connection is over. Never rejects: a client that is left without an answer decides by itself. */
export async function serveConnection(socket: Socket, serving: Serving): Promise<void> {
  const gone = new AbortController();
  const said = goOf(socket, gone);
  socket.on("error", () => gone.abort());
  socket.on("close", () => gone.abort());
  const request = await said.request;
  if (!request || gone.signal.aborted) return void socket.destroy();
  if (serving.isClosing()) return void socket.end(declined());
  const [word] = request.argv;
  if (word === "status" || word === "stop") {
    if (word === "stop") serving.stop();
    return void socket.end(answer(0, serving.status(), ""));
  }
  const call = await judge(request, socket, serving, gone.signal);
  if (!call) return void socket.end(declinedAsLarge());
  try {
    if (gone.signal.aborted) return;
    socket.write(judged());
    if (!(await said.go)) return;
    const { exitCode, stdout, stderr } = await call.record();
    socket.end(answer(exitCode, stdout, stderr));
  } catch {
    // Without an answer the client decides by itself, and looks whether the call is recorded.
    socket.destroy();
  } finally {
    await call.close();
  }
}

/** The request, and after it whether the client said go. */
function goOf(socket: Socket, gone: AbortController) {
  const reader = new RequestReader();
  const request = promised<Request | undefined>();
  const go = promised<boolean>();
  let isRead = false;
  let words = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    try {
      const found = isRead ? undefined : reader.feed(chunk);
      if (found) request.resolve(found.request);
      if (isRead || found) words = Buffer.concat([words, found ? found.rest : chunk]);
      isRead ||= found !== undefined;
      if (words.length >= 4) go.resolve(words.readUInt32LE(0) === GO);
    } catch {
      request.resolve(undefined);
    }
  });
  gone.signal.addEventListener("abort", () => {
    request.resolve(undefined);
    go.resolve(false);
  });
  return { request: request.promise, go: go.promise };
}

function promised<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Should the daemon die on a call, the client has to notice it and start Node, all within the host's time. */
const RESERVE_MS = 4_000;

/** Until it is known how long the judging may take, the client is promised this. */
const UNKNOWN_MS = 5_000;

/** undefined: it would hold up the others. */
async function judge(
  request: Request,
  socket: Socket,
  serving: Serving,
  ended: AbortSignal,
): Promise<JudgedCall | undefined> {
  const { argv, env, cwd, id } = request;
  const chosen = chosenHost(argv.slice(1));
  let told = false;
  const tell = (milliseconds: number) => {
    if (!told) socket.write(accepted(milliseconds));
    told = true;
  };
  if (env.HOLDFAST_INTERNAL === "1") return answeredAtOnce(silenceOf("host" in chosen ? chosen.host : undefined), tell);
  if ("answer" in chosen) return answeredAtOnce(chosen.answer, tell);
  const call: Call = { ...chosen, cwd };
  try {
    return await judgeHostCall(call, parsePayload([request.payload]), {
      id,
      at: new Date().toISOString(),
      env,
      distDir: serving.distDir,
      ended,
      elapsedMs: 0,
      engineAt: serving.engineAt,
      reserveMs: RESERVE_MS,
      onDeadline: tell,
      isTooHeavy: isHeavy,
    });
  } catch (error) {
    if (error instanceof TooHeavy) return undefined;
    tell(UNKNOWN_MS);
    // It leaves a notice, so it too waits for the client's word.
    return { record: () => failedAnswerSoon(error, call, env, serving.append), close: async () => {} };
  }
}

function answeredAtOnce(spoken: HostAnswer, tell: (milliseconds: number) => void): JudgedCall {
  tell(UNKNOWN_MS);
  return given(spoken);
}
