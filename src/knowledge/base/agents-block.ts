/** The block in AGENTS.md that tells agents without our hooks where knowledge is. What stands around it is people's. */
import { HoldfastError } from "../../core/errors.ts";

const START = "<!-- >>> holdfast:knowledge >>> -->";
const END = "<!-- <<< holdfast:knowledge <<< -->";

const CONTENT = `${START}
## What this project knows

Facts and conventions that earlier work taught are in \`.holdfast/knowledge/\`. Read \`.holdfast/knowledge/ENTRY.md\` before
you begin and follow the links that fit the task. Check what a node says against the code. Write nothing there by hand:
\`holdfast knowledge add --propose\` proposes, and people review it.
${END}`;

export type BlockState = "absent" | "current" | "outdated" | "damaged";

export function blockState(text: string | undefined): BlockState {
  const place = placeIn(text ?? "");
  if (place === "damaged" || place === "absent") return place;
  return place.inner.replaceAll("\r\n", "\n") === CONTENT ? "current" : "outdated";
}

/** Once, in its old place if it has one. */
export function withBlock(text: string | undefined): string {
  const old = text ?? "";
  const place = placeIn(old);
  if (place === "damaged") {
    throw new HoldfastError("HF1109", "the block of holdfast has a beginning or an end too many", {
      hint: `leave one line ${START} and one line ${END} behind it, or neither`,
    });
  }
  if (place !== "absent") return `${place.before}${CONTENT}${place.after}`;
  if (old.trim() === "") return `${CONTENT}\n`;
  return `${old.endsWith("\n") ? old : `${old}\n`}\n${CONTENT}\n`;
}

/** Undefined: nothing else was in the file. */
export function withoutBlock(text: string): string | undefined {
  const place = placeIn(text);
  if (place === "damaged" || place === "absent") return text;
  const rest = `${place.before.replace(/\n\n$/, "\n")}${place.after.replace(/^\r?\n/, "")}`;
  return rest.trim() === "" ? undefined : rest;
}

function placeIn(text: string): "absent" | "damaged" | { before: string; inner: string; after: string } {
  const start = text.indexOf(START);
  const end = text.indexOf(END);
  if (start < 0 && end < 0) return "absent";
  const isOnce = start === text.lastIndexOf(START) && end === text.lastIndexOf(END);
  if (start < 0 || end < start || !isOnce) return "damaged";
  const stop = end + END.length;
  return { before: text.slice(0, start), inner: text.slice(start, stop), after: text.slice(stop) };
}
