/** The native client from its source: which compilers there are, what is baked in, and one compilation. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

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
  mkdirSync(dirname(out), { recursive: true, mode: 0o700 });
  const baked = { HOLDFAST_BUILD_ID: buildId, HOLDFAST_NODE: node, HOLDFAST_PROGRAM: compilation.program };
  const defines = Object.entries(baked).flatMap(([name, value]) =>
    value === undefined ? [] : [`-D${name}=${JSON.stringify(value)}`],
  );
  const all = [...args, "-O2", "-std=c11", "-s", ...flags, ...defines, source, "-o", out];
  const { status, error, stderr } = spawnSync(program, all, { encoding: "utf8" });
  if (status === 0) return undefined;
  return `${program} failed: ${(error?.message ?? stderr).trim().split("\n")[0]}`;
}
