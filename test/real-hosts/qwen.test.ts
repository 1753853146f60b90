import { describeRealHost } from "./scenarios.ts";

describeRealHost("qwen");
