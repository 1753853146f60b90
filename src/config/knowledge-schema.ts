/** The schema of `knowledge:`, what sessions teach. */
import { z } from "zod";

const count = (doc: string, max = 100_000) => z.int().min(1).max(max).optional().describe(doc);

export const promptContextSection = z.strictObject({
  enabled: z.boolean().optional().describe("false: no nodes are put beside prompts; default true"),
  max_nodes: count("how many nodes at most; default 5", 50),
  max_characters: count("how many characters at most, all told; default 1800"),
});

export const drainSection = z.strictObject({
  enabled: z
    .boolean()
    .optional()
    .describe("true: a headless run of a host makes proposals of captured sessions, which costs; default false"),
  host: z.string().min(1).optional().describe("the host that does it; default the one the session was on"),
  model: z.string().min(1).optional().describe("its model, as the host calls it; default the host's own choice"),
  runs_per_day: count("how many such runs a day at most; default 20", 10_000),
  attempts: count("how often a session is tried before it is set aside; default 3", 20),
  timeout_sec: count("seconds until a run counts as failed; default 120", 3600),
});

export const docsSection = z.strictObject({
  include: z.array(z.string().min(1)).optional().describe("globs of files to read; default all Markdown in git"),
  exclude: z.array(z.string().min(1)).optional().describe("globs of files to leave out"),
});

export const knowledgeSection = z
  .strictObject({
    enabled: z.boolean().optional().describe("true: sessions are captured and nodes are put in front of agents"),
    curation_threshold: count("how many sessions wait for curation before you are told; default 20"),
    overdue_days: count("curation is overdue when the oldest waits so many days; default 7"),
    lint_every: count("the base is looked over every Nth session; default 50"),
    logs_retention_days: count("holdfast knowledge prune deletes traces older than this; default 30"),
    notifications: z.boolean().optional().describe("false: no desktop notifications; default true"),
    secrets: z
      .enum(["redact", "keep"])
      .optional()
      .describe("what capture does with secrets in transcripts; default redact"),
    prompt_context: promptContextSection.optional().describe("the nodes most relevant to a prompt"),
    drain: drainSection
      .optional()
      .describe("proposals made in the background; a project's file can only switch it off"),
    docs: docsSection.optional().describe("which of the project's documents bootstrap reads"),
  })
  .describe("what sessions teach, kept in .holdfast/knowledge");

export type KnowledgeConfig = z.infer<typeof knowledgeSection>;
