import type { Invocation } from "./invocation.ts";

const BYSTANDERS = new Set("cd ls pwd echo true : test [ sudo time nice command env".split(" "));

/** Whether a program may put files where there were none: what it starts in its turn is asked for itself. */
export const mayMakeFiles = ({ program, redirects }: Invocation) =>
  !BYSTANDERS.has(program) || redirects.some(({ direction }) => direction !== "read");

const MAKE_NO_DIRECTORIES = new Set([
  ...BYSTANDERS,
  ..."[[ false set export unset declare local typeset readonly alias shopt umask trap builtin pushd popd exit return break continue".split(
    " ",
  ),
  ..."rm rmdir unlink touch tee truncate chmod chown cat head tail grep sed sort wc printf sleep kill date which".split(
    " ",
  ),
]);

export const mayMakeDirectories = ({ program }: Invocation) => !MAKE_NO_DIRECTORIES.has(program);
