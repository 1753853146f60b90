/** Drain: proposals of the logs that wait. */
import { NO_OPINION } from "../../core/verdict.ts";
import type { Role } from "../role.ts";

export const drain: Role = async () => NO_OPINION;
