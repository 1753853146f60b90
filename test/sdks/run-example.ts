/** An example of examples/sdks/, run as its first lines say: in a project of its own that has the packages installed. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

/** What it printed. `installed` is a directory whose node_modules it may use besides Holdfast. */
export async function runExample(
  file: string,
  installed: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-example-"));
  const modules = join(dir, "node_modules");
  try {
    mkdirSync(modules);
    for (const name of readdirSync(join(installed, "node_modules"))) {
      if (!name.startsWith(".") && name !== "holdfast") link(join(installed, "node_modules", name), modules, name);
    }
    link(root, modules, "holdfast");
    copyFileSync(join(root, "examples/sdks", file), join(dir, file));
    const env = { PATH: process.env.PATH, HOME: dir, HOLDFAST_STATE_DIR: join(dir, "state"), ...more };
    const { stdout } = await run(process.execPath, [join(dir, file)], { cwd: dir, env });
    return stdout;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function link(target: string, modules: string, name: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  symlinkSync(target, join(modules, name));
}
