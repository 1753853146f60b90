/** Session start: the entry catalogue, and what needs attention. */
import { NO_OPINION } from "../../core/verdict.ts";
import type { Role } from "../role.ts";

export const sessionStart: Role = async () => NO_OPINION;
