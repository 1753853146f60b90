/** The stylesheet, the script and the icon: read once, addressed by their content so that browsers may keep them. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const TYPES = {
  "pages.css": "text/css; charset=utf-8",
  "pages.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
} as const;
type AssetName = keyof typeof TYPES;

interface Asset {
  readonly type: string;
  readonly text: string;
  readonly version: string;
}

/** One file for the browser; the later ones count. */
const STYLES = [
  "base",
  "controls",
  "frame",
  "requests",
  "call",
  "decision",
  "request",
  "records",
  "health",
  "runs",
  "team",
  "knowledge",
  "narrow",
];

const fileText = (path: string) => readFileSync(new URL(`./assets/${path}`, import.meta.url), "utf8");

const read = (name: AssetName): Asset => {
  const text =
    name === "pages.css" ? STYLES.map((style) => fileText(`styles/${style}.css`)).join("\n") : fileText(name);
  return { type: TYPES[name], text, version: createHash("sha256").update(text).digest("hex").slice(0, 12) };
};

const assets = new Map<string, Asset>((Object.keys(TYPES) as AssetName[]).map((name) => [name, read(name)]));

export const assetPath = (name: AssetName): string => `/assets/${name}?v=${assets.get(name)?.version}`;

export const assetNamed = (name: string): Asset | undefined => assets.get(name);
