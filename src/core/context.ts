/** What hooks tell the model: in order, once per session, within a budget, labelled and unable to pose as anything else. */
export interface ContextBudget {
  readonly maxCharacters: number;
  /** Texts this session was already told. */
  readonly told: (text: string) => boolean;
}

export interface ToldContext {
  readonly hook: string;
  readonly text: string;
}

export function withinBudget(items: readonly ToldContext[], budget: ContextBudget): ToldContext[] {
  const kept: ToldContext[] = [];
  let left = budget.maxCharacters;
  let leftOut = 0;
  for (const { hook, text } of items) {
    const trimmed = text.trim();
    if (trimmed === "" || budget.told(trimmed) || kept.some((item) => item.text === trimmed)) continue;
    if (trimmed.length <= left) {
      kept.push({ hook, text: trimmed });
      left -= trimmed.length;
      continue;
    }
    const head = trimmed.slice(0, left).replace(/[\uD800-\uDBFF]$/, "");
    if (head !== "") kept.push({ hook, text: head });
    leftOut += trimmed.length - head.length;
    left = 0;
  }
  if (leftOut > 0) kept.push({ hook: "holdfast", text: `(${leftOut} characters of hook context were left out)` });
  return kept;
}

/** One block the model can tell apart from what people say to it. */
export function labelContext(items: readonly ToldContext[]): string {
  const blocks = items.map(({ hook, text }) => `[${escapeText(hook)}] ${escapeText(text)}`);
  return `<holdfast-context source="hooks, not the user">\n${blocks.join("\n")}\n</holdfast-context>`;
}

/** Takes the power from tags that hosts and models give meaning to; other text stays as written. */
export function escapeText(text: string): string {
  return text.replace(
    /<(?=\/?\s*(?:holdfast|system|hook|user|assistant|tool|function|task|command|human)[\w-]*[\s/>])/gi,
    "&lt;",
  );
}
