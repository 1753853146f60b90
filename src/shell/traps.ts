/** What a shell was told to run later: at its end, at a signal, after any command. Wherever it stands by then. */
import { type Arg, texts } from "./arg.ts";
import type { Places } from "./whereabouts.ts";

export function trapText(args: readonly Arg[]): string | undefined {
  const [text, ...signals] = texts(args[0]?.text === "--" ? args.slice(1) : args);
  return text && text !== "-" && signals.length > 0 ? text : undefined;
}

export class Traps {
  readonly texts = new Set<string>();
  readonly visited = new Set<string | undefined>();

  set(args: readonly Arg[]): void {
    const text = trapText(args);
    if (text !== undefined) this.texts.add(text);
  }

  visit(places: Places): void {
    if (this.texts.size > 0) for (const place of places) this.visited.add(place);
  }
}
