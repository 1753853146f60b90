import { strictEqual } from "node:assert";
import { total } from "./app.js";

strictEqual(total([1, 2, 3]), 6);
console.log("1 passed");
