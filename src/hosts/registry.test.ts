import { build } from "esbuild";
import { expect, it } from "vitest";
import { INSTALLERS, installerById } from "./installers.ts";
import { HOSTS, hostById } from "./registry.ts";

it("every host is found by its id, and no other is", () => {
  for (const host of HOSTS) expect(hostById(host.id)).toBe(host);
  for (const id of ["", "Claude-Code", "constructor"]) {
    expect(hostById(id)).toBeUndefined();
    expect(installerById(id)).toBeUndefined();
  }
});

it("every host can be installed", () => {
  expect(Object.keys(INSTALLERS)).toEqual(HOSTS.map(({ id }) => id));
});

it("the registry pulls in nothing but core and hosts: it runs on every tool call", async () => {
  const entryPoints = [`${import.meta.dirname}/registry.ts`];
  const { metafile } = await build({
    entryPoints,
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "cjs",
  });
  const outside = Object.keys(metafile.inputs).filter((path) => !/src\/(core|hosts)\//.test(path));
  expect(outside).toEqual([]);
  expect(Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external))).toEqual(
    [],
  );
});
