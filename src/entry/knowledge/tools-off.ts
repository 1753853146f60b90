/**
 * What makes a host's program a model and nothing else: no tool, no server, no memory of it. The transcript it reads is
 * somebody's words, so what they ask for must be impossible, not only forbidden. It also stands in an empty directory:
 * no project's instructions or settings reach it. `test/real-hosts/knowledge-drain.test.ts` sees what each one offers.
 */
export interface ToolsOff {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Written into its directory before it starts, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

const NO_GEMINI_TOOL = `[[rule]]
toolName = "*"
decision = "deny"
priority = 999
`;

/** Features of Codex that bring tools of their own. apply_patch stays, and has nowhere to write: the sandbox only reads. */
const CODEX_FEATURES = [
  "shell_tool",
  "unified_exec",
  "apps",
  "plugins",
  "multi_agent",
  "image_generation",
  "view_image",
  "browser_use",
  "computer_use",
  "tool_suggest",
  "goals",
  "sleep_tool",
];

export const TOOLS_OFF: Readonly<Record<string, (directory: string) => ToolsOff>> = {
  "claude-code": () => ({
    args: [
      ...["--tools", "", "--strict-mcp-config", "--mcp-config", '{"mcpServers":{}}'],
      ...["--disable-slash-commands", "--no-session-persistence"],
    ],
  }),
  codex: () => ({
    args: [
      ...["--ephemeral", "-c", `sandbox_mode="read-only"`, "-c", `approval_policy="never"`],
      ...["-c", `web_search="disabled"`, "-c", "mcp_servers={}"],
      ...CODEX_FEATURES.flatMap((feature) => ["-c", `features.${feature}=false`]),
    ],
  }),
  opencode: () => ({
    args: [],
    env: { OPENCODE_PURE: "1" },
    files: {
      "opencode.json": JSON.stringify({ tools: { "*": false }, permission: { "*": "deny" }, share: "disabled" }),
    },
  }),
  gemini: (directory) => ({
    args: [
      ...["--admin-policy", `${directory}/no-tools.toml`, "--approval-mode", "default", "--skip-trust"],
      ...["--extensions", "none", "--allowed-mcp-server-names", "none"],
    ],
    files: { "no-tools.toml": NO_GEMINI_TOOL },
  }),
  copilot: () => ({
    // A name that no tool has: an empty list would count as none given.
    args: ["--available-tools=no-tool-at-all", "--disable-builtin-mcps", "--no-custom-instructions"],
  }),
};
