/** `holdfast schema`: the published JSON Schemas. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import type { CommandCall, ExitCode } from "./command.ts";

const SUFFIX = ".schema.json";

export async function run({ words, output, distDir }: CommandCall): Promise<ExitCode> {
  const dir = join(distDir, "..", "schemas");
  const names = readdirSync(dir)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length));
  const [name] = words;
  if (name === undefined) {
    if (output.json) output.data(names);
    else for (const known of names) output.line(known);
    return 0;
  }
  if (!names.includes(name)) {
    const meant = nearest(name, names);
    throw new HoldfastError("HF701", `there is no schema "${name}"`, {
      hint: meant ? `did you mean ${meant}?` : "holdfast schema lists them",
    });
  }
  output.line(readFileSync(join(dir, `${name}${SUFFIX}`), "utf8").trimEnd());
  return 0;
}
