// dist/worker.mjs, beside index.mjs.
import { place } from "./index.ts";
import { run } from "./worker.ts";

void run(place);
