import { describeRealHost } from "./scenarios.ts";

describeRealHost("opencode");
