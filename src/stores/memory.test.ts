import { storeConformance } from "./conformance.fixture.ts";
import { memoryStores } from "./memory.ts";

const shared = memoryStores();
storeConformance("memory", async () => shared);
