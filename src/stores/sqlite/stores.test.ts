import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { storeConformance } from "../conformance.fixture.ts";
import { sqliteStores } from "./stores.ts";

const directory = mkdtempSync(join(tmpdir(), "holdfast-sqlite-"));
afterAll(() => rmSync(directory, { recursive: true }));

storeConformance("SQLite", () => sqliteStores(join(directory, "approvals.db")));
