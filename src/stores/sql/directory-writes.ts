/** What people of an organisation change, by itself or on somebody's word: the same in both databases. */
import type { Kysely } from "kysely";
import type { ActorStore, DirectoryWrites, OrganisationSettings, StoredChannel } from "../../approvals/store.ts";
import { type PeopleDialect, peopleSteps } from "./people-steps.ts";
import { rowsOf, type Steps, type Together } from "./steps.ts";
import type { Tables } from "./tables.ts";

export interface Writing {
  readonly together: Together;
  /** For what changes people: it waits for those whose right is held. */
  readonly togetherOnPeople: Together;
  /** Does `work` while what `check` saw stays so. */
  holding<T>(check: () => Steps<void>, work: () => Promise<T>): Promise<T>;
  /** The statements one after the other, for what is only one. */
  readonly apart: Together;
  readonly dialect: PeopleDialect;
  now(): Date;
}

export function directoryWrites(db: Kysely<Tables>, writing: Writing): DirectoryWrites & ActorStore {
  const { together, togetherOnPeople, apart, dialect, now } = writing;
  const people = peopleSteps(db, dialect);
  const others = otherSteps(db, now);
  const writes = (onPeople: Together, single: Together): DirectoryWrites => ({
    putPerson: done(onPeople, people.putPerson),
    addPerson: done(onPeople, people.addPerson),
    removePerson: done(onPeople, people.removePerson),
    linkIdentity: done(single, people.linkIdentity),
    unlinkIdentity: done(single, people.unlinkIdentity),
    putChannel: done(single, others.putChannel),
    changeChannel: done(single, others.changeChannel),
    removeChannel: done(single, others.removeChannel),
    keep: done(single, others.keep),
    take: done(single, others.take),
    putSettings: done(single, others.putSettings),
  });
  return {
    ...writes(togetherOnPeople, apart),
    by(actor) {
      const onTheirWord =
        (run: Together): Together =>
        (begin) =>
          run(function* () {
            yield* people.assertRight(actor);
            return yield* begin();
          });
      return {
        ...writes(onTheirWord(togetherOnPeople), onTheirWord(together)),
        holding: (work) => writing.holding(() => people.holdRight(actor), work),
      };
    },
  };
}

const done =
  <Given extends unknown[], T>(run: Together, steps: (...given: Given) => Steps<T>) =>
  (...given: Given): Promise<T> =>
    run(() => steps(...given));

function otherSteps(db: Kysely<Tables>, now: () => Date) {
  return {
    *putChannel(channel: StoredChannel): Steps<void> {
      const { id, organisation, createdAt: created_at } = channel;
      const columns = { organisation, created_at, body: JSON.stringify(channel) };
      yield* rowsOf(
        db
          .insertInto("channels")
          .values({ id, ...columns })
          .onConflict((conflict) => conflict.column("id").doUpdateSet(columns)),
      );
    },
    *changeChannel(next: StoredChannel, from: StoredChannel): Steps<boolean> {
      const changed = db
        .updateTable("channels")
        .set({ body: JSON.stringify(next) })
        .where("id", "=", next.id)
        .where("body", "=", JSON.stringify(from))
        .returning("id");
      return (yield* rowsOf(changed)).length > 0;
    },
    *removeChannel(id: string): Steps<boolean> {
      return (yield* rowsOf(db.deleteFrom("channels").where("id", "=", id).returning("id"))).length > 0;
    },
    *keep(key: string, value: string, expiresAt: Date): Steps<void> {
      const row = { key, value, expires_at: expiresAt.getTime() };
      yield* rowsOf(
        db
          .insertInto("kept")
          .values(row)
          .onConflict((conflict) => conflict.column("key").doUpdateSet(row)),
      );
    },
    *take(key: string): Steps<string | undefined> {
      const taken = db.deleteFrom("kept").where("key", "=", key).returning(["value", "expires_at"]);
      const [row] = yield* rowsOf(taken);
      return row && row.expires_at > now().getTime() ? row.value : undefined;
    },
    *putSettings(organisation: string, wanted: OrganisationSettings): Steps<void> {
      const body = JSON.stringify(wanted);
      yield* rowsOf(
        db
          .insertInto("settings")
          .values({ organisation, body })
          .onConflict((conflict) => conflict.column("organisation").doUpdateSet({ body })),
      );
    },
  };
}
