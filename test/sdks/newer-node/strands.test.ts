import { conformance } from "../conformance.ts";
import { strands } from "./strands-driver.ts";

conformance(strands);
