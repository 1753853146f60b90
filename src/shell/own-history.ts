/** Patches that a command line takes from the repository it stands in: applied there, they are no news to it. */
import { mayMakeFiles } from "./bystanders.ts";
import type { Invocation, WrittenFile } from "./invocation.ts";

const SHOWS = /^(diff|show|stash|log|format-patch|diff-tree|diff-index|diff-files)$/;
/** Any file as a patch, and a file as it stands in a commit. */
const SHOWS_FILES = /^(--no-index$|[^-:][^:]*:)/;

export const showsOwnHistory = ({ program, args }: Invocation) =>
  program === "git" && args.some(({ text }) => SHOWS.test(text)) && !args.some(({ text }) => SHOWS_FILES.test(text));

/** A file that the line itself wrote, where nothing but git may have touched it since. */
export function holdsOwnHistory({ from }: WrittenFile, before: readonly Invocation[]): boolean {
  const keepsWhatWasThere = from[0]?.redirects.some(({ direction }) => direction === "append");
  return !keepsWhatWasThere && from.every(showsOwnHistory) && before.filter(mayMakeFiles).every(isGit);
}

/** For a file that was not there before: `git format-patch` may have made it, and nothing else can. */
export function onlyFormatsPatches(before: readonly Invocation[]): boolean {
  const makers = before.filter(mayMakeFiles);
  return makers.some(({ args }) => args.some(({ text }) => text === "format-patch")) && makers.every(showsOwnHistory);
}

const isGit = ({ program }: Invocation) => program === "git";
