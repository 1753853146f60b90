/** Journals that are not as they were written: nothing that holds up a record, and something a person wants to know. */
export class ChangedJournal extends Error {}

/** Named one by one; of a journal that somebody filled with other lines, the rest is counted. */
const MOST_NAMED = 10;
const MOST_KNOWN = 1_000;

export interface NewDamage {
  add(file: string, sentence: string): void;
  /** What was added and not taken before. */
  take(): ChangedJournal | undefined;
}

export function newDamage(): NewDamage {
  const known = new Set<string>();
  const found = new Map<string, string[]>();
  return {
    add(file, sentence) {
      const key = `${file}\n${sentence}`;
      if (known.has(key)) return;
      known.add(key);
      for (const oldest of known) {
        if (known.size <= MOST_KNOWN) break;
        known.delete(oldest);
      }
      const sentences = found.get(file) ?? [];
      sentences.push(sentence.replace(/\.$/, ""));
      found.set(file, sentences);
    },
    take() {
      if (found.size === 0) return undefined;
      const texts = [...found].map(([file, sentences]) => `${file} is not as it was written: ${named(sentences)}`);
      found.clear();
      return new ChangedJournal(texts.join(". "));
    },
  };
}

function named(sentences: readonly string[]): string {
  const more = sentences.length - MOST_NAMED;
  return `${sentences.slice(0, MOST_NAMED).join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}
