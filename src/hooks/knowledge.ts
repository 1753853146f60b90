/** The roles of the knowledge layer as hooks. They are advice: a failure leaves a notice and the call goes on. */
import type { Answer, EventName } from "../core/event.ts";
import type { BuiltinHook, KnowledgeRole } from "./builtin.ts";

interface RoleRow {
  readonly name: string;
  readonly doc: string;
  readonly role: KnowledgeRole;
  readonly on: readonly EventName[];
  readonly answers: readonly Answer[];
}

const ROLES: readonly RoleRow[] = [
  {
    name: "knowledge-capture",
    doc: "keeps one log per session, without its secrets, for proposals to be made of",
    role: "capture",
    on: ["stop", "session_end", "pre_compaction"],
    answers: [],
  },
  {
    name: "knowledge-drain",
    doc: "has proposals made of the logs that wait, in the background; off until switched on",
    role: "drain",
    on: ["session_start"],
    answers: [],
  },
  {
    name: "knowledge-session-start",
    doc: "tells the model what the knowledge base holds, and what of it needs attention",
    role: "sessionStart",
    on: ["session_start"],
    answers: ["context"],
  },
  {
    name: "knowledge-prompt-context",
    doc: "names the few nodes of the knowledge base that a prompt is about",
    role: "promptContext",
    on: ["user_prompt_submit"],
    answers: ["context"],
  },
  {
    name: "knowledge-lint-tick",
    doc: "looks the knowledge base over every so many sessions",
    role: "lintTick",
    on: ["session_start"],
    answers: [],
  },
];

export const KNOWLEDGE_HOOKS: readonly BuiltinHook[] = ROLES.map(({ role, ...row }) => ({
  ...row,
  guards: false,
  switchedOnBy: "knowledge",
  onError: "continue",
  priority: 90,
  options: {},
  defaults: {},
  judge: (event, context, machine) => machine.knowledge[role](event, context),
}));
