import type { Invocation } from "./invocation.ts";

const BYSTANDERS = new Set("cd ls pwd echo true : test [ sudo time nice command env".split(" "));

/** Whether a program may put files where there were none: what it starts in its turn is asked for itself. */
export const mayMakeFiles = ({ program, redirects }: Invocation) =>
  !BYSTANDERS.has(program) || redirects.some(({ direction }) => direction !== "read");
