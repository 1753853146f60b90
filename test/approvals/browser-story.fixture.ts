/** A team's afternoon: requests of every kind, decided and not, and the decisions of hooks around them. */
import { draftOf } from "../../src/approvals/approval.fixture.ts";
import type { Approval, Person } from "../../src/approvals/approval.ts";
import { Approvals } from "../../src/approvals/service.ts";
import type { AuditRow, Stores } from "../../src/approvals/store.ts";

export const TEAM = "harbour";
export const MIRA: Person = { id: "mira", organisation: TEAM, name: "Mira Sato", roles: ["approver", "release"] };
export const KEN: Person = { id: "ken", organisation: TEAM, name: "Ken Adeyemi", roles: ["approver", "release"] };
export const LENA: Person = { id: "lena", organisation: TEAM, name: "Lena Vogt", roles: [] };

const MINUTE_MS = 60_000;

export async function tellStory(stores: Stores): Promise<{ pending: readonly Approval[] }> {
  const approvals = new Approvals(stores);
  for (const person of [MIRA, KEN, LENA]) await stores.putPerson(person);
  const ask = (changes: Parameters<typeof draftOf>[0]) => {
    const { id: _, ...draft } = draftOf({ organisation: TEAM, ...changes });
    return approvals.request(draft);
  };
  const by = (person: Person, kind: "approve" | "deny", reason = "") => ({ person, kind, reason, via: "web" }) as const;

  const migration = await ask({
    rule: "approvals/production-database",
    reason: "Changes the schema of the production database.",
    call: {
      ...LEDGER_AGENT,
      input: { command: "psql $DATABASE_URL -f migrations/0042_add_iban.sql" },
      effects: ["runs SQL from migrations/0042_add_iban.sql against $DATABASE_URL"],
    },
  });
  await approvals.vote(migration.id, by(MIRA, "approve", "Reviewed with Ken."));
  await approvals.use(migration.id, { digest: migration.digest, eventId: "event-migration" });
  const mail = await ask({
    rule: "approvals/outside-mail",
    reason: "Sends mail to people outside the organisation.",
    call: {
      ...SUPPORT_AGENT,
      tool: "mcp__mail__send",
      kind: "mcp",
      input: { to: "all-customers@lists.harbour.example", subject: "We are moving" },
      effects: ["sends a message to all-customers@lists.harbour.example"],
    },
  });
  await approvals.vote(mail.id, by(KEN, "deny", "Not to the whole list. Send it to the pilot customers first."));

  const pending = [
    await ask({
      rule: "cloud/delete-namespace",
      reason: "Deletes a namespace with everything that runs in it.",
      policy: { approvers: { roles: ["release"], count: 2, notInitiator: true }, expiresAfterMs: 12 * MINUTE_MS },
      call: {
        ...DEPLOY_AGENT,
        input: {
          command:
            'kubectl --context production delete namespace checkout --wait=false && ./scripts/notify.sh "checkout removed"',
        },
        effects: [
          "deletes the namespace checkout in production, with every workload in it",
          "runs the script scripts/notify.sh",
        ],
      },
    }),
    await ask({
      rule: "approvals/payout-code",
      reason: "Touches src/payouts, where a mistake costs money.",
      policy: { approvers: { roles: ["release"] }, expiresAfterMs: 45 * MINUTE_MS },
      call: {
        ...LEDGER_AGENT,
        tool: "Edit",
        kind: "edit",
        input: {
          file_path: "src/payouts/limits.ts",
          old_string:
            "export const MAX_PAYOUT_CENTS = 50_000;\n\n/** Above this a second person signs. */\nexport const SECOND_SIGNATURE_CENTS = 10_000;\n",
          new_string:
            "export const MAX_PAYOUT_CENTS = 5_000_000;\n\n/** Above this a second person signs. */\nexport const SECOND_SIGNATURE_CENTS = 1_000_000;\n",
        },
        effects: ["changes src/payouts/limits.ts"],
      },
    }),
    await ask({
      rule: "approvals/refunds",
      reason: "Refunds above 500 euros need a person.",
      policy: { expiresAfterMs: 2 * 60 * MINUTE_MS, remindEveryMs: 30 * MINUTE_MS },
      call: {
        ...SUPPORT_AGENT,
        tool: "mcp__billing__refund",
        kind: "mcp",
        input: {
          order: "HB-20417",
          amount: { value: 1280, currency: "EUR" },
          reason: "Delivered twice, one was returned",
          notify_customer: true,
        },
        effects: ["refunds 1,280.00 EUR of order HB-20417"],
      },
    }),
  ];
  const [first] = pending;
  if (first) await approvals.vote(first.id, by(KEN, "approve"));
  await stores.appendAudit(afternoonOfDecisions(stores.now()));
  return { pending };
}

const DEPLOY_AGENT = {
  agent: "deploy-bot",
  initiator: "lena",
  cwd: "/srv/harbour/infra",
  session: "s-7f31c2",
  host: "claude-code",
};
const LEDGER_AGENT = {
  agent: "ledger-agent",
  initiator: "lena",
  cwd: "/srv/harbour/ledger",
  session: "s-20b9aa",
  host: "codex",
};
const SUPPORT_AGENT = {
  agent: "support-agent",
  initiator: "ken",
  cwd: "/srv/harbour/support",
  session: "s-9d04e1",
  host: "ai-sdk",
};

const COMMANDS = [
  "npm test",
  "git status",
  "kubectl get pods",
  "rg TODO src",
  "git push origin HEAD:fix/limits",
  "rm -rf build",
];

/** The same every time: figures that look like a day without being random. */
function afternoonOfDecisions(now: Date): AuditRow[] {
  return Array.from({ length: 900 }, (_, index) => {
    const at = new Date(now.getTime() - index * index * 105 - index * 1_000).toISOString();
    const decision = index % 37 === 0 ? "block" : index % 23 === 0 ? "ask" : index % 5 === 0 ? "allow" : "none";
    const command = COMMANDS[index % COMMANDS.length] ?? "";
    const ms = 1.1 + ((index * 7919) % 100) / 60 + (index % 41 === 0 ? 6 : 0);
    const isFailure = index % 310 === 12;
    const hooks = [
      { hook: "destructive-command", ms: ms / 2, opinion: { kind: decision === "block" ? "block" : "none" } },
      { hook: "protected-paths", ms: ms / 4, opinion: { kind: "none" } },
      {
        hook: "no-friday-deploys",
        ms: ms / 5,
        opinion: { kind: "none" },
        ...(isFailure && { failure: { code: "crash", message: "TypeError: options.zone is undefined" } }),
      },
    ];
    const reasons =
      decision === "block"
        ? [
            {
              hook: "destructive-command",
              rule: "filesystem/delete-outside",
              text: "deletes files outside the project",
            },
          ]
        : [];
    const record = JSON.stringify({ agent: "deploy-bot", reasons, hooks, input: { tool: { command } } });
    return {
      source: "build-7",
      sequence: index + 1,
      organisation: TEAM,
      at,
      session: index % 12 === 0 ? "s-7f31c2" : `s-${index % 12}`,
      event: "pre_tool_use",
      decision,
      tool: "Bash",
      ms,
      record,
    };
  });
}
