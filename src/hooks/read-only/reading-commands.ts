/** Shell commands that only read: known programs, with options of which none writes. Everything else may write. */
import { isKnown, texts } from "../../shell/arg.ts";
import type { FoundEffect } from "../../shell/effect.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { sqlUse } from "../../shell/sql-use.ts";

/** Why a command may write; undefined: it only reads. */
export function writingCommand(
  command: string,
  invocations: readonly Invocation[],
  effects: readonly FoundEffect[],
): string | undefined {
  const written = effects.find(({ effect }) => effect.type !== "read" && !goesNowhere(effect));
  if (written) return `\`${written.source}\` does more than read`;
  if (CHANGES_WHAT_RUNS.test(command)) return "the command changes which programs run";
  const unknown = invocations.find((invocation) => !onlyReads(invocation));
  return unknown ? `nobody knows whether \`${unknown.source}\` only reads` : undefined;
}

const goesNowhere = (effect: FoundEffect["effect"]) =>
  effect.type === "overwrite" && /^\/dev\/(null|stdout|stderr|tty)$/.test(effect.path.path ?? "");

const CHANGES_WHAT_RUNS = /\b(PATH|LD_[A-Z_]+|DYLD_[A-Z_]+|BASH_ENV|ENV|IFS|GIT_[A-Z_]+|\w*PAGER|EDITOR|LESSOPEN)\+?=/;

type Reads = (words: readonly string[], invocation: Invocation) => boolean;

