/** People, channels and settings: the same in both databases. */
import type { Expression, ExpressionBuilder, Kysely, SqlBool } from "kysely";
import type { Person } from "../../approvals/approval.ts";
import type {
  ChannelStore,
  OrganisationSettings,
  OrganisationStore,
  PeopleStore,
  StoredChannel,
} from "../../approvals/store.ts";
import type { Tables } from "./tables.ts";

const personIn = ({ body }: { readonly body: string }): Person => JSON.parse(body);
const channelIn = ({ body }: { readonly body: string }): StoredChannel => JSON.parse(body);

/** How a database looks into the roles of people. */
export interface RoleSearch {
  /** Whether the row of `people` at hand has the role. */
  has(role: string): Expression<SqlBool>;
  /** Whether somebody else has it. Whoever asks at the same time waits, and finds what became of it. */
  hasAnother(organisation: string, id: string, role: string): Expression<SqlBool>;
}

export function people(db: Kysely<Tables>, roles: RoleSearch): PeopleStore {
  const behind = (identity: string) =>
    db
      .selectFrom("identities")
      .innerJoin("people", (join) =>
        join.onRef("people.organisation", "=", "identities.organisation").onRef("people.id", "=", "identities.person"),
      )
      .select("people.body")
      .where("identities.identity", "=", identity);
  const unlinkNobodys = (organisation: string, id: string) =>
    db
      .deleteFrom("identities")
      .where("organisation", "=", organisation)
      .where("person", "=", id)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom("people").select("id").where("organisation", "=", organisation).where("id", "=", id))),
      )
      .execute();
  const leavesAnother =
    (organisation: string, id: string, role: string) =>
    ({ or, not }: ExpressionBuilder<Tables, "people">) =>
      or([not(roles.has(role)), roles.hasAnother(organisation, id, role)]);
  async function add(person: Person): Promise<boolean> {
    const { organisation, id } = person;
    await unlinkNobodys(organisation, id);
    const added = await db
      .insertInto("people")
      .values({ organisation, id, body: JSON.stringify(person) })
      .onConflict((conflict) => conflict.columns(["organisation", "id"]).doNothing())
      .returning("id")
      .execute();
    return added.length > 0;
  }

  return {
    async person(organisation, id) {
      const row = await db
        .selectFrom("people")
        .select("body")
        .where("organisation", "=", organisation)
        .where("id", "=", id)
        .executeTakeFirst();
      return row && personIn(row);
    },
    async people(organisation) {
      const rows = await db
        .selectFrom("people")
        .select("body")
        .where("organisation", "=", organisation)
        .orderBy("id")
        .execute();
      return rows.map(personIn);
    },
    async putPerson(person, keeping) {
      const { organisation, id } = person;
      const body = JSON.stringify(person);
      if (keeping === undefined || person.roles.includes(keeping)) {
        await unlinkNobodys(organisation, id);
        await db
          .insertInto("people")
          .values({ organisation, id, body })
          .onConflict((conflict) => conflict.columns(["organisation", "id"]).doUpdateSet({ body }))
          .execute();
        return true;
      }
      const changed = await db
        .updateTable("people")
        .set({ body })
        .where("organisation", "=", organisation)
        .where("id", "=", id)
        .where(leavesAnother(organisation, id, keeping))
        .returning("id")
        .execute();
      // Somebody new takes the role from nobody.
      return changed.length > 0 || (await add(person));
    },
    addPerson: add,
    async removePerson(organisation, id, keeping) {
      const gone = await db
        .deleteFrom("people")
        .where("organisation", "=", organisation)
        .where("id", "=", id)
        .$if(keeping !== undefined, (found) => found.where(leavesAnother(organisation, id, keeping ?? "")))
        .returning("id")
        .execute();
      // Whoever may have got the id meanwhile: they are linked again, or not. Cut short, these are nobody's (unlinkNobodys).
      if (gone.length > 0)
        await db.deleteFrom("identities").where("organisation", "=", organisation).where("person", "=", id).execute();
      return gone.length > 0;
    },
    async linkIdentity(identity, organisation, person) {
      await db
        .insertInto("identities")
        .values({ identity, organisation, person })
        .onConflict((conflict) => conflict.columns(["identity", "organisation"]).doUpdateSet({ person }))
        .execute();
    },
    async unlinkIdentity(identity, organisation) {
      const gone = await db
        .deleteFrom("identities")
        .where("identity", "=", identity)
        .where("organisation", "=", organisation)
        .returning("identity")
        .execute();
      return gone.length > 0;
    },
    async identified(identity, organisation) {
      const row = await behind(identity).where("identities.organisation", "=", organisation).executeTakeFirst();
      return row && personIn(row);
    },
    async memberships(identity) {
      return (await behind(identity).orderBy("identities.organisation").execute()).map(personIn);
    },
  };
}

export function channels(db: Kysely<Tables>): ChannelStore {
  return {
    async channel(id) {
      const row = await db.selectFrom("channels").select("body").where("id", "=", id).executeTakeFirst();
      return row && channelIn(row);
    },
    async channels(organisation) {
      const rows = await db
        .selectFrom("channels")
        .select("body")
        .where("organisation", "=", organisation)
        .orderBy("created_at")
        .orderBy("id")
        .execute();
      return rows.map(channelIn);
    },
    async putChannel(channel) {
      const { id, organisation, createdAt: created_at } = channel;
      const columns = { organisation, created_at, body: JSON.stringify(channel) };
      await db
        .insertInto("channels")
        .values({ id, ...columns })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(columns))
        .execute();
    },
    async changeChannel(next, from) {
      const changed = await db
        .updateTable("channels")
        .set({ body: JSON.stringify(next) })
        .where("id", "=", next.id)
        .where("body", "=", JSON.stringify(from))
        .returning("id")
        .execute();
      return changed.length > 0;
    },
    async removeChannel(id) {
      return (await db.deleteFrom("channels").where("id", "=", id).returning("id").execute()).length > 0;
    },
  };
}

export function settings(db: Kysely<Tables>): OrganisationStore {
  return {
    async settings(organisation): Promise<OrganisationSettings> {
      const row = await db
        .selectFrom("settings")
        .select("body")
        .where("organisation", "=", organisation)
        .executeTakeFirst();
      return row ? JSON.parse(row.body) : { isReadOnly: false };
    },
    async putSettings(organisation, wanted) {
      const body = JSON.stringify(wanted);
      await db
        .insertInto("settings")
        .values({ organisation, body })
        .onConflict((conflict) => conflict.column("organisation").doUpdateSet({ body }))
        .execute();
    },
  };
}
