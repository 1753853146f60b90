/** `runs:`, where runs are kept and what a worker of this machine takes. */
import { z } from "zod";

export const workerSection = z
  .strictObject({
    concurrency: z.int().min(1).max(64).optional().describe("how many runs it drives at a time; default 1"),
    repositories: z.array(z.string().min(1)).optional().describe("only runs of these repositories; default all"),
    backends: z.array(z.string().min(1)).optional().describe("only runs on these backends; default all"),
  })
  .describe("what `holdfast worker` on this machine takes from the queue");

export const runsSection = z
  .strictObject({
    store: z
      .string()
      .regex(/^(postgres(ql)?:\/\/|\$\{)/, "is a PostgreSQL address, postgres://…; without it runs are files")
      .optional()
      .describe(
        "`postgres://…`: a database that several machines share, with a queue; default files in the state directory",
      ),
    lease_seconds: z
      .int()
      .min(3)
      .max(3600)
      .optional()
      .describe("a driver that was silent for so long is taken for dead; default 60"),
    worker: workerSection.optional(),
  })
  .describe("where runs are kept, and what a worker takes; user and managed config only");

export type RunsSection = z.infer<typeof runsSection>;
