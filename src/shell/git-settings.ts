/** Settings that git is given besides its files, by options and by the environment, and what they make it run. */
import { type Arg, arg, UNKNOWN } from "./arg.ts";
import type { Invocation } from "./invocation.ts";
import { readOptions } from "./options.ts";

export interface GitSetting {
  /** In lower case: sections and names are not told apart by it. */
  readonly key: string;
  readonly value: string;
}

type Named = (name: string) => string | undefined;

/** Options before the verb that take the next word as their value. */
export const GLOBAL_VALUES =
  "C c git-dir work-tree namespace exec-path super-prefix config-env attr-source shallow-file".split(" ");

const MAX_NUMBERED = 64;
const FILE_VARIABLES = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG"];
const VARIABLES = [...FILE_VARIABLES, "GIT_CONFIG_PARAMETERS", "GIT_TEMPLATE_DIR", "HUSKY"];

/** What an earlier part of the command line has set is in git's environment, too. */
export function gitEnvironment({ args, env }: Pick<Invocation, "args" | "env">, set: Named): ReadonlyMap<string, Arg> {
  const names = [...VARIABLES, ...args.flatMap(({ text }) => environmentName(text) ?? [])];
  for (let i = 0; i < MAX_NUMBERED && set(`GIT_CONFIG_KEY_${i}`) !== undefined; i++)
    names.push(`GIT_CONFIG_KEY_${i}`, `GIT_CONFIG_VALUE_${i}`);
  const found = names.flatMap((name) => {
    const value = env.has(name) ? undefined : set(name);
    return value === undefined ? [] : [[name, arg(value)] as const];
  });
  return found.length > 0 ? new Map([...env, ...found]) : env;
}

/** `--config-env=key=NAME`, in one word or two. */
const environmentName = (text: string) => /^(?:--config-env=)?[\w.-]+=(\w+)$/.exec(text)?.[1];

/** `-c key=value` of git and of `git clone`, `--config-env`. */
function settingOf(words: readonly string[], index: number, env: Invocation["env"]): GitSetting | undefined {
  const word = words[index] as string;
  const before = words[index - 1];
  if (!word.startsWith("-") && !before?.startsWith("-")) return undefined;
  if (before === "-c" || before === "--config") return split(word);
  const glued = /^(?:--config=|-c)(?=.*=)(.*)$/s.exec(word)?.[1];
  if (glued !== undefined) return split(glued);
  const named = before === "--config-env" ? word : /^--config-env=(.*)$/s.exec(word)?.[1];
  if (named === undefined) return undefined;
  const at = named.lastIndexOf("=");
  return { key: named.slice(0, at).toLowerCase(), value: env.get(named.slice(at + 1))?.text ?? UNKNOWN };
}

function split(text: string): GitSetting {
  const at = text.indexOf("=");
  return at < 0
    ? { key: text.toLowerCase(), value: "true" }
    : { key: text.slice(0, at).toLowerCase(), value: text.slice(at + 1) };
}

/** Of the environment alone: `GIT_CONFIG_KEY_0`, `GIT_CONFIG_PARAMETERS`. */
export function settingsOfEnvironment({ env }: Pick<Invocation, "env">): GitSetting[] {
  if (env.size === 0) return [];
  const found: GitSetting[] = [];
  for (const [name, { text }] of env) {
    const number = /^GIT_CONFIG_KEY_(\d+)$/.exec(name)?.[1];
    if (number !== undefined)
      found.push({ key: text.toLowerCase(), value: env.get(`GIT_CONFIG_VALUE_${number}`)?.text ?? UNKNOWN });
  }
  const parameters = env.get("GIT_CONFIG_PARAMETERS")?.text.replaceAll(`'\\''`, "\0") ?? "";
  for (const [, first = "", second] of parameters.matchAll(/'([^']*)'(?:='([^']*)')?/g))
    found.push(split((second === undefined ? first : `${first}=${second}`).replaceAll("\0", "'")));
  return found;
}

