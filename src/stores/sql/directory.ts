/** People, channels and settings as they are read: the same in both databases. */
import type { Kysely } from "kysely";
import type { Person } from "../../approvals/approval.ts";
import type {
  ChannelStore,
  DirectoryWrites,
  OrganisationSettings,
  OrganisationStore,
  PeopleStore,
  StoredChannel,
} from "../../approvals/store.ts";
import type { Tables } from "./tables.ts";

const personIn = ({ body }: { readonly body: string }): Person => JSON.parse(body);
const channelIn = ({ body }: { readonly body: string }): StoredChannel => JSON.parse(body);

export function people(db: Kysely<Tables>): Omit<PeopleStore, keyof DirectoryWrites> {
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
    async identified(identity, organisation) {
      const row = await behind(identity).where("identities.organisation", "=", organisation).executeTakeFirst();
      return row && personIn(row);
    },
    async memberships(identity) {
      return (await behind(identity).orderBy("identities.organisation").execute()).map(personIn);
    },
  };
}

export function channels(db: Kysely<Tables>): Omit<ChannelStore, keyof DirectoryWrites> {
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
  };
}

export function settings(db: Kysely<Tables>): Omit<OrganisationStore, keyof DirectoryWrites> {
  return {
    async settings(organisation): Promise<OrganisationSettings> {
      const row = await db
        .selectFrom("settings")
        .select("body")
        .where("organisation", "=", organisation)
        .executeTakeFirst();
      return row ? JSON.parse(row.body) : { isReadOnly: false };
    },
  };
}
