import { conformance } from "./conformance.ts";
import { langchainDriver } from "./langchain-driver.ts";

conformance(langchainDriver);
