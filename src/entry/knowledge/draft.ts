/** A proposal as a text that a person edits. */
import { HoldfastError } from "../../core/errors.ts";
import { checkFields } from "../../core/fields.ts";
import { frontMatterText, parseFrontMatter } from "../../knowledge/base/front-matter.ts";
import { CANDIDATE_FIELDS, type Candidate, problemText } from "../../knowledge/curation/contracts.ts";

export function draftText({ body, type, title, description, tags, confidence }: Candidate): string {
  return `${frontMatterText({ type, title, description, tags: [...tags], confidence })}\n${body.trim()}\n`;
}

export function readDraft(text: string): Candidate {
  const parsed = parseFrontMatter(text);
  if (typeof parsed === "string") throw new HoldfastError("HF1103", `what you wrote ${parsed}`);
  const draft = { ...parsed.data, body: parsed.body.trim() };
  const problems = checkFields(draft, CANDIDATE_FIELDS);
  if (problems.length > 0) throw new HoldfastError("HF1103", problems.map(problemText).join("\n  "));
  return draft as unknown as Candidate;
}
