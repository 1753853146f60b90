/** Our entry in a file of MCP servers, `{"mcpServers": {"<name>": {…}}}`, that belongs to a person. */
import { stripComments } from "jsonc-parser";
import { HoldfastError } from "../core/errors.ts";
import { isJsonObject, type Json, type JsonObject, sameJson } from "../core/json.ts";
import type { FileEdit } from "./host.ts";
import { appendTo, removeAt, replaceAt } from "./json-text.ts";

export const MCP_SERVER_NAME = "holdfast";

const PLACE = ["mcpServers", MCP_SERVER_NAME];

/** What a host's list of MCP servers gets under MCP_SERVER_NAME; `command` starts this Holdfast. */
export const mcpServerEntry = (command: string) => ({ command, args: ["mcp"] });

/** `comments`: whether the program that reads the file takes some; absent: it does not, and neither do we. */
export function mcpServersEdit(path: string, program: string, comments?: "kept"): FileEdit {
  const entry: JsonObject = mcpServerEntry(program);
  const serversOf = (text: string) => serversIn(comments === "kept" ? stripComments(text, " ") : text, path);
  return {
    path,
    role: "mcp",
    add(text) {
      if (text === undefined) return `${JSON.stringify({ mcpServers: { [MCP_SERVER_NAME]: entry } }, null, 2)}\n`;
      const { servers } = serversOf(text);
      if (servers === undefined) return appendTo(text, [], { [MCP_SERVER_NAME]: entry }, "mcpServers");
      const ours = servers[MCP_SERVER_NAME];
      if (ours === undefined) return appendTo(text, ["mcpServers"], entry, MCP_SERVER_NAME);
      if (!isOurs(ours)) {
        throw new HoldfastError("HF401", `${path} has a server named ${MCP_SERVER_NAME} that is not ours: rename it`, {
          file: path,
        });
      }
      return sameJson(ours, entry) ? text : replaceAt(text, PLACE, entry);
    },
    remove(text) {
      const { servers } = serversOf(text);
      return servers && isOurs(servers[MCP_SERVER_NAME]) ? removeAt(text, PLACE) : text;
    },
  };
}

const isOurs = (server: Json | undefined) => isJsonObject(server) && sameJson(server.args ?? null, ["mcp"]);

function serversIn(text: string, path: string): { servers: JsonObject | undefined } {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new HoldfastError("HF401", `${path} is not valid JSON: ${(error as Error).message}`, { file: path });
  }
  if (!isJsonObject(file)) throw new HoldfastError("HF401", `${path} does not hold a JSON object`, { file: path });
  if (file.mcpServers === undefined) return { servers: undefined };
  if (!isJsonObject(file.mcpServers)) {
    throw new HoldfastError("HF401", `${path} has "mcpServers" that is not an object`, { file: path });
  }
  return { servers: file.mcpServers };
}