function onlyReads(invocation: Invocation): boolean {
  const { program, args, path, elsewhere } = invocation;
  if (elsewhere !== undefined) return false;
  if (path !== undefined && !/^\/(usr\/)?(local\/)?s?bin\//.test(path.text)) return false;
  const reads = Object.hasOwn(READERS, program) ? READERS[program] : undefined;
  // A word that is not known may be the option that writes.
  return reads !== undefined && (reads === always || (args.every(isKnown) && reads(texts(args), invocation)));
}

const always: Reads = () => true;
const without =
  (options: RegExp): Reads =>
  (words) =>
    !words.some((word) => options.test(word));
const operands = (words: readonly string[]) => words.filter((word) => !word.startsWith("-"));

const PLAIN =
  "ls cat head tail wc nl tac rev cut tr grep egrep fgrep zgrep stat du df pwd cd echo printf true false test [ [[ : which type whoami id groups uname ps uptime free nproc arch basename dirname realpath readlink md5sum sha1sum sha224sum sha256sum sha384sum sha512sum cksum b2sum sum diff cmp comm column fold fmt expand unexpand paste join jq od hexdump strings base64 base32 seq sleep expr printenv tty locale getconf lscpu lsblk lsof zcat bzcat xzcat zipinfo exit return pushd popd dirs nslookup dig host";

/** Addresses and one command that neither writes a file nor runs a program. */
const SIMPLE_SED =
  /^\s*(\d+|\$|\/[^/]*\/)?(,\s*(\d+|\$|\/[^/]*\/))?\s*([pdq=]|s(\/[^/]*\/[^/]*\/|\|[^|]*\|[^|]*\||#[^#]*#[^#]*#)[gIip0-9]*)?\s*$/;

const GIT_READS = new Set(
  "status log diff show blame annotate grep ls-files ls-tree rev-parse rev-list describe shortlog cat-file name-rev merge-base for-each-ref diff-tree diff-index diff-files whatchanged count-objects version help show-ref check-ignore var cherry range-diff show-branch".split(
    " ",
  ),
);
/** Verbs that read only in these forms. */
const GIT_LISTS: Readonly<Record<string, RegExp>> = {
  branch: /^((-[avrl]+|--(all|list|remotes|verbose|show-current|contains|merged|no-merged|sort=\S+|format=\S+)) ?)*$/,
  tag: /^((-l|-n\d*|--list|--sort=\S+|--contains|--points-at) ?[^-]*)?$/,
  remote: /^(-v|--verbose)?$|^(get-url|show) [^-]+$/,
  stash: /^(list|show)( |$)/,
  config: /^(--(global|local|system) )?(--get|--get-all|--list|-l|get|list)( |$)/,
  worktree: /^list( |$)/,
  reflog: /^(show( |$).*)?$/,
  submodule: /^(status)?( |$)/,
};

const git: Reads = (words) => {
  const at = words.findIndex((word, index) => !word.startsWith("-") && words[index - 1] !== "-C");
  const [before, verb = "", after] = [words.slice(0, at < 0 ? words.length : at), words[at], words.slice(at + 1)];
  if (at < 0) return before.every((word) => word === "--version" || word === "--help");
  if (before.some((word) => word.startsWith("-") && !/^(-C|--no-pager|-P|--no-optional-locks)$/.test(word)))
    return false;
  if (after.some((word) => /^(--output|--ext-diff|--textconv|-O|--open-files-in-pager)/.test(word))) return false;
  return GIT_READS.has(verb) || (Object.hasOwn(GIT_LISTS, verb) && (GIT_LISTS[verb] as RegExp).test(after.join(" ")));
};

/** Options that neither send nor save anything; each may be followed by its value. */
const CURL_FLAG =
  /^(-[sSfLIivkG46]+|--(silent|show-error|fail|location|head|include|verbose|insecure|get|compressed|http\d\S*|no-progress-meter))$/;
const CURL_VALUED = /^(-[HAeumb]|--(header|user-agent|referer|user|max-time|connect-timeout|retry|url|cookie))$/;

const curl: Reads = (words) =>
  words.every(
    (word, at) =>
      !word.startsWith("-") ||
      CURL_FLAG.test(word) ||
      CURL_VALUED.test(word) ||
      CURL_VALUED.test(words[at - 1] ?? "") ||
      (/^(-X|--request)$/.test(word) && /^(GET|HEAD|OPTIONS)$/.test(words[at + 1] ?? "")) ||
      /^(-X|--request=)(GET|HEAD|OPTIONS)$/.test(word),
  );

const SQL_OPTION =
  /^-(c|d|h|U|u|P|D|t|A|x|q|X|w|e|N|B|readonly|json|csv|header|column|line|batch)$|^--(command|execute|host|port|user|username|dbname|database|tuples-only|no-align|csv|batch|no-psqlrc)(=.*)?$/;

/** A client is given its statements as words, and each of them reads. */
const sqlClient: Reads = (words, { stdin }) => {
  const given = words.map((word) => word.replace(/^--(command|execute)=/, ""));
  const said = given.filter((word) => /[\s\\;]/.test(word) || word.startsWith("."));
  return (
    stdin.type === "inherited" &&
    words.every((word) => !word.startsWith("-") || SQL_OPTION.test(word)) &&
    said.length > 0 &&
    said.every((text) => !text.includes("\\") && sqlUse(text) === "reads")
  );
};

const READERS: Readonly<Record<string, Reads>> = {
  ...Object.fromEntries(PLAIN.split(" ").map((name) => [name, always])),
  sort: without(/^(-[a-zA-Z]*o|--o|--compress-program|-T)/),
  uniq: (words) => operands(words).length < 2,
  date: (words) =>
    !words.some((word) => /^(-s|--s)/.test(word)) && operands(words).every((word) => word.startsWith("+")),
  hostname: (words) => operands(words).length === 0,
  env: (words) => words.length === 0,
  tree: without(/^(-o|--output)/),
  xxd: (words) => operands(words).length < 2 && !words.some((word) => /^-\w*r/.test(word)),
  yq: without(/^(-[a-zA-Z]*i|--inplace|--in-place|-s|--split)/),
  file: without(/^(-C|--compile)/),
  less: without(/^(-[oO]|--log-file|--LOG-FILE|-k|\+)/),
  more: without(/^\+/),
  rg: without(/^--(pre|hostname-bin)/),
  find: without(/^-(delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)$/),
  fd: without(/^(-x|-X|--exec)/),
  sed: (words) =>
    !words.some((word) => /^(-[a-zA-Z]*[if]|--in-place|--file|--expression|-\w*e)/.test(word)) &&
    (operands(words)[0] ?? "").split(";").every((part) => SIMPLE_SED.test(part)),
  git,
  curl,
  psql: sqlClient,
  mysql: sqlClient,
  mariadb: sqlClient,
  sqlite3: sqlClient,
  duckdb: sqlClient,
};
