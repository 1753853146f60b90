import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeImage } from "./make-image.ts";

let dir: string;
const { config } = process;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-make-image-"));
  vi.stubEnv("TMPDIR", dir);
});
afterEach(() => {
  Object.defineProperty(process, "config", { value: config });
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

const order = () => ({ distDir: join(dir, "nowhere"), binDir: join(dir, "nowhere"), out: join(dir, "image") });

it.runIf(process.platform === "linux" || process.platform === "darwin")(
  "no image is begun by a Node that is a shared library: that can be exchanged without a sign at its program",
  async () => {
    const variables = { ...config.variables, node_shared: true };
    Object.defineProperty(process, "config", { value: { ...config, variables } });
    expect(await makeImage(order())).toBe("this Node is a shared library");
    expect(readdirSync(dir)).toEqual([]);
  },
);

it("one that cannot be made leaves nothing behind, and says why", async () => {
  expect(await makeImage(order())).toMatch(/^no call without an image ends well: /);
  expect(existsSync(order().out)).toBe(false);
  expect(readdirSync(dir)).toEqual([]);
});
