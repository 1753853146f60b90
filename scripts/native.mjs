// What the build and the release share about the native client; the compilation itself is the package's own.
import { join } from "node:path";
import { root } from "./ensure.mjs";

export const source = join(root, "native", "holdfast.c");
export const flags = ["-Wall", "-Wextra", "-Werror"];
