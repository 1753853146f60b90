/** The native client from its source: which compilers there are, what is baked in, and one compilation. */
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { makeDirectory } from "../../files/make-directory.ts";
import type { ImageMarks } from "./image-marks.ts";
import { IMAGE_OPTIONS, IMAGE_TUNABLES } from "./image-options.ts";

/** Words, because `CC="zig cc"` and targets have several. */
export type Compiler = readonly string[];

export interface Compilation {
  readonly source: string;
  readonly out: string;
  readonly buildId: string;
  /** Left out where the client runs on another machine. */
  readonly node?: string;
  /** bin/holdfast, where the client does not lie in its package. */
  readonly program?: string;
  /** Of a loaded Node, made on this machine by `node`. No file: the one of the build that the client lies in. */
  readonly image?: { readonly file?: string; readonly marks: ImageMarks };
  readonly flags?: readonly string[];
}

export const isThere = ([program = "", ...args]: Compiler): boolean =>
  spawnSync(program, [...args, "--version"]).status === 0;

export function hostCompiler(env: NodeJS.ProcessEnv): { readonly command: Compiler } | { readonly problem: string } {
  if (process.platform !== "linux" && process.platform !== "darwin") return { problem: `not for ${process.platform}` };
  const named = env.CC?.trim().split(/\s+/);
  const command = [...(named?.[0] ? [named] : []), ["cc"], ["gcc"], ["clang"]].find(isThere);
  return command ? { command } : { problem: "no C compiler (cc, gcc, clang, or CC)" };
}

/** What went wrong, or undefined. */
export function compile([program = "", ...args]: Compiler, compilation: Compilation): string | undefined {
  const { source, out, buildId, node, flags = [] } = compilation;
  makeDirectory(dirname(out), 0o700);
  const baked = {
    HOLDFAST_BUILD_ID: buildId,
    HOLDFAST_NODE: node,
    HOLDFAST_PROGRAM: compilation.program,
    ...imageDefines(compilation.image),
  };
  const defines = Object.entries(baked).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [
          `-D${name}=${[value]
            .flat()
            .map((one) => JSON.stringify(one))
            .join()}`,
        ],
  );
  const attempt = (...more: string[]) =>
    spawnSync(program, [...args, "-O2", "-std=c11", "-s", ...flags, ...more, ...defines, source, "-o", out], {
      encoding: "utf8",
    });
  const isForThisMachine = node !== undefined;
  for (const link of process.platform === "linux" ? [smallLibc(source), ["-static"]] : [])
    if (attempt(...link).status === 0 && (!isForThisMachine || isRunning(out, buildId))) return undefined;
  const { status, error, stderr } = attempt();
  if (status === 0) return undefined;
  return `${program} failed: ${(error?.message ?? stderr).trim().split("\n")[0]}`;
}

/** Loading the system's C library takes longer than the rest of the client: it brings the part of one that it needs. */
export const smallLibc = (source: string): readonly string[] => [
  "-nostdlib",
  "-static",
  "-fno-builtin",
  "-fno-stack-protector",
  "-U_FORTIFY_SOURCE",
  "-Wl,-z,noseparate-code",
  "-Wl,--build-id=none",
  join(dirname(source), "small-libc.c"),
];

const isRunning = (client: string, buildId: string): boolean =>
  spawnSync(client, ["--client-build-id"], { encoding: "utf8" }).stdout === `${buildId}\n`;

function imageDefines(image: Compilation["image"]) {
  if (image === undefined) return {};
  const { file, marks } = image;
  return {
    HOLDFAST_IMAGE: file,
    HOLDFAST_IMAGE_SIZE: marks.imageSize,
    HOLDFAST_IMAGE_OPTIONS: IMAGE_OPTIONS,
    HOLDFAST_IMAGE_TUNABLES: IMAGE_TUNABLES,
    HOLDFAST_NODE_SIZE: marks.nodeSize,
    HOLDFAST_NODE_MTIME: marks.nodeTime,
    HOLDFAST_BUNDLE_SIZE: marks.bundleSize,
    HOLDFAST_BUNDLE_LINE: marks.bundleLine,
  };
}
