/** A notification of the desktop, where there is one. Nobody waits for it, and no shell reads a word of it. */
import { spawn } from "node:child_process";
import { withoutControls } from "../drain/extraction-prompt.ts";

export interface Notification {
  readonly title: string;
  readonly body: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** undefined: this machine has no desktop that we know. */
export function notifierOf(
  { title, body }: Notification,
  platform: NodeJS.Platform,
  env: Environment,
): readonly string[] | undefined {
  const words = [title, body].map((text) => withoutControls(text).slice(0, 500));
  if (platform === "darwin") {
    const script = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];
    return ["osascript", ...script.flatMap((line) => ["-e", line]), "--", ...words];
  }
  if (platform !== "linux" || !(env.DISPLAY || env.WAYLAND_DISPLAY)) return undefined;
  // Its body may hold markup: ours never does.
  const plain = words.map((text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"));
  return ["notify-send", "--app-name=holdfast", "--", ...plain];
}

/** True: it was sent on its way. */
export function notifyDesktop(
  notification: Notification,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): boolean {
  const [program, ...args] = notifierOf(notification, platform, env) ?? [];
  if (program === undefined) return false;
  try {
    const child = spawn(program, args, { detached: true, stdio: "ignore", env: { ...env }, windowsHide: true });
    // A desktop without the program simply says nothing: the session's context has the same.
    child.on("error", () => {});
    child.unref();
    return child.pid !== undefined;
  } catch {
    return false;
  }
}
