// The tabs of the side, in order. A panel is one file: an id, a title, and an element that keeps itself up to date.
import type { Panel } from "../app.ts";
import { chainPanel } from "./chain.ts";
import { characterPanel } from "./character.ts";
import { doctorPanel } from "./doctor.ts";
import { outPanel } from "./out.ts";
import { showPanel } from "./show.ts";

export const panels: Panel[] = [chainPanel, showPanel, characterPanel, doctorPanel, outPanel];
