/** The engine inside a host's own process: one question per call, answered as the hook process would. */
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { JsonObject } from "../../core/json.ts";
import { answerNative } from "../../engine/answer.ts";
import { keptEngines } from "../../engine/kept-engines.ts";
import type { Host } from "../../hosts/host.ts";
import type { Ask, Asked } from "../../hosts/plugin.ts";
import { beforeDeadline, deadlinesOf } from "../hook/deadline.ts";
import { ownFailure } from "../hook/own-failure.ts";
import { askNow } from "./ask-now.ts";
import { standingEnvironment } from "./standing-environment.ts";

export interface AskSetting {
  readonly host: Host;
  /** Where the session stands, where a payload does not say. */
  readonly cwd: string;
  readonly distDir: string;
}

export function asker(setting: AskSetting): Ask {
  return Object.assign(inProcess(setting), { now: (payload: JsonObject) => askNow(setting, payload) });
}

/** Of all sessions in this process: a module hook's worker lives as long as its engine. */
const { engineAt } = keptEngines();

function inProcess({ host, cwd, distDir }: AskSetting) {
  return async (payload: JsonObject): Promise<Asked> => {
    // Law 11: a process that Holdfast starts for itself is not judged by Holdfast.
    if (process.env.HOLDFAST_INTERNAL === "1") return { stdout: "", stderr: "", exitCode: 0, remarks: [] };
    const env = standingEnvironment();
    const event = typeof payload.hook_event_name === "string" ? payload.hook_event_name : undefined;
    let isGivenUp = false;
    const isAwaited = () => !isGivenUp;
    const standing = typeof payload.cwd === "string" && payload.cwd !== "" ? resolve(cwd, payload.cwd) : cwd;
    try {
      const moment = { id: randomUUID(), at: new Date().toISOString(), env, cwd: standing };
      const native = host.codec.parse(payload, moment);
      const { answer, remarks } = await beforeDeadline(
        deadlinesOf(host, native.event),
        (abort) => answerNative(host, native, { cwd: standing, distDir, env, abort, engineAt, isAwaited }),
        0,
      );
      return { ...answer, remarks };
    } catch (error) {
      isGivenUp = true;
      return { ...ownFailure(error, { host, event, cwd: standing }, env), remarks: [] };
    }
  };
}
