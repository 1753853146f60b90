/** What the messages of the AI SDK say: the prompt, and what a person answered. */
import { saidSince } from "./new-prompt.ts";

export interface Message {
  readonly role: string;
  readonly content: string | readonly Part[];
}

interface Part {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** The person's words that the model has not answered; undefined: there are none, a run goes on. */
export function promptOf(messages: readonly Message[]): string | undefined {
  const said = saidSince(messages, {
    isAgents: ({ role }) => role === "assistant",
    isPersons: ({ role }) => role === "user",
  });
  if (said.length === 0 || callsTools(messages.at(-1))) return undefined;
  return said.map(textOf).join("\n");
}

const callsTools = (last: Message | undefined): boolean =>
  last?.role === "assistant" && typeof last.content !== "string" && last.content.some(({ type }) => type !== "text");

const textOf = ({ content }: Message): string =>
  typeof content === "string"
    ? content
    : content.map(({ type, text }) => (type === "text" ? String(text) : `[${type}]`)).join("\n");

/** The calls that a person said no to: the SDK does not execute them, and asks nobody about them again. */
export function deniedIn(messages: readonly Message[]): string[] {
  const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const denied = parts.flatMap(({ type, approvalId, approved }) =>
    type === "tool-approval-response" && approved !== true ? [approvalId] : [],
  );
  return parts.flatMap(({ type, approvalId, toolCallId }) =>
    type === "tool-approval-request" && denied.includes(approvalId) ? [String(toolCallId)] : [],
  );
}

/** What a person answered to the request to approve a call; undefined: nothing. */
export function approvalOf(messages: readonly Message[], toolCallId: string): boolean | undefined {
  const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const requests = parts.filter((part) => part.type === "tool-approval-request" && part.toolCallId === toolCallId);
  const ids = requests.map(({ approvalId }) => approvalId);
  const answer = parts.findLast(
    ({ type, approvalId }) => type === "tool-approval-response" && ids.includes(approvalId),
  );
  return answer && answer.approved === true;
}
