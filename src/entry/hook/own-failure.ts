/** Holdfast's own failure: the closed answer of the host, and a notice for the person where one can still be written. */
import { type Environment, placesOf, projectRoot } from "../../config/places.ts";
import type { Host, HostAnswer } from "../../hosts/host.ts";
import { appendRecords } from "../../records/journal.ts";
import { journalOf } from "../engine/journals.ts";
import { PayloadError } from "./payload.ts";

export interface FailedCall {
  readonly host: Host;
  readonly event: string | undefined;
  readonly cwd: string;
}

export function ownFailure(error: unknown, { host, event, cwd }: FailedCall, env: Environment): HostAnswer {
  const { code, message } = described(error);
  recordNotice({ code, message: `${host.title}, ${event ?? "unknown event"}: ${message}` }, host, cwd, env);
  return host.codec.fail(event, message);
}

function described(error: unknown): { code: string; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof PayloadError) return { code: "payload", message: `${message} (${error.code})` };
  return { code: "own-failure", message: `holdfast itself failed: ${message}` };
}

/** Best effort: the answer matters more, and it says the same. */
function recordNotice(notice: { code: string; message: string }, host: Host, cwd: string, env: Environment): void {
  try {
    const places = placesOf(env);
    appendRecords(
      journalOf("notices", { root: projectRoot({ cwd, projectDir: host.projectDir?.(env) }, places) }, places),
      [
        {
          timestamp: new Date().toISOString(),
          host: host.id,
          session: "",
          event_name: "load",
          is_error: true,
          hook: null,
          ...notice,
        },
      ],
    );
  } catch {
    // Said in the answer.
  }
}
