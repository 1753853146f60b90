/** `require-evidence`: a task is completed when the ledger shows it, not when the agent says so. */
import { z } from "zod";
import type { LedgerEntry } from "../../../core/effect.ts";
import { globProblem } from "../../../core/written-glob.ts";
import type { RunMachine } from "../engine.ts";
import { completes, goesOn, type RunBuiltin, refuses } from "./builtin.ts";

const glob = z.string().superRefine((written, context) => {
  const message = globProblem(written);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

const config = z
  .strictObject({
    testsPassed: z.boolean().optional().describe("the tests ran after the last edit, and their last run succeeded"),
    testPatterns: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe("what counts as running the tests; default as in workflow.test_patterns"),
    changedOnlyUnder: z
      .array(glob)
      .min(1)
      .optional()
      .describe("path globs, from where the run works: nothing else was changed"),
  })
  .refine(
    ({ testsPassed, changedOnlyUnder }) => testsPassed || changedOnlyUnder,
    "asks for nothing: give testsPassed or changedOnlyUnder",
  );
type EvidenceConfig = z.infer<typeof config>;

export const requireEvidence: RunBuiltin = {
  name: "require-evidence",
  doc: "lets a task be completed only if the ledger shows that tests passed after the last edit, or that only these files were changed",
  phases: ["taskTransition"],
  config,
  timeoutSec: 60,
  async judge({ event, phase, config: given }, machine) {
    if (!completes(event)) return goesOn(phase);
    const wanted = given as EvidenceConfig;
    const { id, cwd } = event.run;
    const patterns = wanted.testPatterns ?? null;
    let tested: boolean | undefined;
    const elsewhere = new Set<string>();
    for await (const call of machine.ledgerOf({ id, cwd })) {
      const changed = changedBy(call, machine);
      // The newest run of the tests counts: one that failed is not made up for by one before it.
      if (tested === undefined && isTest(call, patterns, machine)) tested = call.success;
      if (tested === undefined && changed.length > 0) tested = false;
      for (const path of changed) {
        if (wanted.changedOnlyUnder && !machine.isUnder(path, wanted.changedOnlyUnder, cwd)) elsewhere.add(path);
      }
      if (tested !== undefined && !wanted.changedOnlyUnder) break;
    }
    const missing = [
      ...(wanted.testsPassed && !tested
        ? ["no test run that succeeded is recorded after the last edit; run the tests, then complete the task"]
        : []),
      ...(elsewhere.size > 0
        ? [
            `files outside ${wanted.changedOnlyUnder?.join(", ")} were changed: ${shortList([...elsewhere])}; undo that, or ask the person`,
          ]
        : []),
    ];
    return missing.length > 0 ? refuses(missing.join(". ")) : goesOn(phase);
  },
};

const isTest = (call: LedgerEntry, patterns: readonly string[] | null, machine: RunMachine) =>
  call.tool_kind === "shell" && machine.isTestRun(commandOf(call), patterns);

/** A call that failed may have changed something all the same. */
function changedBy(call: LedgerEntry, machine: RunMachine): readonly string[] {
  if (call.tool_kind === "shell") return machine.writesOf(commandOf(call), call.cwd);
  return call.tool_kind === "write" || call.tool_kind === "edit"
    ? (call.paths ?? []).map((path) => machine.realPath(path, call.cwd))
    : [];
}

const commandOf = ({ command, input_summary }: LedgerEntry) => command ?? input_summary ?? "";

const MAX_SHOWN = 5;
const shortList = (paths: readonly string[]) =>
  paths.slice(0, MAX_SHOWN).join(", ") + (paths.length > MAX_SHOWN ? ` and ${paths.length - MAX_SHOWN} more` : "");
