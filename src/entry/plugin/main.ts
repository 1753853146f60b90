/** What in-process hosts load: `require("…/dist/plugin.cjs").pluginFor("<id>")`. */
import { HoldfastError } from "../../core/errors.ts";
import { plugin as opencode } from "../../hosts/opencode/plugin.ts";
import { plugin as pi } from "../../hosts/pi/plugin.ts";
import type { HostPlugin } from "../../hosts/plugin.ts";
import { hostById } from "../../hosts/registry.ts";
import { asker } from "./ask.ts";

/** Where the bundle lies; it is CommonJS. */
declare const __dirname: string;

const PLUGINS: Readonly<Record<string, HostPlugin>> = { opencode, pi };

export function pluginFor(id: string): unknown {
  const plugin = Object.hasOwn(PLUGINS, id) ? PLUGINS[id] : undefined;
  const host = hostById(id);
  if (!plugin || !host) throw new HoldfastError("HF302", `"${id}" is no host that loads Holdfast as a plugin`);
  return plugin((cwd) => asker({ host, cwd, distDir: __dirname }));
}
