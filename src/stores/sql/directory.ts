/** People, channels and settings: the same in both databases. */
import type { Kysely } from "kysely";
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

export function people(db: Kysely<Tables>): PeopleStore {
  const behind = (identity: string) =>
    db
      .selectFrom("identities")
      .innerJoin("people", (join) =>
        join.onRef("people.organisation", "=", "identities.organisation").onRef("people.id", "=", "identities.person"),
      )
      .select("people.body")
      .where("identities.identity", "=", identity);

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
    async putPerson(person) {
      const { organisation, id } = person;
      const body = JSON.stringify(person);
      await db
        .insertInto("people")
        .values({ organisation, id, body })
        .onConflict((conflict) => conflict.columns(["organisation", "id"]).doUpdateSet({ body }))
        .execute();
    },
    async addPerson(person) {
      const { organisation, id } = person;
      const added = await db
        .insertInto("people")
        .values({ organisation, id, body: JSON.stringify(person) })
        .onConflict((conflict) => conflict.columns(["organisation", "id"]).doNothing())
        .returning("id")
        .execute();
      return added.length > 0;
    },
    async removePerson(organisation, id) {
      // Identities first: cut short in between, the person is there and unknown elsewhere, not the other way round.
      await db.deleteFrom("identities").where("organisation", "=", organisation).where("person", "=", id).execute();
      const gone = await db
        .deleteFrom("people")
        .where("organisation", "=", organisation)
        .where("id", "=", id)
        .returning("id")
        .execute();
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
