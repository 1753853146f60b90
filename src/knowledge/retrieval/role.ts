/** Prompt context: the nodes a prompt is about. */
import { NO_OPINION } from "../../core/verdict.ts";
import type { Role } from "../role.ts";

export const promptContext: Role = async () => NO_OPINION;
