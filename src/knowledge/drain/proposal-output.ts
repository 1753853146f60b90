/** What a model may propose, and nothing else: its words are checked before a byte of them is kept. */
import { z } from "zod";
import { HoldfastError } from "../../core/errors.ts";
import { redact } from "../../core/redact.ts";
import { withoutControls } from "./extraction-prompt.ts";

const CONFIDENCES = ["low", "medium", "high"] as const;
const MAX_CANDIDATES = 20;

const oneLine = (max: number) => z.string().transform(asLine).pipe(z.string().min(1).max(max));

const candidate = <T extends "practice" | "map">(type: T) =>
  z.strictObject({
    type: z.literal(type),
    title: oneLine(160),
    description: oneLine(400),
    body: z.string().transform(asText).pipe(z.string().min(1).max(8_000)),
    tags: z
      .array(oneLine(40).transform((tag) => tag.toLowerCase()))
      .max(10)
      .transform((tags) => [...new Set(tags)]),
    confidence: z.enum(CONFIDENCES),
  });

export const PROPOSAL_OUTPUT = z.strictObject({
  practice: z.array(candidate("practice")).max(MAX_CANDIDATES),
  map: z.array(candidate("map")).max(MAX_CANDIDATES),
});

export type ProposalOutput = z.output<typeof PROPOSAL_OUTPUT>;
export type Candidate = ProposalOutput["practice"][number] | ProposalOutput["map"][number];

/** Throws HF1133 where there is nothing that can be used. */
export function readProposals(answer: string): ProposalOutput {
  const value = jsonIn(answer);
  if (value === undefined) {
    throw new HoldfastError("HF1133", `the answer holds no JSON object: ${excerpt(answer)}`);
  }
  const read = PROPOSAL_OUTPUT.safeParse(value);
  if (read.success) return read.data;
  const problems = read.error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join(".") || "answer"}: ${message}`);
  throw new HoldfastError("HF1133", `the answer is not what was asked for: ${problems.join("; ")}`);
}

function asLine(text: string): string {
  return redact(withoutControls(text)).replace(/\s+/g, " ").trim();
}

function asText(text: string): string {
  return redact(withoutControls(text)).trim();
}

const excerpt = (answer: string) =>
  answer.trim() === "" ? "it is empty" : JSON.stringify(asLine(answer).slice(0, 120));

/** The object itself, one in a fence, or the last one among other words. */
export function jsonIn(answer: string): unknown {
  const text = answer.replace(/^\ufeff/, "").trim();
  const fences = [...text.matchAll(/```[a-z]*[ \t]*\n([\s\S]*?)\n[ \t]*```/gi)].map(([, inside = ""]) => inside.trim());
  for (const found of [text, ...fences, ...balancedObjects(text).reverse(), ...fromKnownKeys(text)]) {
    if (!found.startsWith("{")) continue;
    try {
      return JSON.parse(found);
    } catch {
      // Then perhaps the next.
    }
  }
  return undefined;
}

/** Outermost {…}, braces in strings not counted, in one pass. */
function balancedObjects(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isInString) {
      if (character === "\\") at += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"' && depth > 0) isInString = true;
    else if (character === "{") {
      if (depth === 0) start = at;
      depth += 1;
    } else if (character === "}" && depth > 0) {
      depth -= 1;
      if (depth === 0) found.push(text.slice(start, at + 1));
    }
  }
  return found;
}

const MAX_STARTS = 5;

/** Where a brace among the words around it was never closed. */
function fromKnownKeys(text: string): string[] {
  const starts = [...text.matchAll(/\{\s*"(?:practice|map)"\s*:/g)].slice(-MAX_STARTS);
  return starts.map(({ index }) => text.slice(index, text.lastIndexOf("}") + 1));
}
