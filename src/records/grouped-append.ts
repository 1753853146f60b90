/**
 * For a process that answers many calls in one turn of its event loop: what they append to a journal is one write. Each of
 * them hears of it when its records are there, or are not.
 */
import { type AppendResult, type AppendSoon, appendWith, type Journal, type WriteTextsSoon } from "./journal.ts";

interface Group {
  readonly texts: string[];
  readonly records: (object | undefined)[];
  readonly members: Member[];
}

interface Member {
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: unknown) => void;
}

export function groupedAppend(write: WriteTextsSoon): AppendSoon {
  let groups = new Map<Journal, Group>();

  const join: WriteTextsSoon = (journal, texts, records = []) =>
    new Promise((resolve, reject) => {
      let group = groups.get(journal);
      if (!group) {
        group = { texts: [], records: [], members: [] };
        // After everybody who can go on without waiting has come as far as this.
        if (groups.size === 0) process.nextTick(writeAll);
        groups.set(journal, group);
      }
      for (const text of texts) group.texts.push(text);
      for (const record of records) group.records.push(record);
      group.members.push({ resolve, reject });
    });

  function writeAll(): void {
    const due = groups;
    groups = new Map();
    for (const [journal, group] of due) settle(journal, group);
  }

  function settle(journal: Journal, { texts, records, members }: Group): void {
    const refuse = (error: unknown) => {
      for (const { reject } of members) reject(error);
    };
    try {
      const result = write(journal, texts, records);
      if (result instanceof Promise) result.then((written) => tell(written, members), refuse);
      else tell(result, members);
    } catch (error) {
      refuse(error);
    }
  }

  return (journal, records) => appendWith(join, journal, records);
}

/** What else went wrong is for one of them to report. */
function tell(result: AppendResult, [first, ...others]: readonly Member[]): void {
  first?.resolve(result);
  if (others.length === 0) return;
  const same: AppendResult = result.kind === "written" ? { ...result, warnings: [] } : result;
  for (const { resolve } of others) resolve(same);
}
