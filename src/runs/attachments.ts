/** Files that belong to a run, for people and agents; hooks have theirs through their answers. */
import { HoldfastError } from "../core/errors.ts";
import { openStaging } from "./files/staging.ts";
import type { AttachmentChanges } from "./mutation.ts";
import type { RunPorts } from "./ports.ts";
import type { Run } from "./run.ts";
import { readRun, versionAfter } from "./update.ts";

/** `cwd`: where relative paths start. */
export async function changeAttachments(
  ports: Pick<RunPorts, "store" | "now">,
  id: string,
  changes: AttachmentChanges,
  cwd: string,
): Promise<Run> {
  for (;;) {
    const run = await readRun(ports, id);
    if (run.isArchived) throw new HoldfastError("HF1023", `run ${id} is archived`);
    const staging = openStaging(ports.store.directoryOf(id), cwd, ports.now);
    try {
      const attachments = await staging.stage(changes, run.attachments);
      const next = versionAfter(run, { ...run, attachments }, ports.now());
      const before = new Set(run.attachments.map((attachment) => attachment.id));
      const added = attachments.filter((attachment) => !before.has(attachment.id)).map((attachment) => attachment.id);
      const data = {
        added,
        replaced: (changes.replace ?? []).map(({ attachmentId }) => attachmentId),
        removed: [...(changes.remove ?? [])],
      };
      const isStored = await ports.store.change(next, {
        events: [{ type: "run.attachments_changed", source: "cli", data }],
        files: staging.filesFor(run.attachments, attachments, run.seed?.attachments),
      });
      if (isStored) return next;
    } finally {
      staging.close();
    }
  }
}
