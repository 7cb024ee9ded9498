// Folds that are finer than the points, as the library returns them: six floats per ripple, the same number of ripples for each point.
export const RIPPLE_FLOATS = 6; // wave x y z, cosine and sine of the phase, height

/** The height of each ripple: all that changes from frame to frame. */
export function heightsOf(ripples: Float32Array): Float32Array {
    const out = new Float32Array(ripples.length / RIPPLE_FLOATS);
    for (let i = 0; i < out.length; ++i) out[i] = ripples[RIPPLE_FLOATS * i + RIPPLE_FLOATS - 1]!;
    return out;
}
