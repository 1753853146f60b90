/** Capture: one log per session, refreshed at the end of every turn, before a compaction, and at the end. No model is asked. */
import { HoldfastError } from "../../core/errors.ts";
import type { EventName } from "../../core/event.ts";
import { HookFailure } from "../../core/failure.ts";
import { NO_OPINION } from "../../core/verdict.ts";
import { knowledgePlaces } from "../places.ts";
import type { Role } from "../role.ts";
import { knowledgeSettings } from "../settings.ts";
import { captureSession } from "./capture.ts";

const MOMENTS: readonly EventName[] = ["stop", "session_end", "pre_compaction"];
type Moment = "stop" | "session_end" | "pre_compaction";

export const capture: Role = async (event, { now, signal }, setting) => {
  // A sub-agent's end is not the session's: what it found is told to whoever asked it.
  if (!MOMENTS.includes(event.name) || event.agent !== null) return NO_OPINION;
  const places = knowledgePlaces(setting.root);
  try {
    const { remarks } = await captureSession({
      ...{ host: event.host, session: event.session, transcriptPath: event.transcriptPath },
      ...{ by: event.name as Moment, now, signal, places },
      ...{ homeDir: setting.homeDir, env: setting.env, takeLock: setting.takeLock },
      secrets: knowledgeSettings(setting.section).secrets,
    });
    return remarks.length === 0
      ? NO_OPINION
      : { ...NO_OPINION, effects: remarks.map((text) => notice(event.name, text)) };
  } catch (error) {
    throw new HookFailure(
      "crash",
      `this session was not captured for knowledge: ${reasonOf(error, places.sessionsDir)}`,
    );
  }
};

const notice = (event: EventName, message: string) => ({
  type: "notice" as const,
  notice: { event_name: event, message, is_error: false, code: "knowledge-capture", hook: "knowledge-capture" },
});

const UNWRITABLE = ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOTDIR"];

function reasonOf(error: unknown, folder: string): string {
  if (error instanceof HoldfastError) return `${error.code} ${error.message}. ${error.fix}`;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && UNWRITABLE.includes(code)) {
    const { fix } = new HoldfastError("HF1124", message);
    return `HF1124 nothing can be written in ${folder} (${message}). ${fix}`;
  }
  return message;
}
