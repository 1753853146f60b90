/** What a team of a harbour's software knows, and what its sessions propose. */

import { addNode } from "../../src/knowledge/base/change-nodes.ts";
import { slugOf } from "../../src/knowledge/base/node-id.ts";
import type { Candidate } from "../../src/knowledge/curation/contracts.ts";
import { candidate, type ScratchCuration, scratchCuration } from "../../src/knowledge/curation/curation.fixture.ts";

type Known = readonly [title: string, tags: readonly string[], relatesTo?: readonly string[], body?: string];

/** Those that are named come first. */
const MAP: readonly Known[] = [
  ["Ledger service", ["ledger"], [], "Books every payment. `src/ledger`, PostgreSQL, one writer."],
  ["Payout limits", ["payouts"], ["Ledger service"], "Both limits live in `src/payouts/limits.ts`."],
  ["Berth planner", ["planning"], [], "Assigns ships to berths; solver in `src/planner`."],
  ["Tide feed", ["planning"], ["Berth planner"]],
  ["Customs gateway", ["customs"], ["Ledger service"]],
  ["Manifest parser", ["customs"], ["Customs gateway"]],
  ["Crane telemetry", ["telemetry"], ["Berth planner"]],
  ["Event queue", ["infra"], ["Ledger service", "Crane telemetry"]],
  ["Sign-in of the team", ["access"]],
  ["Staging environment", ["infra"], ["Event queue"]],
  ["Invoice renderer", ["payouts"], ["Ledger service"]],
  ["Mobile app", ["mobile"], ["Sign-in of the team"]],
];

const PRACTICE: readonly Known[] = [
  [
    "Money is whole cents",
    ["payouts", "ledger"],
    ["Ledger service", "Payout limits"],
    "Never a float. `Cents` is the type.",
  ],
  ["Migrations go forward only", ["ledger"], ["Ledger service"], "A mistake is mended by another migration."],
  ["Sign every release", ["release"], ["Staging environment"], "With the key of the team, on the build machine."],
  ["Times are UTC inside", ["planning"], ["Tide feed", "Berth planner"]],
  ["Retries have an idempotency key", ["infra"], ["Event queue", "Customs gateway"]],
  ["Feature flags end within a month", ["release"], ["Staging environment"]],
  ["Tests use the real database", ["testing"], ["Ledger service"]],
  ["Logs have no names of people", ["access"], ["Sign-in of the team", "Event queue"]],
  ["Ports are arguments", ["testing"], ["Berth planner", "Event queue"]],
  ["Translations are reviewed by speakers", ["mobile"], ["Mobile app"]],
];

const PROPOSED: readonly Candidate[] = [
  candidate("Sign every release", {
    description: "A release is signed by two people, from different teams.",
    tags: ["release"],
    body: "Two people sign, from different teams. The build machine refuses with one signature.",
    confidence: "high",
  }),
  candidate("Second signature above the payout limit", {
    type: "map",
    description: "Where the second signature is asked for, and above which amount.",
    tags: ["payouts"],
    body: "`SECOND_SIGNATURE_CENTS` in `src/payouts/limits.ts`. Above it `src/payouts/sign.ts` asks two people.",
  }),
  candidate("Close the tide feed before a migration", {
    description: "The feed writes while a migration holds its lock.",
    tags: ["planning", "ledger"],
    body: "Stop `tide-feed` first; it reconnects by itself.",
    confidence: "low",
  }),
];

/** `text` stands wherever a person or a model can put one. */
export async function tellKnowledgeStory(text = ""): Promise<ScratchCuration> {
  const at = scratchCuration();
  const ids = new Map<string, string>();
  for (const [type, nodes] of [
    ["map", MAP],
    ["practice", PRACTICE],
  ] as const)
    for (const [title, tags, relatesTo = [], body = `What to know of it. ${text}`] of nodes) {
      const related = relatesTo.flatMap((other) => ids.get(other) ?? []);
      const { id } = await addNode(
        at,
        {
          type,
          title: `${title} ${text}`,
          description: `${title}, in a sentence. ${text}`,
          tags: text === "" ? tags : [...tags, text.slice(0, 60)],
          body: `${body}\n\n${text}`,
          confidence: "high",
          relatesTo: type === "practice" ? related.slice(0, 1) : related,
          dependsOn: type === "practice" ? related.slice(1) : [],
        },
        { folder: tags[0], slug: slugOf(title) },
      );
      ids.set(title, id);
    }
  at.session(
    "5e1f0c2a",
    PROPOSED.map((one) => ({ ...one, title: `${one.title} ${text}`.trim(), body: `${one.body} ${text}`.trim() })),
  );
  return at;
}
