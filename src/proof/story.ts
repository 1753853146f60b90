/** What happened in a run, for a person who has to find out why it went wrong. */
import type { HostExit } from "./host-process.ts";
import type { RecordedRequest } from "./scripted-model.ts";

export function tellStory(exit: HostExit, requests: readonly RecordedRequest[]): string {
  return [
    `--- exit ${exit.exitCode}${exit.timedOut ? ", out of time" : ""}, ${Math.round(exit.durationMs)} ms`,
    ...(exit.stderr.trim() === "" ? [] : [`stderr: ${shorten(exit.stderr)}`]),
    `--- model requests (${requests.length})`,
    ...requests.map((request, index) => tellRequest(request, requests.slice(0, index))),
    `--- stdout: ${shorten(exit.stdout)}`,
  ].join("\n");
}

/** Only what is new: each request repeats its conversation, and the first of a lane is mostly the host's own text. */
function tellRequest(request: RecordedRequest, earlier: readonly RecordedRequest[]): string {
  const { path, lane, turn, answer, problem } = request;
  const sameLane = earlier.filter((other) => other.lane === lane);
  const told = new Set(sameLane.flatMap((other) => other.turn?.texts ?? []));
  const maxLength = sameLane.length === 0 ? 200 : 700;
  return [
    `[${lane}] ${path}`,
    ...(problem ? [`  unreadable: ${problem}`] : []),
    ...(turn?.texts ?? []).filter((text) => !told.has(text)).map((text) => `  told: ${shorten(text, maxLength)}`),
    ...(answer ? [`  said: ${shorten(JSON.stringify(answer))}`] : []),
  ].join("\n");
}

function shorten(text: string, maxLength = 700): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length <= maxLength ? line : `${line.slice(0, maxLength)} … (${line.length} characters)`;
}
