/** Capture: one log per session. */
import { NO_OPINION } from "../../core/verdict.ts";
import type { Role } from "../role.ts";

export const capture: Role = async () => NO_OPINION;
