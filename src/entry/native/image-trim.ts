/**
 * A startup image ends with compiled code of all of Node's own modules: two fifths of its bytes, which every process that
 * begins with it copies. Few of them are ever loaded by a call that begins with the image, which has its own loaded.
 */
import { Worker } from "node:worker_threads";

/** How Node writes it: a count, and for each module its name and its code, each after its length. */
const LENGTH = 8;
const MOST_MODULES = 2_000;
const LONGEST_NAME = 100;

interface ModuleCode {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The image without the code of modules that are not kept; undefined: it does not end as we know it. */
export function trimmedImage(image: Buffer, isKept: (name: string) => boolean): Buffer | undefined {
  const found = findModules(image);
  if (!found) return undefined;
  const modules = found.modules.filter(({ name }) => isKept(name));
  const count = Buffer.alloc(LENGTH);
  count.writeUInt32LE(modules.length);
  return Buffer.concat([
    image.subarray(0, found.at),
    count,
    ...modules.map(({ from, to }) => image.subarray(from, to)),
  ]);
}

/** Of which modules of Node's an image holds code, beside those that are loaded in it. */
export const modulesIn = (image: Buffer): string[] => findModules(image)?.modules.map(({ name }) => name) ?? [];

/** A list that ends exactly with the image, and has in it what loads all of Node's modules. */
function findModules(image: Buffer): { readonly at: number; readonly modules: readonly ModuleCode[] } | undefined {
  for (let at = 0; at + 2 * LENGTH < image.length; at++) {
    const count = lengthAt(image, at);
    if (count === 0 || count > MOST_MODULES) continue;
    const modules = modulesAt(image, at + LENGTH, count);
    if (modules?.some(({ name }) => name === "internal/bootstrap/realm")) return { at, modules };
  }
  return undefined;
}

function modulesAt(image: Buffer, start: number, count: number): ModuleCode[] | undefined {
  const modules: ModuleCode[] = [];
  let from = start;
  while (modules.length < count) {
    const nameEnd = from + LENGTH + lengthAt(image, from);
    if (nameEnd > Math.min(image.length, from + LENGTH + LONGEST_NAME)) return undefined;
    const name = image.toString("latin1", from + LENGTH, nameEnd);
    const to = nameEnd + LENGTH + lengthAt(image, nameEnd);
    if (!/^[\w/-]+$/.test(name) || to > image.length) return undefined;
    modules.push({ name, from, to });
    from = to;
  }
  return from === image.length ? modules : undefined;
}

/** None of them needs more than four of its eight bytes. */
function lengthAt(image: Buffer, at: number): number {
  if (at + LENGTH > image.length || image.readUInt32LE(at + 4) !== 0) return Number.POSITIVE_INFINITY;
  return image.readUInt32LE(at);
}

/** What a call may load later: to start programs, and workers that import modules. */
export function modulesLoadedLater(): Promise<(name: string) => boolean> {
  const code = `
    require("node:child_process");
    const { parentPort } = require("node:worker_threads");
    const emptyModule = "data:text/javascript,";
    import(emptyModule).then(() => parentPort.postMessage(process.moduleLoadList));`;
  return new Promise((resolve, reject) => {
    const worker = new Worker(code, { eval: true, execArgv: [] });
    worker.once("error", reject);
    worker.once("message", (lines: string[]) => {
      const loaded = new Set(lines.map((line) => line.replace(/^NativeModule /, "")));
      resolve((name) => loaded.has(name) || BEGINNING_OF_WORKERS.test(name));
    });
  });
}

/** Not in any list of what is loaded: they load the others. */
const BEGINNING_OF_WORKERS = /^internal\/(bootstrap\/|per_context\/|main\/worker_thread$)/;
