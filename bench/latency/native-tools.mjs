// The programs in C that time others: starting processes from Node would measure Node's spawn too.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBuilt, root } from "../../scripts/ensure.mjs";

ensureBuilt();
const { hostCompiler } = await import(pathToFileURL(join(root, "dist/entry/native/compile.js")).href);

/** `directory` takes the binaries: an empty program, the spawner and the load driver. */
export function buildTools(directory) {
  const { command, problem } = hostCompiler(process.env);
  if (problem) throw new Error(`the bench times programs from C: ${problem}`);
  const [compiler, ...args] = command;
  const compiled = (name, source) => {
    const program = join(directory, name);
    execFileSync(compiler, [...args, "-O2", "-Wall", "-Wextra", source, "-o", program], { stdio: "inherit" });
    return program;
  };
  writeFileSync(join(directory, "empty.c"), "int main(void) { return 0; }\n");
  return {
    empty: compiled("empty", join(directory, "empty.c")),
    spawn: compiled("spawn", join(root, "bench", "spawn.c")),
    load: compiled("load", join(root, "bench", "load.c")),
  };
}
