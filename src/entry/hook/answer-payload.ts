/** From a payload to its answer, in a process that is there for this one call. */
import { randomBytes } from "node:crypto";
import type { JsonObject } from "../../core/json.ts";
import type { HostAnswer } from "../../hosts/host.ts";
import { type Call, judgeHostCall } from "./call.ts";
import { hostEnvironment } from "./client-variables.ts";
import type { Ending } from "./ending.ts";

export interface OwnProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly distDir: string;
  readonly ending: Ending;
  /** Something failed outside the call, and was the answer. */
  readonly isAnswered: () => boolean;
}

/** Undefined: it was answered meanwhile, and what was decided is no record of what happened. */
export async function answerPayload(
  call: Call,
  payload: JsonObject,
  { env, distDir, ending, isAnswered }: OwnProcess,
): Promise<HostAnswer | undefined> {
  const { host, id, isGranted, elapsedMs } = hostEnvironment(env);
  const judged = await judgeHostCall(call, payload, {
    id: id ?? randomBytes(16).toString("hex"),
    at: new Date().toISOString(),
    env: host,
    distDir,
    ending,
    elapsedMs: process.uptime() * 1000 + elapsedMs,
    maybeRecorded: isGranted,
  });
  const answer = isAnswered() ? undefined : await judged.record();
  await judged.close();
  return answer;
}
