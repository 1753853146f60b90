import { type Arg, arg } from "./arg.ts";
import { downloadedFiles } from "./executed.ts";
import type { Invocation, WrittenFile } from "./invocation.ts";
import { inputText, outputText } from "./printed-text.ts";

export interface FileWritten extends WrittenFile {
  readonly path: Arg;
  readonly append: boolean;
  /** The file whose text it has then. */
  readonly copyOf?: Arg | undefined;
}

export function filesWrittenBy(invocation: Invocation): FileWritten[] {
  const { program, args, redirects, stdin } = invocation;
  const found: FileWritten[] = redirects
    .filter(({ direction }) => direction !== "read")
    .map(({ target, direction }) => ({
      path: target,
      from: [invocation],
      text: outputText(invocation),
      append: direction === "append",
    }));
  if (program === "tee")
    for (const path of args)
      if (!path.text.startsWith("-"))
        found.push({
          path,
          from: [invocation],
          text: inputText(stdin),
          append: args.some(({ text }) => text === "-a"),
        });
  if (/^(cp|mv|install|ln)$/.test(program)) {
    const to = args.at(-1);
    const from = args.length > 1 && to ? args.slice(0, -1).filter(({ text }) => !text.startsWith("-")) : [];
    const add = (path: Arg, copyOf: Arg | undefined) =>
      found.push({ path, from: [invocation], text: undefined, append: false, copyOf });
    if (to && from.length > 0) add(to, from.length === 1 ? from[0] : undefined);
    for (const each of to ? from : [])
      add(arg(`${to?.text.replace(/\/+$/, "")}/${each.text.slice(each.text.lastIndexOf("/") + 1)}`), each);
  }
  for (const path of downloadedFiles(invocation))
    found.push({ path, from: [invocation], text: undefined, append: false });
  return found;
}
