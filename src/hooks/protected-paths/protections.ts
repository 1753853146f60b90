/** What is protected without anybody saying so. A row per reason; globs start at the project's root or, with ~, at home. */
export interface Protection {
  readonly id: string;
  readonly globs: readonly string[];
  readonly except?: readonly string[];
  readonly against: "read" | "write" | "both";
  readonly severity: "block" | "ask";
  readonly why: string;
  readonly instead: string;
}

const ASK_THE_PERSON = "tell the person what should change and why; they edit it themselves.";

export const PROTECTIONS: readonly Protection[] = [
  {
    id: "workflow-state",
    globs: [".holdfast/state.toml"],
    against: "write",
    severity: "block",
    why: "holds the project's workflow state, which changes only through its own steps",
    instead:
      "use the tools of the MCP server holdfast: state_get, state_init, state_transition, state_add_blocker, state_resolve_blocker.",
  },
  {
    id: "workflow-config",
    globs: [".holdfast/workflow.toml"],
    against: "write",
    severity: "block",
    why: "holds the workflow's settings",
    instead: "use the tools config_get and config_init of the MCP server holdfast, or ask the person.",
  },
  {
    id: "own-files",
    globs: [
      ...["yaml", "yml", "toml", "json"].flatMap((format) => [`holdfast.${format}`, `holdfast.local.${format}`]),
      ".holdfast/hooks/**",
      ".holdfast/tests/**",
      ".holdfast/tracking/**",
    ],
    against: "write",
    severity: "block",
    why: "belongs to Holdfast and is not yours to change",
    instead: ASK_THE_PERSON,
  },
  {
    id: "host-registration",
    globs: [
      ".claude/settings.json",
      ".claude/settings.local.json",
      "~/.claude/settings.json",
      "~/.claude.json",
      ".codex/**",
      "~/.codex/config.toml",
      "~/.codex/hooks.json",
      ".cursor/hooks.json",
      "~/.cursor/hooks.json",
      ".github/hooks/**",
      "~/.copilot/hooks/**",
      ".opencode/**",
      "opencode.json",
      ".gemini/**",
      "~/.gemini/settings.json",
      ".kiro/hooks/**",
      ".kiro/agents/**",
      "~/.kiro/hooks/**",
      "~/.kiro/agents/**",
      ".kiro/settings/mcp.json",
      ".mcp.json",
      ".qwen/settings.json",
      ".pi/extensions/**",
      ".pi/settings.json",
      "~/.pi/agent/extensions/**",
      "~/.pi/agent/settings.json",
      "~/.pi/agent/trust.json",
    ],
    against: "write",
    severity: "block",
    why: "is where the rules are registered with an agent",
    instead: ASK_THE_PERSON,
  },
  {
    id: "git-hooks",
    globs: [".git/hooks/**", ".husky/**", ".git/config"],
    against: "write",
    severity: "block",
    why: "runs on every commit, outside of review",
    instead: ASK_THE_PERSON,
  },
  {
    id: "ci",
    globs: [
      ".github/workflows/**",
      ".gitlab-ci.yml",
      ".circleci/**",
      "Jenkinsfile",
      "azure-pipelines.yml",
      ".ci/**",
      ".buildkite/**",
      ".drone.yml",
    ],
    against: "write",
    severity: "ask",
    why: "decides what runs on the build machines",
    instead: "show the person the change you want, and let them agree to it.",
  },
  {
    id: "environment",
    globs: [".env", ".env.*"],
    except: [".env.example", ".env.sample", ".env.template", ".env.dist", ".env.test"],
    // Writing one from an example is how a project is set up.
    against: "read",
    severity: "ask",
    why: "holds secrets",
    instead: "use the variable by its name without reading it, or ask the person for what you need.",
  },
  {
    id: "secrets",
    globs: [
      "*.pem",
      "*.key",
      "*.p12",
      "*.pfx",
      "*.keystore",
      "id_rsa",
      "id_ed25519",
      "id_ecdsa",
      ".netrc",
      ".pgpass",
      "~/.ssh/**",
      "~/.aws/credentials",
      "~/.config/gcloud/**",
      "~/.kube/config",
      "~/.docker/config.json",
      "~/.npmrc",
      "credentials.json",
      "service-account*.json",
    ],
    except: ["*.pub", "~/.ssh/known_hosts", "~/.ssh/config"],
    against: "both",
    severity: "ask",
    why: "holds secrets",
    instead: "ask the person for what you need, or let them put it in place.",
  },
];
