/** The two sections of a node that are generated on every write; what people wrote around them is left alone. */
import { escaped, relativeLink } from "./author-text.ts";
import type { Node, NodeLink } from "./node.ts";

const SECTION =
  /^<!-- (?:holdfast|kk):(related|citations):start -->[ \t]*\n[\s\S]*?^<!-- (?:holdfast|kk):\1:end -->[ \t]*$\n?/gm;
/** Half a fence, as a body may hold by accident or on purpose. */
const STRAY_FENCE = /^<!-- (?:holdfast|kk):(?:related|citations):(?:start|end) -->[ \t]*$\n?/gm;

export function proseOf(body: string): string {
  return body.replace(/\r\n?/g, "\n").replace(SECTION, "").replace(STRAY_FENCE, "").trim();
}

type Linked = Pick<Node, "body" | "relatesTo" | "dependsOn" | "derivedFrom">;

export function withGeneratedSections(node: Linked, path: string, link: (id: string) => NodeLink | undefined): string {
  const parts = [proseOf(node.body), relatedSection(node, path, link), citationsSection(node)];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function relatedSection(
  { relatesTo, dependsOn }: Linked,
  path: string,
  link: (id: string) => NodeLink | undefined,
): string {
  const lines = [
    ...relatesTo.map((id) => `- Related: ${linkText(id, path, link)}`),
    ...dependsOn.map((id) => `- Depends on: ${linkText(id, path, link)}`),
  ];
  return lines.length === 0 ? "" : fenced("related", lines);
}

function linkText(id: string, path: string, link: (id: string) => NodeLink | undefined): string {
  const found = link(id);
  return found ? `[${escaped(found.title)}](${relativeLink(path, found.path)})` : `\`${escaped(id)}\``;
}

function citationsSection({ derivedFrom }: Linked): string {
  if (derivedFrom.length === 0) return "";
  return fenced(
    "citations",
    derivedFrom.map((source, index) => `${index + 1}. ${citation(source)}`),
  );
}

const citation = (source: string) => (/^https?:\/\/[^\s<>]+$/.test(source) ? `<${source}>` : escaped(source));

const fenced = (name: string, lines: readonly string[]) =>
  [`<!-- holdfast:${name}:start -->`, ...lines, `<!-- holdfast:${name}:end -->`].join("\n");
