import type { ServerResponse } from "node:http";

/** How one model API looks over HTTP. One file per API; the scripted model knows only this. */
export interface Wire {
  /** The request as a turn of a conversation, or undefined when it asks for something else. */
  readTurn(path: string, body: unknown): Turn | undefined;
  sendAnswer(response: ServerResponse, request: unknown, answer: Answer): void;
  /** The JSON body for requests that are no turns (token counts, lists of models), or undefined when there is none. */
  answerOther(path: string): object | undefined;
}

export interface Turn {
  readonly offersTools: boolean;
  /** The text of the first user message: it tells conversations apart. */
  readonly opening: string;
  /** Every text in the request that the model did not write itself: system, user, tool results. */
  readonly texts: readonly string[];
  readonly toolResults: readonly ToolResult[];
}

export interface ToolResult {
  readonly toolUseId: string;
  readonly isError: boolean;
  readonly text: string;
}

export interface ToolCall {
  /** Given by a test that looks for the result; numbered otherwise. */
  readonly id?: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly id: string;
  readonly text?: string;
  readonly tools: readonly Required<ToolCall>[];
}
