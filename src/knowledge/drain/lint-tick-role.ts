/** Lint tick: the base is looked over every so many sessions. */
import { NO_OPINION } from "../../core/verdict.ts";
import type { Role } from "../role.ts";

export const lintTick: Role = async () => NO_OPINION;
