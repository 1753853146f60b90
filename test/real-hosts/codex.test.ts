import { describeRealHost } from "./scenarios.ts";

describeRealHost("codex");
