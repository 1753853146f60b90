import type { Environment } from "../../config/places.ts";
import type { Output } from "./output.ts";

/** 0 done; 1 findings or not finished; 2 blocked; 3 bad input or config; 4 a program we ran failed; 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130;

export interface Flag {
  readonly type: "boolean" | "string";
  readonly doc: string;
  /** How the value is called in the help. */
  readonly value?: string;
  /** It may be given more than once. */
  readonly multiple?: true;
}

export interface CommandRow {
  readonly name: string;
  readonly group: "set up" | "rules" | "records" | "people" | "runs" | "knowledge" | "workflow" | "service";
  readonly summary: string;
  readonly usage: string;
  readonly examples: readonly string[];
  readonly flags: Readonly<Record<string, Flag>>;
  /** How many words may follow. */
  readonly words?: readonly [min: number, max: number];
  load(): Promise<{ run(call: CommandCall): Promise<ExitCode> }>;
}

export interface CommandCall {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly output: Output;
  readonly env: Environment;
  readonly cwd: string;
  readonly distDir: string;
}

export const textFlag = (call: CommandCall, name: string): string | undefined => {
  const value = call.flags[name];
  return typeof value === "string" ? value : undefined;
};

export const listFlag = (call: CommandCall, name: string): readonly string[] => {
  const value = call.flags[name];
  return Array.isArray(value) ? value.map(String) : [];
};
