/** `holdfast knowledge validate`: whether JSON or YAML fits, with the place of everything that does not. */
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { CONTRACTS, problemText } from "../../knowledge/curation/contracts.ts";
import type { CommandCall, ExitCode } from "../cli/command.ts";
import { parseInput, readInput } from "./input.ts";

export async function run(call: CommandCall, [name = "", path = "-"]: readonly string[]): Promise<ExitCode> {
  const { output } = call;
  const contract = Object.hasOwn(CONTRACTS, name) ? CONTRACTS[name] : undefined;
  if (!contract) {
    const known = Object.keys(CONTRACTS);
    const meant = nearest(name, known);
    throw new HoldfastError("HF701", `there is no schema "${name}"`, {
      hint: meant ? `did you mean ${meant}?` : `schemas: ${known.join(", ")}`,
    });
  }
  const problems = contract.check(parseInput(await readInput(path, call), path === "-" ? "stdin" : path));
  if (output.json) output.data({ valid: problems.length === 0, problems });
  else if (problems.length === 0) output.line(output.paint("green", "fits"));
  else for (const problem of problems) output.line(`${output.paint("red", "error")}  ${problemText(problem)}`);
  return problems.length === 0 ? 0 : 1;
}
