/**
 * Where no client could be compiled, hosts call this script for sh: it becomes Node on the image of a loaded one, as the
 * client does, where Node and image are those that fit together. There is no way through it that ends without a block
 * or Node's own answer.
 */
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { makeDirectory } from "../../files/make-directory.ts";
import { type ImageMarks, imageMarks } from "./image-marks.ts";
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
  const directory = launcherDir(distDir);
  const script = join(directory, "holdfast");
  const marks = imageMarks({ node, image: join(distDir, "hook.image"), bundle: join(distDir, "hook.cjs") });
  makeDirectory(directory);
  // By its own place: a build makes it in a directory that is then given another name.
  const root = "$here/../../..";
  writeFileSync(
    script,
    launcherText({
      node,
      program: `"${root}/bin/holdfast"`,
      bundle: `"${root}/dist/hook.cjs"`,
      ...(marks ? { image: { place: `"${root}/dist/hook.image"`, name: "hook.image", marks } } : {}),
    }),
  );
  chmodSync(script, 0o755);
}

interface Launcher {
  readonly node: string;
  /** These are words of a shell. */
  readonly program: string;
  readonly bundle: string;
  readonly image?: { readonly place: string; readonly name: string; readonly marks: ImageMarks };
}

/** For an installed package: in the user's state, beside the image. */
export const launcherInState = (
  node: string,
  packageDir: string,
  image?: { file: string; marks: ImageMarks },
): string =>
  launcherText({
    node,
    program: quoted(join(packageDir, "bin", "holdfast")),
    bundle: quoted(join(packageDir, "dist", "hook.cjs")),
    ...(image ? { image: { place: quoted(image.file), name: basename(image.file), marks: image.marks } } : {}),
  });

const launcherText = ({ node, program, bundle, image }: Launcher): string => `#!/bin/sh
here=\${0%/*}
node=${quoted(node)}
program=${program}
bundle=${bundle}
image=${image?.place ?? ""}

# A shell that cannot become Node ends with 126 or 127, which hosts take for consent: bash stays, others come by the trap.
trap 'exit 2' EXIT
shopt -s execfail 2>/dev/null
# Where nobody can hear an answer it must fail to be written, and not go to the next file that is opened.
{ true 3>&1; } 2>&- || exec 1</dev/null

block() {
  printf '%s\\n' "error HF701  Holdfast cannot start ($1): run \\\`npm run build\\\` in its checkout" >&2
  exit 2
}

${fitsFunction(node, image)}
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
unset HOLDFAST_CALL_CA_CERTS HOLDFAST_CALL_NODE_OPTIONS HOLDFAST_CALL_GLIBC_TUNABLES HOLDFAST_CALL_OPENSSL_CONF
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
  if [ -n "\${OPENSSL_CONF-}" ]; then
    export HOLDFAST_CALL_OPENSSL_CONF="$OPENSSL_CONF"
    unset OPENSSL_CONF
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

/** The time of an image is that of its Node, and the first line of a bundle names the rest of it. */
function fitsFunction(node: string, image: Launcher["image"]): string {
  if (image === undefined) return "fits() { return 1; }\n";
  const { nodeSize, imageSize, bundleSize, bundleLine } = image.marks;
  const sizes = [
    [basename(node), nodeSize],
    [image.name, imageSize],
    ["hook.cjs", bundleSize],
  ].map(([name, size]) => `-name ${quoted(String(name))} -size ${size}c`);
  return `fits() {
  [ -r "$image" ] && [ -x "$node" ] && ! [ "$node" -nt "$image" ] && ! [ "$node" -ot "$image" ] &&
    [ -r "$bundle" ] && IFS= read -r first <"$bundle" && [ "$first" = '${bundleLine}' ] &&
    [ "$(find -L "$node" "$image" "$bundle" -prune \\( ${sizes.join(" -o ")} \\) </dev/null 2>/dev/null)" = "$node
$image
$bundle" ]
}
`;
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
