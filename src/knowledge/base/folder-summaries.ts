/** FOLDER_SUMMARIES.md: what each folder of nodes is about, in people's words. */
import { readFileSync } from "node:fs";
import { isJsonObject } from "../../core/json.ts";
import { isFolder } from "./folder.ts";
import { parseFrontMatter } from "./front-matter.ts";

export interface FolderSummaries {
  readonly summaries: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

export function readSummaries(file: string): FolderSummaries {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { summaries: new Map(), problems: [] };
    return { summaries: new Map(), problems: [`cannot be read: ${(error as Error).message}`] };
  }
  const parsed = parseFrontMatter(text);
  if (typeof parsed === "string") return { summaries: new Map(), problems: [parsed] };
  const entries = isJsonObject(parsed.data.summaries) ? Object.entries(parsed.data.summaries) : [];
  const problems: string[] = [];
  const summaries = new Map<string, string>();
  for (const [folder, summary] of entries) {
    if (!isFolder(folder)) problems.push(`names the folder ${JSON.stringify(folder)}, which is not inside nodes/`);
    else if (typeof summary !== "string") problems.push(`has no text for ${folder}`);
    else summaries.set(folder, summary);
  }
  return { summaries, problems };
}
