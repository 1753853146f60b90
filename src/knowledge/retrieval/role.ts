/** Prompt context: the nodes a prompt is about. The prompt is looked at and forgotten. */
import { isAbsolute, relative } from "node:path";
import type { Effect } from "../../core/effect.ts";
import { type ErrorCode, HoldfastError } from "../../core/errors.ts";
import { NO_OPINION } from "../../core/verdict.ts";
import { knowledgePlaces } from "../places.ts";
import type { Role } from "../role.ts";
import { knowledgeSettings } from "../settings.ts";
import { contextBlock } from "./context-block.ts";
import { keptIndex, searchIndexFile } from "./kept-index.ts";
import { nodesForPrompt } from "./search.ts";

export const promptContext: Role = async (event, _context, { root, section }) => {
  const limits = knowledgeSettings(section).promptContext;
  if (event.name !== "user_prompt_submit" || !limits.enabled) return NO_OPINION;
  const places = knowledgePlaces(root);
  const { found, problems, notKept } = await nodesForPrompt(event.prompt, places);
  const block = contextBlock(found, fromWhereTheSessionIs(places.nodesDir, event.cwd), limits);
  // It says nothing to anybody; what it cannot do, the next prompt does, and tells.
  setImmediate(
    () =>
      void keptIndex(places)
        .afterAnswer()
        .catch(() => undefined),
  );
  const effects = [
    ...problems.slice(0, MAX_TOLD).map(({ path, message }) => notice("HF1141", `${path} ${message}`)),
    ...(problems.length > MAX_TOLD
      ? [notice("HF1141", `${problems.length - MAX_TOLD} more nodes cannot be read`)]
      : []),
    ...(notKept === undefined ? [] : [notice("HF1142", `${searchIndexFile(places)}: ${notKept}`)]),
  ];
  if (block === undefined && effects.length === 0) return NO_OPINION;
  return {
    opinion: { kind: "none" },
    ...(block === undefined ? {} : { context: [block] }),
    ...(effects.length === 0 ? {} : { effects }),
  };
};

/** A base that is broken all over is a matter for lint, not for a page of notices. */
const MAX_TOLD = 3;

/** The agent opens what it is told from where it stands, which may be below the project's root. */
function fromWhereTheSessionIs(nodesDir: string, cwd: string): string {
  const path = isAbsolute(cwd) ? relative(cwd, nodesDir) : nodesDir;
  return path.replaceAll("\\", "/");
}

function notice(code: ErrorCode, message: string): Effect {
  const { fix } = new HoldfastError(code, message);
  return {
    type: "notice",
    notice: {
      event_name: "user_prompt_submit",
      message: `${code} ${message}. ${fix}`,
      is_error: true,
      code,
      hook: "knowledge-prompt-context",
    },
  };
}
