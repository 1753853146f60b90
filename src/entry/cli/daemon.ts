/** `holdfast daemon`: whether the resident process is there, and how to end it. It starts by itself. */
import { placesOf } from "../../config/places.ts";
import { buildId, socketFile } from "../daemon/socket-place.ts";
import { askDaemon } from "../daemon/talk.ts";
import { clientOf } from "../native/client.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { unknownWord } from "./unknown-word.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const [verb = "status"] = call.words;
  if (verb !== "status" && verb !== "stop") {
    throw unknownWord("daemon", verb, ["status", "stop"], "holdfast daemon status | stop");
  }
  const { output, distDir, env } = call;
  const id = buildId(distDir);
  const places = placesOf(env);
  const native = clientOf({ distDir, stateDir: places.stateDir }) !== undefined;
  const said = id === undefined ? undefined : await askDaemon(socketFile(id, places), verb);
  const running = said !== undefined;
  if (output.json) output.data({ running, native, ...(said ? JSON.parse(said) : {}) });
  else if (!native)
    output.line(
      "there is no native client: every call starts a process of its own (holdfast init builds one, where a C compiler is)",
    );
  else if (!said) output.line("no daemon is running; the next call of an agent starts one");
  else {
    const { pid, startedAt, calls, rssBytes } = JSON.parse(said);
    const memory = `${Math.round(rssBytes / 1024 / 1024)} MiB`;
    output.line(
      `${verb === "stop" ? "stopped" : "running"}  pid ${pid}, since ${startedAt}, ${calls} calls, ${memory}`,
    );
  }
  return running || verb === "stop" ? 0 : 1;
}
