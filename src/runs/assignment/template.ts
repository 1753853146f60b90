/** `{{key}}` in texts. One rule: an unknown key is an error; a declared variable without a value is an empty text. */
import type { ErrorPlace } from "../../core/errors.ts";
import type { VarValue } from "./assignment.ts";

export type TemplateValues = Readonly<Record<string, VarValue | null>>;

export function fillTemplate(_text: string, _values: TemplateValues, _place: ErrorPlace): string {
  throw new Error("being built");
}
