import { editTool, readTool, writeTool } from "./files.ts";
import { searchTool } from "./search.ts";
import { shellTool } from "./shell.ts";
import type { Tool } from "./tool.ts";

/** What an agent has unless it is given others. */
export const STANDARD_TOOLS: readonly Tool[] = [shellTool, readTool, writeTool, editTool, searchTool];
