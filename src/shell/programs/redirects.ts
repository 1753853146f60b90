import type { CommandEffect } from "../effect.ts";
import type { Invocation } from "../invocation.ts";
import type { ProgramContext } from "../programs.ts";

/** What `>`, `>>` and `<` do, whatever the program. */
export function redirectEffects({ redirects }: Invocation, { target }: ProgramContext): CommandEffect[] {
  return redirects.map(({ direction, target: file }): CommandEffect => {
    const path = target(file);
    if (direction === "read") return { type: "read", path, kept: true };
    if (isDevice(path.path)) return { type: "device", path, deed: "write" };
    return { type: "overwrite", path, append: direction === "append" };
  });
}

/** Disks and memory; /dev/null, terminals and the like are nobody's loss. */
export const isDevice = (path: string | undefined) =>
  path !== undefined &&
  /^\/dev\/(sd[a-z]+\d*|hd[a-z]+\d*|vd[a-z]+\d*|xvd[a-z]+\d*|nvme\d+(n\d+)?(p\d+)?|mmcblk\d+(p\d+)?|disk\d+(s\d+)?|rdisk\d+(s\d+)?|loop\d+|md\d+|dm-\d+|mapper\/.+|disk\/.+|ram\d+|zvol\/.+|[a-z]+\/?vg\S*|mem|kmem|port|sd[X?*]|rdisk\S*)$/i.test(
    path,
  );
