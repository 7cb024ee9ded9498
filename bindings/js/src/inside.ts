// Replaced by the build (build.mjs) with the module's bytes and the worker's text.
export const packed: string = "";
export const workerText: string = "";
