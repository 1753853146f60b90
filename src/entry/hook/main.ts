/** `holdfast hook`: what hosts call. One native payload in, one native answer out; whatever fails, the path is closed. */
import { answerOneCall } from "./one-call.ts";
import { thisProcess } from "./own-process.ts";

export { rehearse } from "./rehearsal.ts";

export const main = (argv: readonly string[], distDir: string): Promise<void> =>
  answerOneCall(argv, distDir, thisProcess());
