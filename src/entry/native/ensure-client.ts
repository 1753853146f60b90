/** Makes what an installed package lacks: the client or, without a compiler, the launcher; and the image that both start. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Environment } from "../../config/places.ts";
import { VERSION } from "../../engine/version.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { awaitFileLock } from "../../records/file-lock.ts";
import { buildId } from "../daemon/socket-place.ts";
import { packagedClient } from "./client.ts";
import {
  clientPlace,
  digestOf,
  type Installation,
  imagePlace,
  isImageName,
  isSoundImage,
  type MadeImage,
  packageDirOf,
  readRecord,
  soundRecord,
  writeRecord,
} from "./client-record.ts";
import { compile, hostCompiler } from "./compile.ts";
import { fileView } from "./file-view.ts";
import { imageMarks } from "./image-marks.ts";
import { launcherInState, launcherOf } from "./launcher.ts";
import { makeImage } from "./make-image.ts";

export interface Lacks {
  /** Why there is none; undefined: there is. */
  readonly client?: string;
  readonly image?: string;
}

export type Ensured =
  | { readonly kind: "ready" | "built"; readonly file: string; readonly lacks: Lacks }
  | { readonly kind: "none"; readonly why: string };

export interface Manner {
  /** Says what would come of it. */
  readonly pretend?: boolean;
  /** The one who asks is an agent: what hosts call is not exchanged for what its compiler or Node makes. */
  readonly isAgent?: boolean;
}

/** Makes what is missing, damaged, or of another build or Node. */
export async function ensureClient(
  installation: Installation,
  env: Environment,
  { pretend = false, isAgent = false }: Manner = {},
): Promise<Ensured> {
  const { distDir } = installation;
  const packaged = packagedClient(distDir);
  if (packaged) return { kind: "ready", file: packaged, lacks: {} };
  if (process.platform !== "linux" && process.platform !== "darwin")
    return { kind: "none", why: `not for ${process.platform}` };
  const id = buildId(distDir);
  if (id === undefined) return { kind: "none", why: `${distDir} is not whole` };
  const compiler = compilerFor(installation, env);
  const order = { installation, env, buildId: id, compiler, file: clientPlace(installation) };
  const ready = readyIn(order);
  if (ready) return ready;
  if (isAgent && existsSync(order.file)) return { kind: "ready", file: order.file, lacks: { image: KEPT } };
  const launcher = launcherOf(distDir);
  if (launcher && "problem" in compiler) return { kind: "ready", file: launcher, lacks: lack("client", compiler) };
  if (pretend) return { kind: "built", file: order.file, lacks: lack("client", compiler) };
  const directory = dirname(order.file);
  try {
    makeDirectory(directory, 0o700);
    chmodSync(directory, 0o700);
    const lock = await awaitFileLock(join(directory, "making.lock"), { waitMs: WAIT_MS, staleMs: STALE_MS });
    try {
      return readyIn(order) ?? (await makeAll(order));
    } finally {
      lock.release();
    }
  } catch (error) {
    return { kind: "none", why: (error as Error).message };
  }
}

const KEPT = "an agent's shell does not replace what hosts call; run `holdfast init` in a terminal of your own";
const WAIT_MS = 120_000;
const STALE_MS = 600_000;

interface Order {
  readonly installation: Installation;
  readonly env: Environment;
  readonly buildId: string;
  readonly compiler: FoundCompiler;
  readonly file: string;
}

type FoundCompiler = { readonly command: readonly string[] } | { readonly problem: string };

function compilerFor(installation: Installation, env: Environment): FoundCompiler {
  const source = sourceOf(installation);
  return existsSync(source) ? hostCompiler(env) : { problem: `${source} is missing` };
}

const sourceOf = ({ distDir }: Installation) => join(distDir, "..", "native", "holdfast.c");

const lack = (name: keyof Lacks, found: object): Lacks => ("problem" in found ? { [name]: found.problem } : {});

/** Nothing that could be made is missing. */
function readyIn(order: Order): Ensured | undefined {
  const record = soundRecord(order.installation);
  if (!record?.image || !isSoundImage(order.installation, record.image)) return undefined;
  if (record.kind === "client") return { kind: "ready", file: order.file, lacks: {} };
  const isMissing = "problem" in order.compiler;
  return isMissing ? { kind: "ready", file: order.file, lacks: lack("client", order.compiler) } : undefined;
}

