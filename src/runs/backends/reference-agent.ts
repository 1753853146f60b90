import { dirname, join } from "node:path";
import type { JsonObject } from "../../core/json.ts";
import type { ProgramRow, Said } from "./program-backend.ts";

/** Our own agent in a process of its own. A session is a file beside the output, with the conversation in it. */
export const referenceAgent = (holdfast: readonly string[]): ProgramRow => ({
  id: "agent",
  title: "The reference agent",
  command: holdfast,
  provenVersion: "",
  args: ({ session, model, more, invocation }) => [
    ...["agent", "-", "--json"],
    ...(model ? ["--model", model] : []),
    ...more,
    ...(session
      ? [
          session.isNew ? "--save-conversation" : "--resume-conversation",
          join(dirname(invocation.outputFile), `conversation-${session.id}.json`),
        ]
      : []),
  ],
  efforts: {},
  permissions: { unrestricted: ["--mode", "bypass"], restricted: ["--mode", "accept_edits"] },
  isSessionOurs: true,
  read,
  unknownSession: /there is no conversation in/,
  errorsOn: "stdout",
});

function read(line: JsonObject): Said {
  if (line.agent !== null) return {};
  switch (line.type) {
    case "assistant":
      return { text: String(line.text) };
    case "tool_started":
      return { tool: { name: String(line.name), input: line.input } };
    case "tool_blocked":
      return { problem: `${line.name} was blocked: ${line.reason}` };
    case "error":
      return { problem: String(line.message) };
    default:
      return {};
  }
}
