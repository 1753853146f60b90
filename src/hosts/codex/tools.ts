/** Codex's tools as its hooks name them: its own name for some, and a group's name written right before a tool's. */
import { delegatingTools } from "../delegation.ts";
import { type ToolRow, vocabulary } from "../tool-vocabulary.ts";

const other: ToolRow = { kind: "other" };
const delegate: ToolRow = { kind: "delegate", required: ["message"] };

/** The groups that tools for sub-agents are in: of gpt-5.5 and before, and of later models. */
const AGENT_GROUPS = ["multi_agent_v1", "collaboration"];

/** In these a text goes to a sub-agent. */
const ASKING = ["spawn_agent", "send_input", "send_message", "followup_task"];

const ABOUT_AGENTS: Readonly<Record<string, ToolRow>> = {
  ...Object.fromEntries(ASKING.map((name) => [name, delegate])),
  wait_agent: other,
  close_agent: other,
  resume_agent: other,
  interrupt_agent: other,
  list_agents: other,
};

const TOOLS: Readonly<Record<string, ToolRow>> = {
  // exec_command, shell_command and local_shell to the model.
  Bash: { kind: "shell", required: ["command"] },
  apply_patch: { kind: "edit", patch: "command", required: ["command"] },
  view_image: { kind: "read", paths: ["path"], required: ["path"] },
  web_search: { kind: "fetch" },
  ...ABOUT_AGENTS,
  ...Object.fromEntries(
    AGENT_GROUPS.flatMap((group) => Object.entries(ABOUT_AGENTS).map(([name, row]) => [`${group}${name}`, row])),
  ),
  clockcurr_time: other,
  clocksleep: other,
  create_goal: other,
  exec: other,
  get_goal: other,
  image_generation: other,
  list_mcp_resource_templates: other,
  list_mcp_resources: other,
  read_mcp_resource: other,
  request_permissions: other,
  request_user_input: other,
  request_user_input_async: other,
  tool_search: other,
  tool_suggest: other,
  update_goal: other,
  update_plan: other,
  wait: other,
  write_stdin: other,
};

export const tools = vocabulary({
  names: Object.keys(TOOLS),
  rowOf: (name) => (Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined),
  mcpNames(name) {
    const [, server, method] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
    return server && method ? { server, method } : undefined;
  },
});

export const delegating = delegatingTools({
  names: ["", ...AGENT_GROUPS].flatMap((group) => ASKING.map((name) => `${group}${name}`)),
  target: "agent_type",
  prompt: "message",
  defaultAgent: "default",
});