async function makeAll(order: Order): Promise<Ensured> {
  const { file } = order;
  const before = readRecord(file);
  removeParts(file);
  const image = await imageFor(order, before?.image);
  const made = "problem" in image ? undefined : image;
  const lacks = lack("image", image);
  if (!made && isAsGood(order)) return { kind: "ready", file, lacks };
  const part = `${file}.${process.pid}.tmp`;
  const client = clientInto(part, order, made);
  const problem = client === undefined ? undefined : launcherInto(part, order, made);
  if (problem !== undefined) {
    rmSync(part, { force: true });
    return { kind: "none", why: client ?? problem };
  }
  const kind = client === undefined ? "client" : "launcher";
  renameSync(part, file);
  writeRecord(file, {
    buildId: order.buildId,
    kind,
    sha256: digestOf(file),
    package: { dir: packageDirOf(order.installation.distDir), view: fileView() },
    ...(made ? { image: made } : {}),
  });
  removeImages(file, [made, before?.image]);
  return { kind: "built", file, lacks: { ...lacks, ...(client === undefined ? {} : { client }) } };
}

/** What is there has no image either, and nothing else that could be made now. */
function isAsGood(order: Order): boolean {
  const record = soundRecord(order.installation);
  if (!record || record.image) return false;
  return record.kind === "client" || "problem" in order.compiler;
}

async function imageFor(
  { installation, file }: Order,
  known: MadeImage | undefined,
): Promise<MadeImage | { readonly problem: string }> {
  if (known && isSoundImage(installation, known)) return known;
  const { distDir } = installation;
  const part = join(dirname(file), `hook.${process.pid}.image.tmp`);
  const problem = await makeImage({ distDir, binDir: join(packageDirOf(distDir), "bin"), out: part });
  if (problem !== undefined) return { problem };
  chmodSync(part, 0o600);
  const sha256 = digestOf(part);
  const image = imagePlace(file, sha256);
  renameSync(part, image);
  const node = process.execPath;
  const marks = imageMarks({ node, image, bundle: join(distDir, "hook.cjs") });
  return marks ? { file: image, sha256, node, marks } : { problem: "the bundle does not say which it is" };
}

/** What went wrong, or undefined. */
function clientInto(part: string, order: Order, image: MadeImage | undefined): string | undefined {
  const { installation, env, buildId: id, compiler } = order;
  if ("problem" in compiler) return compiler.problem;
  const failure = compile(compiler.command, {
    source: sourceOf(installation),
    out: part,
    buildId: id,
    node: image?.node ?? process.execPath,
    program: join(packageDirOf(installation.distDir), "bin", "holdfast"),
    ...(image ? { image } : {}),
  });
  if (failure !== undefined) return failure;
  chmodSync(part, 0o700);
  return problemOf(part, env);
}

function launcherInto(part: string, { installation, env }: Order, image: MadeImage | undefined): string | undefined {
  rmSync(part, { force: true });
  const node = image?.node ?? process.execPath;
  writeFileSync(part, launcherInState(node, packageDirOf(installation.distDir), image), { mode: 0o700 });
  return problemOf(part, env);
}

const CHECK_MS = 20_000;

/** It must run here (a state directory may forbid that), and find the program it falls back to. */
function problemOf(file: string, env: Environment): string | undefined {
  const { status, stdout, error } = spawnSync(file, ["--version"], { env, encoding: "utf8", timeout: CHECK_MS });
  if (status === 0 && stdout.trim() === VERSION) return undefined;
  return `what was built does not run here: ${error?.message ?? `exit ${status}`}`;
}

/** Of somebody who was stopped in the middle. */
function removeParts(file: string): void {
  const directory = dirname(file);
  for (const name of readdirSync(directory)) if (name.endsWith(".tmp")) rmSync(join(directory, name), { force: true });
}

/** That of the client before stays: a call that has just looked at it must still find it, or Node ends as if it consented. */
function removeImages(file: string, kept: readonly (MadeImage | undefined)[]): void {
  const directory = dirname(file);
  const names = new Set(kept.map((image) => image && basename(image.file)));
  for (const name of readdirSync(directory))
    if (isImageName(name) && !names.has(name)) rmSync(join(directory, name), { force: true });
}
