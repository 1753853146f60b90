/** How people are changed: the same in both databases, but for how others are kept from changing them meanwhile. */
import type { Expression, ExpressionBuilder, Kysely, SelectQueryBuilder, SqlBool } from "kysely";
import { type Actor, RightLost } from "../../approvals/actor.ts";
import type { Person } from "../../approvals/approval.ts";
import { withoutNul } from "./parameters.ts";
import { rowsOf, type Statement, type Steps } from "./steps.ts";
import type { Tables } from "./tables.ts";

/** How a database looks into the roles of people, and has one write of people at a time. */
export interface PeopleDialect {
  /** Whether the row of `people` at hand has the role. */
  has(role: string): Expression<SqlBool>;
  /** Whether somebody else has it. Whoever asks at the same time waits, and finds what became of it. */
  hasAnother(organisation: string, id: string, role: string): Expression<SqlBool>;
  /** No other write changes people of the organisation until this one is done. Asked for first, while nothing is held. */
  alone(organisation: string): readonly Statement[];
  /** The rows found stay as they are until the write is done. */
  held<Row>(found: SelectQueryBuilder<Tables, "people", Row>): SelectQueryBuilder<Tables, "people", Row>;
}

export function peopleSteps(db: Kysely<Tables>, { has, hasAnother, alone, held }: PeopleDialect) {
  function* first(organisation: string): Steps<void> {
    for (const { sql, parameters } of alone(organisation)) yield { sql, parameters: parameters.map(withoutNul) };
  }
  const unlinkNobodys = (organisation: string, id: string) =>
    rowsOf(
      db
        .deleteFrom("identities")
        .where("organisation", "=", organisation)
        .where("person", "=", id)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom("people").select("id").where("organisation", "=", organisation).where("id", "=", id))),
        ),
    );
  const leavesAnother =
    (organisation: string, id: string, role: string) =>
    ({ or, not }: ExpressionBuilder<Tables, "people">) =>
      or([not(has(role)), hasAnother(organisation, id, role)]);

  function* linkIdentity(identity: string, organisation: string, person: string): Steps<void> {
    yield* rowsOf(
      db
        .insertInto("identities")
        .values({ identity, organisation, person })
        .onConflict((conflict) => conflict.columns(["identity", "organisation"]).doUpdateSet({ person })),
    );
  }
  function* addPerson(person: Person, identity?: string): Steps<boolean> {
    const { organisation, id } = person;
    yield* first(organisation);
    yield* unlinkNobodys(organisation, id);
    const added = yield* rowsOf(
      db
        .insertInto("people")
        .values({ organisation, id, body: JSON.stringify(person) })
        .onConflict((conflict) => conflict.columns(["organisation", "id"]).doNothing())
        .returning("id"),
    );
    if (added.length > 0 && identity !== undefined) yield* linkIdentity(identity, organisation, id);
    return added.length > 0;
  }

  /** Their row stays as it is until the transaction ends. */
  function* holdRight(actor: Actor): Steps<void> {
    const { organisation, id, roles } = actor;
    const found = db.selectFrom("people").select("id").where("organisation", "=", organisation).where("id", "=", id);
    const having = roles.length === 0 ? found : found.where(({ or }) => or(roles.map(has)));
    if ((yield* rowsOf(held(having))).length === 0) throw new RightLost(actor);
  }

  return {
    holdRight,
    /** The first of a write that is made on somebody's word. */
    *assertRight(actor: Actor): Steps<void> {
      yield* first(actor.organisation);
      yield* holdRight(actor);
    },
    addPerson,
    *putPerson(person: Person, keeping?: string): Steps<boolean> {
      const { organisation, id } = person;
      const body = JSON.stringify(person);
      yield* first(organisation);
      if (keeping === undefined || person.roles.includes(keeping)) {
        yield* unlinkNobodys(organisation, id);
        yield* rowsOf(
          db
            .insertInto("people")
            .values({ organisation, id, body })
            .onConflict((conflict) => conflict.columns(["organisation", "id"]).doUpdateSet({ body })),
        );
        return true;
      }
      const changed = yield* rowsOf(
        db
          .updateTable("people")
          .set({ body })
          .where("organisation", "=", organisation)
          .where("id", "=", id)
          .where(leavesAnother(organisation, id, keeping))
          .returning("id"),
      );
      // Somebody new takes the role from nobody.
      return changed.length > 0 || (yield* addPerson(person));
    },
    *removePerson(organisation: string, id: string, keeping?: string): Steps<boolean> {
      yield* first(organisation);
      const found = db.deleteFrom("people").where("organisation", "=", organisation).where("id", "=", id);
      const leaving = keeping === undefined ? found : found.where(leavesAnother(organisation, id, keeping));
      const gone = yield* rowsOf(leaving.returning("id"));
      if (gone.length === 0) return false;
      yield* rowsOf(db.deleteFrom("identities").where("organisation", "=", organisation).where("person", "=", id));
      return true;
    },
    linkIdentity,
    *unlinkIdentity(identity: string, organisation: string): Steps<boolean> {
      const unlinked = db
        .deleteFrom("identities")
        .where("identity", "=", identity)
        .where("organisation", "=", organisation)
        .returning("identity");
      return (yield* rowsOf(unlinked)).length > 0;
    },
  };
}
