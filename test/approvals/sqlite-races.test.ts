import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe } from "vitest";
import { raceRules } from "./races.ts";

const directory = mkdtempSync(join(tmpdir(), "holdfast-races-"));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;
beforeEach(() => void files++);

describe("SQLite among processes", () => raceRules(() => `sqlite:${join(directory, `approvals-${files}.db`)}`));
