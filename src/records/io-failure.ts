/** Why something could not be read or written, as data. */
export interface IoFailure {
  readonly code: string;
  readonly message: string;
}

/** A failure of the disk, or of our own with a code, as data; a bug in the program is thrown on. */
export function ioFailure(error: unknown): IoFailure {
  const code = codeOf(error);
  if (code === undefined || code.startsWith("ERR_")) throw error;
  return { code, message: (error as Error).message };
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
