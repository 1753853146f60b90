import { afterAll, beforeAll } from "vitest";
import { storeConformance } from "../../src/stores/conformance.fixture.ts";
import { openStores } from "../../src/stores/open.ts";
import { type Postgres, startPostgres } from "./postgres.ts";

let postgres: Postgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

storeConformance("PostgreSQL", () => openStores({ url: postgres?.url ?? "" }));
