/**
 * What a program hands over, looked at before anything runs. JavaScript has no types: a misspelt option, or a kind of tool
 * that does not exist, would be a rule that nobody holds.
 */
import { HoldfastError } from "../core/errors.ts";
import { EVENT_NAMES } from "../core/event.ts";
import { nearest } from "../core/nearest.ts";
import { TOOL_KINDS } from "../core/tool.ts";
import type { HoldfastOptions } from "./holdfast.ts";
import type { ToolDescription } from "./tools.ts";

interface Shape {
  readonly is: (value: unknown) => boolean;
  readonly said: string;
}

const TEXT: Shape = { is: (value) => typeof value === "string", said: "a text" };
const NUMBER: Shape = { is: (value) => typeof value === "number", said: "a number" };
const LIST: Shape = { is: Array.isArray, said: "a list" };
const CODE: Shape = { is: (value) => typeof value === "function", said: "a function" };
const OBJECT: Shape = { is: (value) => typeof value === "object" && value !== null, said: "an object" };
const TEXTS: Shape = { is: (value) => LIST.is(value) && (value as unknown[]).every(TEXT.is), said: "a list of texts" };
const CONDITION: Shape = {
  is: (value) => typeof value === "boolean" || CODE.is(value),
  said: "a boolean or a function",
};

type Kind = ToolDescription["kind"];
const KINDS = TOOL_KINDS.filter((kind): kind is Kind => kind !== "mcp");
const KIND: Shape = {
  is: (value) => (KINDS as readonly unknown[]).includes(value),
  said: `one of ${KINDS.join(", ")}`,
};

const OPTIONS: Readonly<Record<keyof HoldfastOptions, Shape>> = {
  host: TEXT,
  cwd: TEXT,
  env: OBJECT,
  tools: OBJECT,
  hooks: LIST,
  ask: CODE,
  onAwaitingConfirmation: CODE,
  desk: OBJECT,
  onNotice: CODE,
  onRemark: CODE,
  maxContinuations: NUMBER,
  distDir: TEXT,
};

const DESCRIPTION: Readonly<Record<keyof ToolDescription, Shape>> = {
  kind: KIND,
  command: TEXT,
  background: TEXT,
  paths: TEXTS,
  content: TEXTS,
  patch: TEXT,
  required: TEXTS,
  problem: CODE,
  requiresConfirmation: CONDITION,
  annotations: OBJECT,
};

export function assertOptions(options: HoldfastOptions): void {
  assertFields(options, OPTIONS, "createHoldfast: ");
  for (const [name, description] of Object.entries(options.tools ?? {})) {
    if (!OBJECT.is(description) || !("kind" in description))
      throw new HoldfastError("HF200", `createHoldfast: tools.${name} says no kind`, {
        hint: `Give kind: ${KIND.said}.`,
      });
    assertFields(description, DESCRIPTION, `createHoldfast: tools.${name}.`);
  }
}

function assertFields(given: object, shapes: Readonly<Record<string, Shape>>, where: string): void {
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const shape = Object.hasOwn(shapes, key) ? shapes[key] : undefined;
    if (!shape) throw unknown("HF202", `${where}${key} is no option`, key, Object.keys(shapes));
    if (!shape.is(value))
      throw new HoldfastError("HF200", `${where}${key} must be ${shape.said}`, { hint: `Give ${shape.said}.` });
  }
}

export const noSuchEvent = (name: string): HoldfastError =>
  unknown("HF201", `there is no event ${name}`, name, EVENT_NAMES);

function unknown(code: "HF201" | "HF202", message: string, name: string, known: readonly string[]): HoldfastError {
  const meant = nearest(name, known);
  if (meant !== undefined)
    return new HoldfastError(code, `${message}; did you mean ${meant}?`, { hint: `Use ${meant}.` });
  return new HoldfastError(code, message, { hint: `Use one of ${known.join(", ")}.` });
}
