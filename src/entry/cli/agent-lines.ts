/** What the agent does, as lines for a person who watches. */
import type { StreamEvent } from "../../agent/stream-event.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Output } from "./output.ts";

const MAX_OUTPUT_LINES = 8;
const MAX_WIDTH = 160;

export function linesOf(event: StreamEvent, { paint }: Output): string[] {
  const who = event.agent === null ? "" : paint("magenta", `[${event.agent}] `);
  const line = (text: string) => [`${who}${text}`];
  switch (event.type) {
    case "assistant":
      return line(event.text);
    case "tool_started":
      return line(`${paint("cyan", `> ${event.name}`)}  ${short(inputOf(event.input))}`);
    case "tool_finished":
      return excerpt(event.output).map((text) => `${who}  ${event.failed ? paint("red", text) : paint("dim", text)}`);
    case "tool_blocked":
      return line(`${paint("red", "blocked")}  ${event.name}  ${short(inputOf(event.input))}\n  ${event.reason}`);
    case "awaiting_confirmation":
      return line(
        `${paint("yellow", "waits")}  ${event.waiting.tool} needs the yes of ${event.waiting.approvers}: holdfast approvals show ${event.waiting.approval}`,
      );
    case "continuation":
      return line(`${paint("yellow", "a hook asks for one more step")}  ${short(event.reason)}`);
    case "compaction_started":
      return line(paint("dim", `the conversation is compacted (about ${event.tokens} tokens)`));
    case "delegation_requested":
      return line(`${paint("cyan", `> asks ${event.targetAgentId}`)}  ${short(event.objective)}`);
    case "delegation_blocked":
      return line(`${paint("red", "blocked")}  asking ${event.target}  ${event.reason}`);
    case "delegation_failed":
      return line(`${paint("red", "failed")}  ${short(event.error)}`);
    case "notice":
      return line(`${paint("yellow", "notice")}  ${event.notice.event_name}  ${short(event.notice.message)}`);
    case "error":
      return line(`${paint("red", "error")}  ${event.message}`);
    default:
      return [];
  }
}

/** One field is shown as what it says, several as JSON. */
function inputOf(input: JsonObject): string {
  const values = Object.values(input);
  return values.length === 1 && typeof values[0] === "string" ? values[0] : JSON.stringify(input);
}

const short = (text: string) => {
  const line = text.replaceAll("\n", " ");
  return line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH).replace(/[\uD800-\uDBFF]$/, "")}…` : line;
};

function excerpt(output: string): string[] {
  const lines = output === "" ? [] : output.split("\n");
  const more = lines.length - MAX_OUTPUT_LINES;
  return [...lines.slice(0, MAX_OUTPUT_LINES).map(short), ...(more > 0 ? [`(${more} more lines)`] : [])];
}
