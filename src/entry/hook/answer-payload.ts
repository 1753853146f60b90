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
}

export async function answerPayload(
  call: Call,
  payload: JsonObject,
  { env, distDir, ending }: OwnProcess,
): Promise<HostAnswer> {
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
  const answer = await judged.record();
  await judged.close();
  return answer;
}
