/** The tools: name, when to use it, what it takes, what it does. */
import { z } from "zod";
import { STEP_NAMES } from "../../workflow/step.ts";
import type { Workflow } from "../../workflow/workflow.ts";

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly readOnly: boolean;
  /** A value to answer with, or a Problem. The input fits the schema. */
  call(workflow: Workflow, input: unknown): object;
}

interface ToolRow<Shape extends z.ZodRawShape> {
  readonly title: string;
  readonly description: string;
  readonly input: Shape;
  readonly readOnly?: true;
  call(workflow: Workflow, input: z.output<z.ZodObject<Shape>>): object;
}

function tool<Shape extends z.ZodRawShape>(name: string, row: ToolRow<Shape>): Tool {
  const { title, description, readOnly = false } = row;
  return {
    name,
    title,
    description,
    input: z.strictObject(row.input),
    readOnly,
    call: (workflow, input) => row.call(workflow, input as z.output<z.ZodObject<Shape>>),
  };
}

const phase = z.string().describe("name of the phase, as in 01-login: letters, digits, - _ and dots");
const currentPhase = phase.optional().describe("name of the phase; the current one when left out");
const phases_total = z.number().int().describe("how many phases the roadmap has");

export const TOOLS: readonly Tool[] = [
  tool("state_get", {
    title: "Read the workflow state",
    description:
      "The project's whole workflow state. Call it at the start of a session and before you write plans, so that you act on what is so and not on memory.",
    input: {},
    readOnly: true,
    call: (workflow) => workflow.stateGet(),
  }),
  tool("state_init", {
    title: "Start the workflow",
    description:
      "Starts the workflow of a project that has none, at step specced. Call it once, after the specification and the roadmap are written. It refuses to replace a state that is there.",
    input: {
      name: z.string().describe("the project's name"),
      phase: phase.describe("name of the first phase, as in 01-login"),
      phases_total,
      force: z
        .boolean()
        .optional()
        .describe("replace the state that is there; only when the person said to start over"),
    },
    call: (workflow, input) => workflow.stateInit(input),
  }),
  tool("state_transition", {
    title: "Go to the next step",
    description:
      "Moves the phase to its next step. Call it when the work of the present step is really done, never ahead of it. Refused where no way leads from the present step, and while the phase is blocked.",
    input: {
      step: z.string().describe(`the step to go to: ${STEP_NAMES.filter((name) => name !== "blocked").join(", ")}`),
      phase: phase.optional().describe("name of the phase from here on; leave it out to stay in the current one"),
    },
    call: (workflow, input) => workflow.stateTransition(input),
  }),
  tool("state_add_blocker", {
    title: "Record what blocks the phase",
    description:
      "Records why work cannot go on: a decision only the person can take, access that is missing, a failure you could not get past after three attempts. The phase then takes no next step until it is resolved. Do not use it for ordinary to-dos.",
    input: { phase: currentPhase, reason: z.string().describe("what is missing and who can give it, in one sentence") },
    call: (workflow, input) => workflow.stateAddBlocker(input),
  }),
  tool("state_resolve_blocker", {
    title: "Resolve a blocker",
    description:
      "Marks a blocker as resolved. Call it when what was missing is there, not to get past it. The status stays blocked while another blocker is open.",
    input: {
      phase: currentPhase,
      reason: z
        .string()
        .optional()
        .describe("the blocker's reason, word for word, where several are open; else the oldest"),
    },
    call: (workflow, input) => workflow.stateResolveBlocker(input),
  }),
  tool("state_advance_phase", {
    title: "Begin the next phase",
    description: "Begins the roadmap's next phase at step specced. Only after the present phase is shipped.",
    input: { phase: phase.describe("name of the next phase"), phases_total },
    call: (workflow, input) => workflow.stateAdvancePhase(input),
  }),
  tool("plans_list", {
    title: "List the plans of a phase",
    description:
      "The plans of a phase in the order to carry them out (wave, then number), each with whether it is complete. Call it before executing and to find where to resume.",
    input: { phase: currentPhase },
    readOnly: true,
    call: (workflow, input) => workflow.plansList(input),
  }),
  tool("status", {
    title: "Where the project stands",
    description:
      "Phase, step, progress, open blockers, settings and what to do next, in one answer. Call it when the person asks how things stand or what comes next.",
    input: {},
    readOnly: true,
    call: (workflow) => workflow.status(),
  }),
  tool("config_get", {
    title: "Read the workflow settings",
    description:
      "How this project wants its workflow run: parallel plans in a wave, commits and branches, which reviews to do, what counts as a test run. Defaults are filled in. Call it before you execute plans.",
    input: {},
    readOnly: true,
    call: (workflow) => workflow.configGet(),
  }),
  tool("config_init", {
    title: "Write the workflow settings",
    description:
      "Writes .holdfast/workflow.toml with every setting in it, so that the person can edit it. What the file already says stays. Safe to call again.",
    input: {},
    call: (workflow) => workflow.configInit(),
  }),
];
