/** What may be attached to a run: how many files, how large, under which names. */
import type { Attachment } from "./run.ts";

export const MAX_FILE_BYTES = 25 * 1024 * 1024;
export const MAX_FILES = 100;
export const MAX_TOTAL_BYTES = 100 * 1024 * 1024;
const MAX_NAME_BYTES = 255;

/** A name is one segment of a path on every system. */
export function attachmentProblem(name: string): string | undefined {
  const shown = JSON.stringify(name);
  if (name === "" || name === "." || name === "..") return `${shown} is no file name`;
  if (/[/\\]/.test(name)) return `${shown} is a path; an attachment has a plain file name`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\u0000-\u001f\u007f]/.test(name)) return `${shown} has control characters in it`;
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `${shown} is longer than ${MAX_NAME_BYTES} bytes`;
  return undefined;
}

export function limitProblem(attachments: readonly Attachment[]): string | undefined {
  if (attachments.length > MAX_FILES) return `a run has at most ${MAX_FILES} attachments`;
  const bytes = attachments.reduce((sum, attachment) => sum + attachment.bytes, 0);
  if (bytes > MAX_TOTAL_BYTES) return "the attachments of a run are at most 100 MiB together";
  return undefined;
}

export const mimeTypeOf = (name: string): string =>
  MIME_TYPES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream";

const MIME_TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  csv: "text/csv",
  gif: "image/gif",
  gz: "application/gzip",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  log: "text/plain",
  md: "text/markdown",
  mjs: "text/javascript",
  patch: "text/x-diff",
  diff: "text/x-diff",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  toml: "application/toml",
  ts: "text/x-typescript",
  txt: "text/plain",
  webp: "image/webp",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
};
