// What is measured: each is a loop of an agent of its own, with rules of its own.

/** Every built-in hook off that can be: what is left is the records. */
const OFF = ["destructive-command", "protected-paths", "person-only", "loops", "workflow", "requires-confirmation"];
const off = (...kept) => OFF.filter((name) => !kept.includes(name)).map((name) => `  ${name}: false\n`);
const guards = (lines) => `guards:\n${lines.join("")}`;

/** All built-ins that look at a call or its output, and some of them again for this agent: twenty entries. */
const AGENT_HOOKS = [
  "read-only",
  "requires-confirmation",
  "redact-output",
  "truncate-output",
  "protected-paths",
  "person-only",
  "destructive-command",
  "loops",
  "workflow",
  "{ name: truncate-output, config: { max-characters: 20000 } }",
];
const TWENTY = `guards:\n  read-only: true\n  redact-output: true\n  truncate-output: true\nagents:\n  bench:\n    hooks:\n${AGENT_HOOKS.map((name) => `      - ${name}\n`).join("")}`;

const configured = (hook) => `${guards(off())}hooks:\n  pre_tool_use:\n    - hooks: [${hook}]\n`;

const LOOP = { calls: 1_000, warmUp: 200 };

/** Calls of one loop before it is another's turn. */
export const TURN = 20;

/** `added`: what it may add to a call without hooks, in µs. */
export const SUBJECTS = [
  { ...LOOP, name: "no Holdfast: the tool alone", bare: true },
  { ...LOOP, name: "no hooks", rules: guards(off()), isBase: true },
  { ...LOOP, name: "one built-in (protected-paths)", rules: guards(off("protected-paths")) },
  { ...LOOP, name: "twenty built-ins", rules: TWENTY, target: 100 },
  { ...LOOP, name: "one TypeScript hook in code", rules: guards(off()), inCode: true, target: 50 },
  { ...LOOP, name: "one TypeScript module, loaded by the agent", rules: guards(off()), loads: true, target: 50 },
  {
    ...LOOP,
    name: "one TypeScript module of a config, in a worker",
    rules: configured("{ type: module, path: ./hook.ts }"),
  },
  {
    ...LOOP,
    name: "one rate limit, shared through the disk",
    rules: guards([...off(), "  rate-limit: { limits: [{ tools: ['*'], calls: 10000, seconds: 1 }] }\n"]),
  },
  { name: "one command hook", rules: configured("{ type: command, command: ./hook.sh }"), calls: 200, warmUp: 5 },
];
