import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { openStores } from "./open.ts";

const directory = mkdtempSync(join(tmpdir(), "holdfast-open-"));
afterAll(() => rmSync(directory, { recursive: true }));

describe("a store by its address", () => {
  it("a path, sqlite:<path> and file://<path> are the same file", async () => {
    const file = join(directory, "a b.db");
    for (const [index, url] of [file, `sqlite:${file}`, pathToFileURL(file).href].entries()) {
      const stores = await openStores({ url });
      expect(await stores.count("opened", 60_000)).toBe(index + 1);
      await stores.close();
    }
  });

  it.each(["", "sqlite:", "mysql://root@localhost/db", "https://example.com/db", "sqlite://host/file", "a\0b"])(
    "%j is refused with HF922",
    async (url) => {
      await expect(openStores({ url })).rejects.toMatchObject({ code: "HF922" });
    },
  );
});
