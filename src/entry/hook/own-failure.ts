/** Holdfast's own failure: the closed answer of the host, and a notice for the person where one can still be written. */
import { type Environment, placesOf, projectRoot } from "../../config/places.ts";
import { journalOf } from "../../engine/journals.ts";
import type { Host, HostAnswer } from "../../hosts/host.ts";
import { type Append, type AppendSoon, appendRecords } from "../../records/journal.ts";
import { PayloadError } from "./payload.ts";

export interface FailedCall {
  readonly host: Host;
  readonly event: string | undefined;
  readonly cwd: string;
}

/** Records at once: who failed may not come to it later. */
export function ownFailure(error: unknown, failed: FailedCall, env: Environment): HostAnswer {
  try {
    appendRecords(...noticeOf(error, failed, env));
  } catch {
    // Best effort: the answer matters more, and it says the same.
  }
  return closedAnswer(error, failed);
}

export async function ownFailureSoon(
  error: unknown,
  failed: FailedCall,
  env: Environment,
  append: AppendSoon,
): Promise<HostAnswer> {
  try {
    await append(...noticeOf(error, failed, env));
  } catch {
    // As above.
  }
  return closedAnswer(error, failed);
}

const closedAnswer = (error: unknown, { host, event }: FailedCall) => host.codec.fail(event, described(error).message);

function described(error: unknown): { code: string; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof PayloadError) return { code: "payload", message: `${message} (${error.code})` };
  return { code: "own-failure", message: `holdfast itself failed: ${message}` };
}

function noticeOf(error: unknown, { host, event, cwd }: FailedCall, env: Environment): Parameters<Append> {
  const { code, message } = described(error);
  const places = placesOf(env);
  const root = projectRoot({ cwd, projectDir: host.projectDir?.(env) }, places);
  const notice = {
    timestamp: new Date().toISOString(),
    host: host.id,
    session: "",
    event_name: "load",
    is_error: true,
    hook: null,
    code,
    message: `${host.title}, ${event ?? "unknown event"}: ${message}`,
  };
  return [journalOf("notices", { root }, places), [notice]];
}
