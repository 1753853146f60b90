/** For tests: a project and a machine's own directories for each test, and engines that are closed after it. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { createHoldfast, type Holdfast, type HoldfastOptions } from "./holdfast.ts";

export const distDir = join(import.meta.dirname, "../../dist");

export interface EmbeddedScene {
  readonly dir: string;
  readonly project: string;
  environment(): { PATH: string | undefined; HOME: string; HOLDFAST_CONFIG_DIR: string; HOLDFAST_STATE_DIR: string };
  create(options?: HoldfastOptions): Promise<Holdfast>;
  // biome-ignore lint/suspicious/noExplicitAny: what is read here is what the tests are about
  records(name: string): any[];
}

/** What is in it is there while a test runs. */
export function sceneForEachTest(): EmbeddedScene {
  const opened: Holdfast[] = [];
  let dir = "";
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-embed-")));
    mkdirSync(join(dir, "project", ".git"), { recursive: true });
  });
  afterEach(async () => {
    for (const holdfast of opened.splice(0)) await holdfast.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const scene: EmbeddedScene = {
    get dir() {
      return dir;
    },
    get project() {
      return join(dir, "project");
    },
    environment: () => ({
      PATH: process.env.PATH,
      HOME: dir,
      HOLDFAST_CONFIG_DIR: join(dir, "config"),
      HOLDFAST_STATE_DIR: join(dir, "state"),
    }),
    async create(options = {}) {
      const own = { host: "mine", cwd: scene.project, env: scene.environment(), distDir };
      const holdfast = await createHoldfast({ ...own, ...options });
      opened.push(holdfast);
      return holdfast;
    },
    records: (name) =>
      readFileSync(join(scene.project, `.holdfast/tracking/${name}.jsonl`), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
  };
  return scene;
}
