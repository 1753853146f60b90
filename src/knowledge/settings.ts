/** The section `knowledge:` of the config, as the plan carries it, and what stands where it says nothing. */

/** As written, all layers merged; a plan has it only where knowledge is switched on. */
export interface KnowledgeSection {
  readonly enabled?: boolean | undefined;
  readonly curation_threshold?: number | undefined;
  readonly overdue_days?: number | undefined;
  readonly lint_every?: number | undefined;
  readonly logs_retention_days?: number | undefined;
  readonly notifications?: boolean | undefined;
  readonly secrets?: "redact" | "keep" | undefined;
  readonly prompt_context?:
    | {
        readonly enabled?: boolean | undefined;
        readonly max_nodes?: number | undefined;
        readonly max_characters?: number | undefined;
      }
    | undefined;
  readonly drain?:
    | {
        readonly enabled?: boolean | undefined;
        readonly host?: string | undefined;
        readonly model?: string | undefined;
        readonly runs_per_day?: number | undefined;
        readonly attempts?: number | undefined;
        readonly timeout_sec?: number | undefined;
      }
    | undefined;
  readonly docs?:
    | { readonly include?: readonly string[] | undefined; readonly exclude?: readonly string[] | undefined }
    | undefined;
}

export interface KnowledgeSettings {
  /** So many sessions wait for curation before a person is told. */
  readonly curationThreshold: number;
  readonly overdueDays: number;
  /** Every Nth session the base is looked over. */
  readonly lintEvery: number;
  readonly logsRetentionDays: number;
  readonly notifications: boolean;
  readonly secrets: "redact" | "keep";
  readonly promptContext: {
    readonly enabled: boolean;
    readonly maxNodes: number;
    readonly maxCharacters: number;
  };
  readonly drain: DrainSettings;
  readonly docs: { readonly include: readonly string[]; readonly exclude: readonly string[] };
}

export interface DrainSettings {
  readonly enabled: boolean;
  /** Undefined: the host the session was captured on. */
  readonly host: string | undefined;
  readonly model: string | undefined;
  readonly runsPerDay: number;
  readonly attempts: number;
  readonly timeoutSec: number;
}

export function knowledgeSettings(section: KnowledgeSection = {}): KnowledgeSettings {
  const { prompt_context: prompt = {}, drain = {}, docs = {} } = section;
  return {
    curationThreshold: section.curation_threshold ?? 20,
    overdueDays: section.overdue_days ?? 7,
    lintEvery: section.lint_every ?? 50,
    logsRetentionDays: section.logs_retention_days ?? 30,
    notifications: section.notifications ?? true,
    secrets: section.secrets ?? "redact",
    promptContext: {
      enabled: prompt.enabled ?? true,
      maxNodes: prompt.max_nodes ?? 5,
      maxCharacters: prompt.max_characters ?? 1800,
    },
    drain: {
      enabled: drain.enabled ?? false,
      host: drain.host,
      model: drain.model,
      runsPerDay: drain.runs_per_day ?? 20,
      attempts: drain.attempts ?? 3,
      timeoutSec: drain.timeout_sec ?? 120,
    },
    docs: { include: docs.include ?? [], exclude: docs.exclude ?? [] },
  };
}
