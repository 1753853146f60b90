import { describeRealHost } from "./scenarios.ts";

describeRealHost("copilot");
