/** Directories of this machine that a container is given: `-v from:to`, `--mount source=from,target=to`. */
import { type Arg, isKnown } from "./arg.ts";

export interface Mount {
  readonly from: Arg;
  readonly to: string;
}

export const isContainerTool = (program: string) => /^(docker|podman|nerdctl)$/.test(program);

export const mountsIn = (args: readonly Arg[]): Mount[] =>
  args.flatMap((word, index) => {
    const [, option, joined = ""] = /^(-v|--volume|--mount)(?:=|$|(?<=^-v))(.*)$/s.exec(word.text) ?? [];
    const given = option && (joined === "" ? args[index + 1] : { ...word, text: joined });
    const mount = given && isKnown(given) ? (option === "--mount" ? byFields(given) : byColons(given)) : undefined;
    return mount ? [mount] : [];
  });

/** What is no path is the name of a volume. */
function byColons(given: Arg): Mount | undefined {
  const [from = "", to = ""] = given.text.split(":");
  return /^[/.~]/.test(from) && to.startsWith("/") ? { from: { ...given, text: from }, to } : undefined;
}

function byFields(given: Arg): Mount | undefined {
  const fields = new Map(given.text.split(",").map((field) => field.split("=", 2) as [string, string | undefined]));
  const from = fields.get("source") ?? fields.get("src");
  const to = fields.get("target") ?? fields.get("dst") ?? fields.get("destination");
  return from && to && /^[/.~]/.test(from) ? { from: { ...given, text: from }, to } : undefined;
}

/** Where on this machine a directory of the container lies. */
export function placeOutside(directory: string, mounts: readonly Mount[]): Arg | undefined {
  const mount = mounts.find(({ to }) => directory === to || directory.startsWith(`${to.replace(/\/$/, "")}/`));
  return mount && { ...mount.from, text: `${mount.from.text}/${directory.slice(mount.to.length)}` };
}
