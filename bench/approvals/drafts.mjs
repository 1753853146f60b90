import { randomUUID } from "node:crypto";

export const draftOf = (index, changes = {}) => ({
  organisation: "personal",
  digest: randomUUID(),
  rule: "approvals/production",
  reason: "It touches production.",
  channel: null,
  call: {
    eventId: `event-${index}`,
    host: "claude-code",
    session: `session-${index % 50}`,
    turn: "turn-1",
    agent: "coder",
    initiator: "ina",
    cwd: "/project",
    tool: "Bash",
    kind: "shell",
    input: { command: `deploy --production --target service-${index}` },
    effects: ["runs deploy"],
  },
  policy: {
    approvers: { people: [], roles: [], count: 1, notInitiator: false },
    expiresAfterMs: 3_600_000,
    remindEveryMs: null,
    escalation: null,
  },
  ...changes,
});

export const ballotOf = (id, kind = "approve") => ({
  person: { id, organisation: "personal", name: id, roles: ["approver"] },
  kind,
  reason: "",
  via: "api",
});
