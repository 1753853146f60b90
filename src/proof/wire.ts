import type { ServerResponse } from "node:http";

/** How one model API looks over HTTP. One file per API; the scripted model knows only this. */
export interface Wire {
  readonly name: string;
  /** The optional fields of a tool call that this API has a place for. */
  readonly carries: readonly ("namespace" | "freeform")[];
  /** The request as a turn of a conversation, or undefined when it asks for something else. */
  readTurn(request: ModelRequest, callsMade: CallsMade): Turn | undefined;
  sendAnswer(response: ServerResponse, request: ModelRequest, answer: Answer): void;
  /** The JSON body for requests that are no turns (token counts, lists of models), or undefined when there is none. */
  answerOther(path: string): object | undefined;
}

export interface ModelRequest {
  readonly path: string;
  readonly body: unknown;
}

/** What the script has called so far in the conversation with this opening: for an API whose calls have no ids. */
export type CallsMade = (opening: string) => readonly IdentifiedCall[];

export interface Turn {
  readonly offersTools: boolean;
  /** The user's texts before the model first spoke, hosts' own preludes among them: they tell conversations apart. */
  readonly opening: string;
  /** Every text in the request that the model did not write itself: system, user, tool results. */
  readonly texts: readonly string[];
  readonly toolResults: readonly ToolResult[];
}

export interface ToolResult {
  readonly toolUseId: string;
  /** False where the API has no field for it. */
  readonly isError: boolean;
  readonly text: string;
}

export interface ToolCall {
  /** Given by whoever looks for the result; numbered otherwise. */
  readonly id?: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The group of tools that the name is from. */
  readonly namespace?: string;
  /** The input of a tool that takes text, such as Codex's apply_patch; it goes out in place of `input`. */
  readonly freeform?: string;
}

export interface IdentifiedCall extends ToolCall {
  readonly id: string;
}

export interface Answer {
  readonly id: string;
  readonly text?: string;
  readonly tools: readonly IdentifiedCall[];
}
