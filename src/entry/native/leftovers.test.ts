import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { clientPlace, writeRecord } from "./client-record.ts";
import { fileView } from "./file-view.ts";
import { removeLeftovers } from "./leftovers.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-leftovers-"));
  mkdirSync(join(dir, "temporary"));
  vi.stubEnv("TMPDIR", join(dir, "temporary"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

const stateDir = () => join(dir, "state");

/** A package with a client and two images, as `init` leaves them. */
function madeFor(name: string, view = fileView()) {
  const packageDir = join(dir, name);
  mkdirSync(join(packageDir, "dist"), { recursive: true });
  const client = clientPlace({ distDir: join(packageDir, "dist"), stateDir: stateDir() });
  const record = { buildId: "1", kind: "client", sha256: "2" } as const;
  writeRecord(client, { ...record, package: { dir: packageDir, view } });
  writeFileSync(client, "client");
  const images = ["hook.0.image", "hook.1.image"].map((image) => join(client, "..", image));
  for (const image of images) writeFileSync(image, "image");
  return { packageDir, client, images };
}

const removedPaths = async (manner?: { pretend: boolean }) =>
  (await removeLeftovers(stateDir(), manner)).map(({ path }) => path).sort();

describe("of a package that is gone", () => {
  it("the images are removed and named, and those of packages that are there stay", async () => {
    const [gone, there] = [madeFor("gone"), madeFor("there")];
    rmSync(gone.packageDir, { recursive: true });
    expect(await removeLeftovers(stateDir())).toEqual(
      gone.images.map((path) => ({ path, was: `the image of a package that is gone, ${gone.packageDir}` })),
    );
    expect([...gone.images, ...there.images].map((image) => existsSync(image))).toEqual([false, false, true, true]);
    expect(await removedPaths()).toEqual([]);
  });

  it("what hosts call stays: a program that is missing is taken for consent", async () => {
    const { packageDir, client } = madeFor("gone");
    rmSync(packageDir, { recursive: true });
    await removeLeftovers(stateDir());
    expect(readdirSync(join(client, "..")).sort()).toEqual(["holdfast", "holdfast.json"]);
  });

  it("nothing is removed for a dry run, which names the same", async () => {
    const { packageDir, images } = madeFor("gone");
    rmSync(packageDir, { recursive: true });
    expect(await removedPaths({ pretend: true })).toEqual(images);
    expect(images.map((image) => existsSync(image))).toEqual([true, true]);
  });

  it("nothing is removed where it is back a moment later, as when npm puts in another version", async () => {
    const { packageDir, images } = madeFor("away");
    rmSync(packageDir, { recursive: true });
    const removing = removedPaths();
    mkdirSync(packageDir);
    expect(await removing).toEqual([]);
    expect(images.map((image) => existsSync(image))).toEqual([true, true]);
  });

  it("nothing is removed that another machine or container made, where the package may be", async () => {
    const { packageDir, images } = madeFor("elsewhere", "another view");
    rmSync(packageDir, { recursive: true });
    expect(await removedPaths()).toEqual([]);
    expect(images.map((image) => existsSync(image))).toEqual([true, true]);
  });

  it("nothing is removed where no record says whose it is", async () => {
    const { packageDir, client, images } = madeFor("unsaid");
    writeFileSync(`${client}.json`, JSON.stringify({ buildId: "1", kind: "client", sha256: "2" }));
    rmSync(packageDir, { recursive: true });
    expect(await removedPaths()).toEqual([]);
    expect(images.map((image) => existsSync(image))).toEqual([true, true]);
  });
});

describe("of an init that was killed while it made an image", () => {
  const temporary = (name: string) => join(dir, "temporary", name);

  function scene(name: string, ageMinutes: number): string {
    mkdirSync(join(temporary(name), "state"), { recursive: true });
    mkdirSync(join(dir, "package", "dist"), { recursive: true });
    symlinkSync(join(dir, "package", "dist"), join(temporary(name), "dist"));
    const at = new Date(Date.now() - ageMinutes * 60_000);
    utimesSync(temporary(name), at, at);
    return temporary(name);
  }

  it("the directory is removed after an hour, and not what links in it lead to", async () => {
    const [old, young] = [scene("holdfast-image-aaaaaa", 61), scene("holdfast-image-bbbbbb", 59)];
    expect(await removeLeftovers(stateDir())).toEqual([
      { path: old, was: "what was left of an image that was not finished" },
    ]);
    expect([old, young, join(dir, "package", "dist")].map((path) => existsSync(path))).toEqual([false, true, true]);
  });

  it("nothing of another name is removed, and no link or file of that name", async () => {
    const others = [scene("holdfast-image-of-mine", 90), scene("holdfast-images", 90), scene("other", 90)];
    const link = temporary("holdfast-image-cccccc");
    symlinkSync(temporary("other"), link);
    const file = temporary("holdfast-image-dddddd");
    writeFileSync(file, "");
    utimesSync(file, 0, 0);
    expect(await removedPaths()).toEqual([]);
    expect([...others, link, file].every((path) => existsSync(path))).toBe(true);
  });

  it("nothing of somebody else's is removed", async () => {
    const old = scene("holdfast-image-eeeeee", 61);
    const uid = process.getuid?.() ?? 0;
    const getuid = vi.spyOn(process as Required<Pick<NodeJS.Process, "getuid">>, "getuid").mockReturnValue(uid + 1);
    expect(await removedPaths()).toEqual([]);
    getuid.mockRestore();
    expect(await removedPaths()).toEqual([old]);
  });

  it("a dry run names it and leaves it", async () => {
    const old = scene("holdfast-image-ffffff", 61);
    expect(await removedPaths({ pretend: true })).toEqual([old]);
    expect(existsSync(old)).toBe(true);
  });
});
