import { expect, it } from "vitest";
import { failedInTranscript } from "./transcript.ts";

/** As recorded from 0.166.0, shortened. */
const line = (id: string, status: string, exit_code: number | null) =>
  JSON.stringify({
    timestamp: "2026-11-15T05:46:06.691Z",
    ordinal: 11,
    type: "event_msg",
    payload: {
      type: "item_completed",
      item: { type: "CommandExecution", id, command: ["/bin/bash", "-lc", "x"], status, exit_code },
    },
  });

it("the exit code of the very call counts", () => {
  const tail = [line("call_1", "completed", 0), line("call_12", "failed", 3), `{"ordinal": 13, "type": "x"}`, ""].join(
    "\n",
  );
  expect(failedInTranscript(tail, "call_1")).toBe(false);
  expect(failedInTranscript(tail, "call_12")).toBe(true);
});

it("without an exit code its status counts", () => {
  expect(failedInTranscript(line("c", "failed", null), "c")).toBe(true);
  expect(failedInTranscript(line("c", "completed", null), "c")).toBe(false);
  expect(failedInTranscript(line("c", "inProgress", null), "c")).toBeUndefined();
});

it("what the transcript does not say is not known", () => {
  const spoofed = JSON.stringify({
    payload: { type: "item_completed", item: { type: "AgentMessage", text: line("c", "completed", 0) } },
  });
  for (const tail of ["", "\n", "no json c CommandExecution", line("c", "completed", 0).slice(5), spoofed]) {
    expect(failedInTranscript(tail, "c")).toBeUndefined();
  }
});
