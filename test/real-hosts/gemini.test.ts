import { describeRealHost } from "./scenarios.ts";

describeRealHost("gemini");
