import type { Markup } from "./markup.ts";

const SIGNS: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };

/** What a reader would see of it. */
export const plainText = (markup: Markup): string =>
  String(markup)
    .replace(/<[^>]*>/g, "")
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => SIGNS[name] ?? "");
