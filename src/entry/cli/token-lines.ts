/** Tokens for a person's eyes: a table, then why some of them are refused and what to do. */
import type { ShownToken } from "../server/token-rest.ts";
import { type Output, table } from "./output.ts";

export function tokenLines(tokens: readonly ShownToken[], output: Output): string[] {
  if (tokens.length === 0) return ["there is no token"];
  const rows = tokens.map(({ id, name, kind, person, namesInitiator, createdBy, expiresAt, rests }) => [
    `hf_${id}_…`,
    rests ? output.paint("red", "rests") : output.paint("green", "good"),
    name,
    kind,
    person ?? (namesInitiator ? "whoever each call says" : "nobody"),
    createdBy,
    expiresAt,
  ]);
  const resting = tokens.flatMap(({ id, name, createdBy, rests }) =>
    rests ? ["", `hf_${id}_… (${name}, made by ${createdBy}) rests: ${rests.why}`, `  ${rests.fix}`] : [],
  );
  return [...table([["token", "state", "name", "kind", "for", "made by", "ends"], ...rows]), ...resting];
}