export function givenSettings(invocation: Pick<Invocation, "args" | "env">): GitSetting[] {
  const found = settingsOfEnvironment(invocation);
  if (!invocation.args.some(mayBeSetting)) return found;
  const words = invocation.args.map(({ text }) => text);
  for (let index = 0; index < words.length; index++) {
    const setting = settingOf(words, index, invocation.env);
    if (setting) found.push(setting);
  }
  return found;
}

/** Without such an option there is none: `-c`, `-cx`, `--config`, `--config-env`. */
const mayBeSetting = ({ text }: Arg) => text.startsWith("-c") || text.startsWith("--config");

/** `git config key value`: from now on. */
export function keptSettings(args: readonly Arg[]): GitSetting[] {
  const at = args.findIndex(({ text }) => text === "config");
  if (at < 0) return [];
  const { operands, given } = readOptions(args.slice(at + 1), {
    valued: ["f", "file", "blob", "type", "default", "comment"],
  });
  if ([...given].some((name) => /^(get|unset|list$|l$|remove-section|rename-section)/.test(name))) return [];
  const [key, value] = operands[0]?.text === "set" ? operands.slice(1) : operands;
  return key && value ? [{ key: key.text.toLowerCase(), value: value.text }] : [];
}

/** Settings whose value git runs. */
const RUN_BY_GIT =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|gitproxy|askpass|alternaterefscommand)|sequence\.editor|interactive\.difffilter|diff\.external|pager\.[\w-]+|gpg\.(?:\w+\.)?(?:program|defaultkeycommand)|credential\.(?:.+\.)?helper|uploadpack\.packobjectshook|(?:filter|merge|diff|difftool|mergetool|browser|man|guitool|trailer|tar)\..+\.(?:clean|smudge|process|driver|command|textconv|cmd)|remote\..+\.(?:uploadpack|receivepack))$/;

/** The command line in a setting's value, if git would run it. */
export function commandInSetting({ key, value }: GitSetting): string | undefined {
  if (RUN_BY_GIT.test(key)) return value.replace(/^!/, "");
  if (/^(?:alias\..+|submodule\..+\.update)$/.test(key)) return value.startsWith("!") ? value.slice(1) : undefined;
  return /^(?:remote\..+\.(?:push)?url)$/.test(key) ? commandInAddress(value) : undefined;
}

/** `ext::command`: an address that is a command. */
export const commandInAddress = (address: string) => /^ext::(.+)$/s.exec(address)?.[1];

const INCLUDE = /^include(?:if\..+)?\.path$/;

/** A file names those that it includes from where it lies. */
export const asIncludedFrom = (directory: string, { key, value }: GitSetting): GitSetting =>
  INCLUDE.test(key) && !/^[/~]/.test(value) ? { key, value: `${directory}/${value}` } : { key, value };

/** Files that git is told to take settings from. */
export function settingsFiles(
  invocation: Pick<Invocation, "args" | "env">,
  settings: readonly GitSetting[] = givenSettings(invocation),
): Arg[] {
  const given = [...settings, ...keptSettings(invocation.args)];
  if (given.length === 0 && invocation.env.size === 0) return [];
  const included = given.flatMap(({ key, value }) => (INCLUDE.test(key) ? [arg(value)] : []));
  const named = FILE_VARIABLES.flatMap((name) => invocation.env.get(name) ?? []);
  return [...included, ...named].filter(({ text }) => text !== "" && text !== "/dev/null");
}

/** `[core]`, `[alias "x"]`, `name = value`; a line that ends in a backslash goes on. */
export function settingsInFile(text: string): GitSetting[] {
  const found: GitSetting[] = [];
  let section = "";
  for (const line of text.replaceAll("\\\n", "").split("\n")) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"([^"]*)")?\s*\]/.exec(line);
    if (header) section = header[2] === undefined ? `${header[1]}` : `${header[1]}.${header[2]}`;
    const rest = (header ? line.slice(header[0].length) : line).trim();
    if (section === "" || rest === "" || /^[#;]/.test(rest)) continue;
    const { key, value } = split(rest);
    const plain = value.trim().replace(/^"(.*)"$/s, "$1");
    found.push({ key: `${section}.${key.trim()}`.toLowerCase(), value: plain });
  }
  return found;
}
