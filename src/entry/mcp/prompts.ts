/** The prompts: one per step of the way, each one message that tells an agent what to do there with our tools. */
export interface Prompt {
  readonly name: string;
  readonly description: string;
  readonly takesPhase: boolean;
  /** Without a phase it speaks of the current one. */
  text(phase: string | undefined): string;
}

const LOOK_FIRST = "Call state_get first; the state is the truth, your memory is not.";
const called = (phase: string | undefined) => (phase === undefined ? "the current phase" : `phase ${phase}`);
const folder = (phase: string | undefined) => `.holdfast/phases/${phase ?? "<current phase>"}/`;

const SPEC = (source: string) =>
  [
    source,
    "1. Ask the person what is to be built, for whom, and how they will know that it works. Ask until you could not guess wrong; do not invent.",
    "2. Write .holdfast/project.md (what and why), .holdfast/requirements.md (numbered, each one testable) and .holdfast/roadmap.md (phases in order, each of use on its own).",
    "3. Show the person the roadmap. When they agree, call state_init with the project's name, the first phase and the number of phases; then config_init.",
    "If state_init answers that there is a state already, call status and go on from there instead.",
  ].join("\n");

export const PROMPTS: readonly Prompt[] = [
  {
    name: "spec",
    description: "Specify a project and start its workflow",
    takesPhase: false,
    text: () => SPEC("Specify this project before anything is built."),
  },
  {
    name: "init",
    description: "The same as spec",
    takesPhase: false,
    text: () => SPEC("Set up the workflow of this project, beginning with its specification."),
  },
  {
    name: "discuss",
    description: "Settle a phase's open questions with the person",
    takesPhase: true,
    text: (phase) =>
      [
        `Settle what is still open about ${called(phase)} before it is designed.`,
        `1. ${LOOK_FIRST} The step must be specced.`,
        "2. Read the roadmap and the requirements of the phase. List what two good engineers would decide differently.",
        "3. Put those questions to the person, a few at a time, each with your own proposal.",
        `4. Write what was decided and why to context.md in ${folder(phase)}.`,
        "5. Call state_transition to discussed.",
      ].join("\n"),
  },
  {
    name: "design",
    description: "Design a phase",
    takesPhase: true,
    text: (phase) =>
      [
        `Design ${called(phase)}.`,
        `1. ${LOOK_FIRST} The step must be specced or discussed. Call config_get: features.research and features.design_review say whether to do those.`,
        "2. Read the requirements, context.md if there is one, and the code that will be touched. With research on, look up what you would otherwise assume and note it in research.md.",
        `3. Write design.md in ${folder(phase)}: parts and their borders, data, failure cases, how each requirement will be proven, what was rejected.`,
        "4. With design_review on, have it reviewed with fresh eyes (a sub-agent where there is one), twice at most.",
        "5. Call state_transition to designed.",
      ].join("\n"),
  },
  {
    name: "plan",
    description: "Cut a phase's design into plans",
    takesPhase: true,
    text: (phase) =>
      [
        `Cut the design of ${called(phase)} into plans.`,
        `1. ${LOOK_FIRST} The step must be designed.`,
        `2. Write plans/001.md, 002.md and so on in ${folder(phase)}. Each begins with TOML between two +++ lines: phase, plan (its number), wave, title, type (execute or tdd), depends_on (numbers), requirements, files_modified.`,
        "3. A plan has two to five tasks, each with its files, what to do, how to check it, and when it is done. A plan's wave is one more than the highest wave it depends on; plans of one wave touch different files.",
        "4. Call plans_list: every plan is there, none has a problem, every requirement of the phase is in one.",
        "5. With features.plan_checker on (config_get), have the plans checked against the design, three times at most.",
        "6. Call state_transition to planned.",
      ].join("\n"),
  },
  {
    name: "review",
    description: "Review a phase's design and plans before they are carried out",
    takesPhase: true,
    text: (phase) =>
      [
        `Review the design and the plans of ${called(phase)} as somebody who did not write them.`,
        `1. ${LOOK_FIRST} Then call plans_list.`,
        "2. Look for requirements that no plan meets, tasks without a check, two plans of one wave that touch the same file, dependencies that run backwards, failure cases the design leaves out.",
        `3. Write what you find to review.md in ${folder(phase)}, worst first, each with what to change. Do not change the plans in the same breath.`,
        "4. Tell the person the outcome in a few lines. A finding that only they can decide is a blocker: state_add_blocker.",
      ].join("\n"),
  },
  {
    name: "exec",
    description: "Carry out the plans of the current phase, or resume doing so",
    takesPhase: false,
    text: () =>
      [
        "Carry out the plans of the current phase.",
        `1. ${LOOK_FIRST} At planned, call state_transition to executing. At executing you are resuming: no transition is needed.`,
        "2. Call config_get (how many plans of a wave may run side by side, commits, branches: feature means a branch per phase) and plans_list.",
        "3. Wave by wave, take each plan that is not complete. Do its tasks in order; run each task's check and read what it printed. A plan of type tdd has its failing test first.",
        "4. After a plan, run the tests, then write <plan>-summary.md beside it: what was done, what was checked, what differs from the plan. That file is what makes the plan complete.",
        "5. Stuck after three honest attempts, or in need of a decision: state_add_blocker, tell the person, and stop.",
        "6. When plans_list shows all complete, call state_transition to executed.",
      ].join("\n"),
  },
  {
    name: "verify",
    description: "Prove that the current phase does what was asked",
    takesPhase: false,
    text: () =>
      [
        "Prove that the current phase does what was asked of it.",
        `1. ${LOOK_FIRST} The step must be executed.`,
        "2. Run the whole test suite now, after the last change. An older run proves nothing.",
        "3. Go through the phase's requirements one by one: for each, the command or the steps that show it, and what you saw. With features.code_review on (config_get), have the changed code reviewed too.",
        "4. Write it to verification.md in the phase's folder. What fails is fixed and proven again, or recorded with state_add_blocker.",
        "5. Only when everything holds, call state_transition to complete.",
      ].join("\n"),
  },
  {
    name: "ship",
    description: "Ship the current phase",
    takesPhase: false,
    text: () =>
      [
        "Ship the current phase.",
        `1. ${LOOK_FIRST} The step must be complete.`,
        "2. Bring the changelog and the documents up to date. Tell the person what is about to be released and let them do, or agree to, anything others will see: merging, tagging, publishing.",
        "3. Call state_transition to shipped.",
        "4. If the roadmap has another phase, propose it; when the person agrees, call state_advance_phase.",
      ].join("\n"),
  },
  {
    name: "next",
    description: "Find out what comes next, and do it",
    takesPhase: false,
    text: () =>
      [
        "Find out what comes next in this project, and do it.",
        "1. Call status. Without a state, begin with the specification (prompt spec).",
        "2. With open blockers, tell the person what they are and what would resolve them, and stop.",
        "3. Otherwise do the one step that next_suggestion names, by its own instructions, then say where the project stands. One step, not the whole way.",
      ].join("\n"),
  },
  {
    name: "status",
    description: "Tell the person where the project stands",
    takesPhase: false,
    text: () =>
      [
        "Tell the person where the project stands.",
        "Call status, and plans_list when the phase has plans. Answer in at most ten lines: phase and step, how much is done, what is blocked and by what, what comes next. Change nothing.",
      ].join("\n"),
  },
  {
    name: "map",
    description: "Describe the code base as it is, before planning changes to it",
    takesPhase: false,
    text: () =>
      [
        "Describe this code base as it is, for those who will plan changes to it.",
        "1. Read the build files, the entry points and the tests before anything else; run the tests once and note how.",
        "2. Write .holdfast/codebase.md: what it does, its parts and which depends on which, its conventions by example, how it is built, tested and released, and where it is fragile. Name files. Say what you did not look at.",
        "3. Change no code and no state.",
      ].join("\n"),
  },
];
