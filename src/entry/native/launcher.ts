/**
 * Where no client could be compiled, hosts call this script for sh: it becomes Node on the image of a loaded one, as the
 * client does, where Node and image are those that fit together. There is no way through it that ends without a block
 * or Node's own answer.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { IMAGE_OPTIONS, IMAGE_TUNABLES } from "./image-options.ts";

const launcherDir = (distDir: string) => join(distDir, "native", "launcher");

/** undefined: this build has none. */
export function launcherOf(distDir: string): string | undefined {
  const file = join(launcherDir(distDir), "holdfast");
  return existsSync(file) ? file : undefined;
}

/** Also where `node` has made no image: who was registered with an earlier build's must find one. */
export function writeLauncher(distDir: string, node: string): void {
  if (process.platform !== "linux" && process.platform !== "darwin") return;
  const image = join(distDir, "hook.image");
  const directory = launcherDir(distDir);
  const script = join(directory, "holdfast");
  const stamp = join(directory, "node.stamp");
  mkdirSync(directory, { recursive: true });
  writeFileSync(stamp, "");
  // To the nanosecond: a shell compares times, and cannot read them.
  if (spawnSync("touch", ["-r", node, stamp]).status !== 0) rmSync(stamp);
  const imageSize = statSync(image, { throwIfNoEntry: false })?.size ?? 0;
  writeFileSync(script, launcherText(node, statSync(node).size, imageSize));
  chmodSync(script, 0o755);
}

const launcherText = (node: string, nodeSize: number, imageSize: number): string => `#!/bin/sh
here=\${0%/*}
node=${quoted(node)}
program=$here/../../../bin/holdfast
image=$here/../../hook.image
stamp=$here/node.stamp

# A shell that cannot become Node ends with 126 or 127, which hosts take for consent: bash stays, others come by the trap.
trap 'exit 2' EXIT
shopt -s execfail 2>/dev/null

block() {
  printf '%s\\n' "error HF701  Holdfast cannot start ($1): run \\\`npm run build\\\` in its checkout" >&2
  exit 2
}

fits() {
  [ -f "$stamp" ] && [ -r "$image" ] && [ -x "$node" ] && ! [ "$node" -nt "$stamp" ] && ! [ "$node" -ot "$stamp" ] &&
    [ "$(find -L "$node" "$image" -prune \\( -name ${quoted(basename(node))} -size ${nodeSize}c -o -name hook.image -size ${imageSize}c \\) </dev/null)" = "$node
$image" ]
}

# A file that the kernel does not take for a program is run as a script by the shell itself: an empty one ends well.
is_program() {
  [ -f "$1" ] && [ -x "$1" ] || return 1
  first=
  IFS= read -r first <"$1" || [ -n "$first" ] || return 1
  case $first in
    "$(printf '\\177ELF')"* | "$(printf '\\317\\372\\355\\376')"* | "$(printf '\\312\\376\\272\\276')"* | '#!'*) return 0 ;;
  esac
  return 1
}

unset HOLDFAST_FALLBACK HOLDFAST_CALL_ID HOLDFAST_CALL_STATE HOLDFAST_CALL_ELAPSED_MS
unset HOLDFAST_CALL_CA_CERTS HOLDFAST_CALL_NODE_OPTIONS HOLDFAST_CALL_GLIBC_TUNABLES
[ -r "$program" ] || block 'bin/holdfast is missing'
is_hook=
[ "\${1-}" = hook ] && [ "\${2-}" != --help ] && [ "\${2-}" != -h ] && is_hook=1
# Copilot CLI calls a plugin's hook by nothing but its file.
if [ -n "$is_hook" ] || { [ $# -eq 0 ] && [ -n "\${COPILOT_PROJECT_DIR+set}" ]; }; then
  if [ -n "\${NODE_OPTIONS-}" ]; then
    export HOLDFAST_CALL_NODE_OPTIONS="$NODE_OPTIONS"
    unset NODE_OPTIONS
  fi
  if [ -n "\${NODE_EXTRA_CA_CERTS-}" ]; then
    export HOLDFAST_CALL_CA_CERTS="$NODE_EXTRA_CA_CERTS"
    unset NODE_EXTRA_CA_CERTS
  fi
  if [ -n "$is_hook" ] && fits; then
    if [ -z "\${GLIBC_TUNABLES+set}" ]; then
      export GLIBC_TUNABLES=${IMAGE_TUNABLES} HOLDFAST_CALL_GLIBC_TUNABLES=
    fi
    exec "$node" ${IMAGE_OPTIONS.join(" ")} --snapshot-blob "$image" "$program" "$@"
  fi
fi
is_program "$node" && exec "$node" "$program" "$@"
node=$(command -v node 2>/dev/null)
is_program "$node" && exec "$node" "$program" "$@"
block 'there is no node'
`;

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
