/** Which files that a command line wrote where programs are looked for may be started, and as what. */
import { type Arg, arg } from "./arg.ts";
import { interpreterName, isInterpreter } from "./code.ts";
import type { WrittenFile } from "./invocation.ts";

const NO_PROGRAMS = /^(?:Dockerfile|Containerfile|Makefile|GNUmakefile|makefile|LICENSE|README|CHANGELOG|CODEOWNERS)$/;

/** Programs have no ending, as a rule: what has one is started where it is named. */
export function mayBeStarted(path: string, program: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name === program || !(name.includes(".") || NO_PROGRAMS.test(name));
}

/** `#!/usr/bin/env python3`: it is no script of a shell's then. */
export function startedAs(path: string, { text }: WrittenFile): Arg[] {
  const [, file = "", first = ""] = /^#!\s*(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?/.exec(text ?? "") ?? [];
  const name = file.endsWith("/env") ? first : file;
  const program = name.slice(name.lastIndexOf("/") + 1);
  return program !== "" && isInterpreter(interpreterName(program)) ? [arg(program), arg(path)] : [arg(path)];
}
