/** A program that asks a model once and does nothing else: the host a person uses, run without a terminal and without tools. */
export interface ModelHost {
  readonly id: string;
  readonly title: string;
  /** The model's words. Throws where there are none. */
  ask(question: Question): Promise<string>;
}

export interface Question {
  readonly prompt: string;
  /** Undefined: the program's own choice. */
  readonly model: string | undefined;
  /** Takes everything the program prints. */
  readonly outputFile: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** undefined: no program of that host can be asked this way. */
export type ModelHosts = (id: string) => ModelHost | undefined;
