/** A markdown file with YAML on top. Lines are those of the file. */
import { readFileSync } from "node:fs";
import { HoldfastError } from "../../core/errors.ts";
import { type ConfigDocument, parseConfig } from "../../sources/document.ts";

export interface FrontMatter {
  readonly document: ConfigDocument;
  readonly body: string;
}

export function readFrontMatter(file: string): FrontMatter {
  const text = readText(file).replace(/^\uFEFF/, "");
  const found = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/m.exec(text);
  if (found?.index !== 0) {
    throw new HoldfastError("HF1002", "the file must begin with front matter: a line ---, YAML, a line ---", {
      file,
      line: 1,
    });
  }
  // An empty line in the place of the first ---: so lines are counted as in the file.
  return { document: parseConfig(file, `\n${found[1]}`), body: text.slice(found[0].length).trim() };
}

function readText(file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    throw new HoldfastError("HF1001", `cannot read ${file}: ${(error as Error).message}`, { file });
  }
}
