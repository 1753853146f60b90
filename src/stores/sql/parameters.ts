/** Neither database keeps the character NUL in a text. Bodies have it escaped, being JSON; columns only have to be found. */
export const withoutNul = (parameter: unknown): unknown =>
  typeof parameter === "string" && parameter.includes("\0") ? parameter.replaceAll("\0", "\uFFFD") : parameter;
