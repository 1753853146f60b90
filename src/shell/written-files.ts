import { type Arg, arg } from "./arg.ts";
import { downloadedFiles } from "./executed.ts";
import type { Invocation, WrittenFile } from "./invocation.ts";
import { inputText, outputText } from "./printed-text.ts";

export interface FileWritten extends WrittenFile {
  readonly path: Arg;
  readonly append: boolean;
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
    const below = from.map(({ text }) =>
      arg(`${to?.text.replace(/\/+$/, "")}/${text.slice(text.lastIndexOf("/") + 1)}`),
    );
    for (const path of to && from.length > 0 ? [to, ...below] : [])
      found.push({ path, from: [invocation], text: undefined, append: false });
  }
  for (const path of downloadedFiles(invocation))
    found.push({ path, from: [invocation], text: undefined, append: false });
  return found;
}
