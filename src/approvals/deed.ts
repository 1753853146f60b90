/**
 * What a call would do, as data, and the words people read. What is compared is the data: whoever keeps the question puts it
 * in words, so a release may say it in other words, and whoever asks cannot.
 */
import { redact } from "../core/redact.ts";
import type { AskedCall } from "./approval.ts";

export interface Deed {
  /** One of the sentences below. */
  readonly kind: string;
  /** What the sentence speaks of, in its order. */
  readonly of: readonly string[];
  /** The programs it is done through. */
  readonly through: readonly string[];
}

type Sentence = (...of: string[]) => string;

/** Words may change from release to release. What a kind means may not: that is another kind. */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  writes: (path) => `writes ${path}`,
  edits: (path) => `edits ${path}`,
  names: (path) => `names ${path}`,
  delete: (path) => `deletes ${path}`,
  "delete-recursive": (path) => `deletes ${path} and all below it`,
  overwrite: (path) => `overwrites ${path}`,
  append: (path) => `appends to ${path}`,
  "make-file": (path) => `makes the file ${path}`,
  "make-directory": (path) => `makes the directory ${path}`,
  read: (path) => `reads ${path}`,
  move: (from, to) => `moves ${from} to ${to}`,
  permissions: (path, mode) => `changes permissions of ${path} to ${mode}`,
  device: (deed, path) => `${deed} on device ${path}`,
  kill: (whom) => `ends ${whom === "one" ? "a process" : `${whom} processes`}`,
  power: (deed) => `power: ${deed}`,
  git: (deed, detail) => `git: ${deed} ${detail}`,
  database: (deed, detail) => `database: ${deed} ${detail}`,
  container: (deed, detail) => `containers: ${deed} ${detail}`,
  cloud: (provider, deed, detail) => `${provider}: ${deed} ${detail}`,
  publish: (deed, registry) => `${deed} at ${registry}`,
  deploy: (detail) => `deploys: ${detail}`,
  "run-remote-code": (source) => `runs code from ${source}`,
  "run-hidden-code": (how) => `runs code that cannot be read: ${how}`,
  exfiltrate: (secret, to) => `sends ${secret} to ${to}`,
  system: (deed, detail) => `system: ${deed} ${detail}`,
  "run-script": (path) => `runs the script ${path}`,
  unclear: (why) => `cannot be understood: ${why}`,
  more: (count) => `and ${count} more`,
};

/** One of a newer release is shown as it is. */
export function deedInWords({ kind, of, through }: Deed): string {
  const sentence = Object.hasOwn(SENTENCES, kind) ? SENTENCES[kind] : undefined;
  const words = (sentence ? sentence(...of) : `${kind}: ${of.join(" ")}`).trim();
  return redact(through.length > 0 ? `${words} (through ${through.join(", ")})` : words);
}

/** The words for what it says as data are the keeper's own. A call without data keeps the words it came with. */
export const inOwnWords = (call: AskedCall): AskedCall =>
  call.deeds ? { ...call, effects: call.deeds.map(deedInWords) } : call;
