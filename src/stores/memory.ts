/** Everything in this process's memory: for tests of programs that embed Holdfast. Nothing outlives the process. */
import { isDeepStrictEqual } from "node:util";
import { assertRight } from "../approvals/actor.ts";
import type { Approval, HistoryEntry, Person } from "../approvals/approval.ts";
import type {
  ApprovalQuery,
  ApprovalStore,
  Asker,
  DirectoryWrites,
  OrganisationSettings,
  Stores,
} from "../approvals/store.ts";
import { nextDueAt } from "../approvals/transition.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { memoryAudit } from "./memory-audit.ts";
import { memoryChannels, memoryKept, memoryPeople } from "./memory-directory.ts";
import { Holds } from "./memory-holds.ts";
import { searchableWords, wordsOf } from "./words.ts";

export interface MemoryOptions {
  readonly now?: () => Date;
}

export function memoryStores({ now = () => new Date() }: MemoryOptions = {}): Stores {
  const settings = new Map<string, OrganisationSettings>();
  const people = memoryPeople();
  const holds = new Holds();
  const directory = {
    ...people.store,
    putPerson: holds.waitedFor(people.store.putPerson),
    addPerson: holds.waitedFor(people.store.addPerson),
    removePerson: holds.waitedFor(people.store.removePerson),
    ...memoryChannels(),
    ...memoryKept(now),
    settings: async (organisation: string) => settings.get(organisation) ?? { isReadOnly: false },
    putSettings: async (organisation: string, wanted: OrganisationSettings) =>
      void settings.set(organisation, structuredClone(wanted)),
  };
  return {
    ...memoryApprovals(now, people.current),
    ...directory,
    ...memoryAudit(),
    by(actor) {
      const check = () => assertRight(actor, people.current(actor.organisation, actor.id));
      return {
        ...writesOnTheirWord({ ...directory, ...people.store }, holds, check),
        async holding(work) {
          check();
          return holds.during(work);
        },
      };
    },
    close: async () => {},
  };
}

/** Nothing comes between the check and the write: both are done before anything is waited for. */
function writesOnTheirWord(directory: DirectoryWrites, holds: Holds, check: () => void): DirectoryWrites {
  const checked =
    <Given extends unknown[], T>(write: (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> => {
      check();
      return write(...given);
    };
  return {
    putPerson: holds.waitedFor(checked(directory.putPerson)),
    addPerson: holds.waitedFor(checked(directory.addPerson)),
    removePerson: holds.waitedFor(checked(directory.removePerson)),
    linkIdentity: checked(directory.linkIdentity),
    unlinkIdentity: checked(directory.unlinkIdentity),
    putChannel: checked(directory.putChannel),
    changeChannel: checked(directory.changeChannel),
    removeChannel: checked(directory.removeChannel),
    keep: checked(directory.keep),
    take: checked(directory.take),
    putSettings: checked(directory.putSettings),
  };
}

type CurrentPerson = ReturnType<typeof memoryPeople>["current"];

function memoryApprovals(now: () => Date, current: CurrentPerson): ApprovalStore {
  /** In the order they were stored. */
  const approvals = new Map<string, Approval>();
  const histories = new Map<string, HistoryEntry[]>();
  const watchers = new Set<{ readonly id: string | null; readonly onChange: (id: string) => void }>();

  const store = (approval: Approval, history: readonly HistoryEntry[]) => {
    approvals.set(approval.id, structuredClone(approval));
    histories.set(approval.id, [...(histories.get(approval.id) ?? []), ...structuredClone(history)]);
    setImmediate(() => {
      for (const { id, onChange } of [...watchers]) if (id === null || id === approval.id) onChange(approval.id);
    });
  };
  const newest = (matches: (approval: Approval) => boolean) => [...approvals.values()].reverse().find(matches);

  return {
    now,
    async insert(approval, history) {
      const open = newest((known) => isOpen(known) && isSameQuestion(known, approval));
      if (open) return { stored: false, approval: structuredClone(open) };
      if (approvals.has(approval.id)) throw new Error(`There is an approval ${approval.id} already.`);
      store(approval, history);
      return { stored: true, approval };
    },
    get: async (id) => structuredClone(approvals.get(id)),
    byDigest: async (organisation, digest, asker) =>
      structuredClone(newest((known) => isSameQuestion(known, { organisation, digest, call: asker ?? known.call }))),
    async change(next, history, members = []) {
      const isAsRead = (member: Person) => isDeepStrictEqual(current(member.organisation, member.id), member);
      if (!members.every(isAsRead)) return "members";
      if (approvals.get(next.id)?.version !== next.version - 1) return false;
      store(next, history);
      return true;
    },
    async note(entry) {
      histories.set(entry.approval, [...(histories.get(entry.approval) ?? []), structuredClone(entry)]);
    },
    history: async (approval) => structuredClone(histories.get(approval) ?? []),
    async list(query) {
      const before = query.cursor === undefined ? Infinity : Number(decodeCursor(query.cursor, ["number"])[0]);
      const found = [...approvals.values()]
        .map((approval, position) => ({ approval, position }))
        .reverse()
        .filter(({ approval, position }) => position < before && isAskedFor(approval, query))
        .slice(0, query.limit + 1);
      const page = found.slice(0, query.limit);
      const last = page.at(-1);
      return {
        approvals: page.map(({ approval }) => structuredClone(approval)),
        ...(found.length > page.length && last && { next: encodeCursor([last.position]) }),
      };
    },
    async due(at, limit) {
      return [...approvals.values()]
        .map((approval) => ({ approval, dueAt: nextDueAt(approval) ?? "9999" }))
        .filter(({ dueAt }) => dueAt <= at.toISOString())
        .sort((left, right) => (left.dueAt < right.dueAt ? -1 : 1))
        .slice(0, limit)
        .map(({ approval }) => structuredClone(approval));
    },
    async watch(id, onChange) {
      const watcher = { id, onChange };
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}

const isOpen = ({ status }: Approval) => status === "pending" || status === "approved";

const isSameQuestion = (
  { organisation, digest, call: { agent, initiator } }: Approval,
  other: Pick<Approval, "organisation" | "digest"> & { readonly call: Asker },
) =>
  organisation === other.organisation &&
  digest === other.digest &&
  agent === other.call.agent &&
  initiator === other.call.initiator;

function isAskedFor(approval: Approval, query: ApprovalQuery): boolean {
  const { organisation, statuses, session, sessionTree, agent, initiator, tool, search } = query;
  const { call } = approval;
  if (approval.organisation !== organisation || (statuses && !statuses.includes(approval.status))) return false;
  const isOther = (wanted: string | null | undefined, is: string | null) => wanted !== undefined && wanted !== is;
  if (isOther(session, call.session) || isOther(agent, call.agent) || isOther(tool, call.tool)) return false;
  if (isOther(initiator, call.initiator)) return false;
  if (sessionTree !== undefined && call.session !== sessionTree && !call.session.startsWith(`${sessionTree}/`))
    return false;
  const words = searchableWords(approval);
  return wordsOf(search ?? "").every((wanted) => words.some((word) => word.startsWith(wanted)));
}
