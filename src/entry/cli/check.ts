/** `holdfast check`: everything the project has, validated; every finding with its place and the way to mend it. */
import { placesOf } from "../../config/places.ts";
import type { Plan } from "../../config/plan.ts";
import { isTrusted, readTrust } from "../../config/trust.ts";
import { compileFresh, storePlan } from "../../engine/fresh-compile.ts";
import { loadRegex } from "../../engine/lazy.ts";
import { failingCases } from "../../hooks/destructive-command/cases.ts";
import { HOSTS } from "../../hosts/registry.ts";
import { type CheckedDefinitions, checkDefinitions } from "../run/check-definitions.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { describeError, near, type Output, printError } from "./output.ts";
import { misspeltTools } from "./tool-reach.ts";

export async function run({ output, env, cwd, distDir }: CommandCall): Promise<ExitCode> {
  const places = placesOf(env);
  const { plan, errors, trustItems } = await compileFresh({ cwd, env, places, distDir });
  const problem = storePlan(plan, places);
  const store = readTrust(places.stateDir);
  const definitions = checkDefinitions(cwd, env);
  const untrusted = [...trustItems, ...definitions.code].filter((item) => !isTrusted(item, store));
  const broken = failingCases();
  const warnings = [...plan.warnings, ...misspeltTools(plan.hooks, HOSTS, await loadRegex())];
  const found = warnings.length + untrusted.length + broken.length > 0;
  const code = errors.length + definitions.errors.length > 0 ? 3 : found ? 1 : 0;
  if (problem) output.note(`${output.paint("yellow", "warning")}  ${problem}`);
  if (output.json) {
    output.data({
      ok: code === 0,
      files: plan.files,
      hooks: plan.hooks.length,
      errors: [...errors, ...definitions.errors].map((error) => describeError(error, cwd)),
      definitions: definitions.count,
      warnings,
      brokenRules: broken,
      untrusted: untrusted.map(({ id, what, file, line, text }) => ({ id, what, file, line, text })),
    });
    return code;
  }
  for (const { path, layer } of plan.files) output.line(`${output.paint("dim", layer.padEnd(8))} ${near(path, cwd)}`);
  if (plan.files.length === 0 && errors.length === 0) output.line("no config file: the shipped guards apply");
  for (const error of [...errors, ...definitions.errors]) printError(error, output, cwd);
  for (const warning of warnings) output.note(`${output.paint("yellow", "warning")}  ${warning}`);
  for (const { what, text, file, line } of untrusted) {
    output.note(
      `${output.paint("yellow", "untrusted")}  ${near(file, cwd)}${line ? `:${line}` : ""}  ${what}: ${text}`,
    );
  }
  for (const { rule, command, expected } of broken) {
    output.note(
      `${output.paint("red", "broken rule")}  ${rule}: \`${command}\` should be ${expected}; this Holdfast is damaged: reinstall it`,
    );
  }
  if (untrusted.length > 0) output.note(`             look at it and run: ${trustingCommands(untrusted, definitions)}`);
  const summary =
    errors.length > 0
      ? output.paint("red", `${errors.length} error(s): every guarded call is blocked until they are fixed`)
      : readyWords(plan.hooks, output);
  output.line(summary);
  if (definitions.count > 0) output.line(definitionsLine(definitions, output));
  return code;
}

/** Code of an assignment is trusted with it. */
function trustingCommands(untrusted: readonly { id: string }[], { code }: CheckedDefinitions): string {
  const ofAssignments = untrusted.filter(({ id }) => code.some((item) => item.id === id));
  const commands = [
    ...(ofAssignments.length < untrusted.length ? ["holdfast trust"] : []),
    ...(ofAssignments.length > 0 ? ["holdfast trust --assignment <name>"] : []),
  ];
  return commands.join(", and ");
}

function readyWords(hooks: Plan["hooks"], { paint }: Output): string {
  const waiting = hooks.filter(({ trust }) => trust === "untrusted").length;
  const ready = paint("green", `${hooks.length - waiting} hooks ready`);
  return waiting === 0 ? ready : `${ready}, ${paint("yellow", `${waiting} not yet trusted`)}`;
}

const definitionsLine = ({ count, errors }: CheckedDefinitions, { paint }: Output): string =>
  errors.length > 0
    ? paint("red", `${errors.length} of ${count} assignments, agents and task files cannot be used`)
    : paint("green", `${count} assignments, agents and task files can be used`);
