// three.js: shades folds that are finer than the triangles. Every corner of a triangle stores its waves as functions of the rest position, so a wave
// may be much shorter than the triangle; a fragment blends the slopes that its three corners predict there.
import { BufferAttribute, DataTexture, FloatType, type Material, RGBAFormat, type Texture } from "three";
import { RIPPLE_FLOATS, heightsOf } from "./ripples.ts";

const WIDTH = 1024; // texels in a row

function texture(texels: number): DataTexture {
    const rows = Math.max(1, Math.ceil(texels / WIDTH));
    return new DataTexture(new Float32Array(4 * WIDTH * rows), WIDTH, rows, RGBAFormat, FloatType);
}

/** The ripples of a player as textures: their waves, which are constant, and their heights, which change with every frame. */
export class Relief {
    readonly waves: DataTexture;
    readonly heights: DataTexture;
    private readonly points: number;
    private readonly texels: number; // of heights, a point

    /** rest: three floats per point; ripples: the result of Player.ripples() in any frame. */
    constructor(rest: Float32Array, ripples: Float32Array) {
        const points = this.points = rest.length / 3, count = ripples.length / RIPPLE_FLOATS / points;
        this.waves = texture(points * (1 + count));
        this.texels = Math.ceil(count / 4);
        this.heights = texture(points * this.texels);
        const to = this.waves.image.data as Float32Array;
        for (let p = 0, at = 0; p < points; ++p) {
            to.set(rest.subarray(3 * p, 3 * p + 3), at);
            to[at + 3] = count;
            at += 4;
            for (let k = 0; k < count; ++k, at += 4) {
                const r = RIPPLE_FLOATS * (p * count + k);
                to.set(ripples.subarray(r, r + 3), at);
                to[at + 3] = Math.atan2(ripples[r + 4]!, ripples[r + 3]!);
            }
        }
        this.waves.needsUpdate = true;
        this.show(heightsOf(ripples));
    }

    /** The heights of a frame (Player.rippleHeights). */
    show(heights: Float32Array): void {
        const to = this.heights.image.data as Float32Array, { points } = this, count = heights.length / points;
        if (count === 4 * this.texels) to.set(heights);
        else for (let p = 0; p < points; ++p) to.set(heights.subarray(count * p, count * (p + 1)), 4 * this.texels * p);
        this.heights.needsUpdate = true;
    }

    dispose(): void {
        this.waves.dispose();
        this.heights.dispose();
    }
}

/** For a geometry without an index (three vertices per triangle): the points at the corners of each vertex's triangle. pointOf: the point of each vertex. */
export function cornersOf(pointOf: ArrayLike<number>): BufferAttribute {
    const out = new Float32Array(3 * pointOf.length);
    for (let i = 0; i < pointOf.length; ++i) for (let k = 0; k < 3; ++k) out[3 * i + k] = pointOf[i - i % 3 + k]!;
    return new BufferAttribute(out, 3);
}

const VERTEX = `
attribute vec3 rippleCorners;
flat varying vec3 vRippleCorners;
varying vec3 vRippleShares;
varying vec3 vRippleSeen;
`;
const VERTEX_MAIN = `
    vRippleCorners = rippleCorners;
    vRippleShares = vec3(gl_VertexID % 3 == 0, gl_VertexID % 3 == 1, gl_VertexID % 3 == 2);
    vRippleSeen = mvPosition.xyz;
`;
// Waves whose phase changes by more than a radian or two from pixel to pixel fade out: drawn, they would flicker.
const FRAGMENT = `
uniform sampler2D rippleWaves;
uniform sampler2D rippleHeights;
flat varying vec3 vRippleCorners;
varying vec3 vRippleShares;
varying vec3 vRippleSeen;

vec4 rippleTexel(sampler2D map, int at) {
    int width = textureSize(map, 0).x;
    return texelFetch(map, ivec2(at % width, at / width), 0);
}

vec3 rippled(vec3 normal, float facing) {
    ivec3 corners = ivec3(vRippleCorners + 0.5);
    int count = int(rippleTexel(rippleWaves, 0).w), each = (count + 3) / 4;
    vec3 rest[3], place = vec3(0.0);
    for (int i = 0; i < 3; ++i) {
        rest[i] = rippleTexel(rippleWaves, corners[i] * (1 + count)).xyz;
        place += vRippleShares[i] * rest[i];
    }
    vec3 placeX = dFdx(place), placeY = dFdy(place), x = dFdx(vRippleSeen), y = dFdy(vRippleSeen);
    vec2 slope = vec2(0.0);
    for (int i = 0; i < 3; ++i) {
        vec4 heights;
        for (int k = 0; k < count; ++k) {
            if (k % 4 == 0) heights = rippleTexel(rippleHeights, corners[i] * each + k / 4);
            float height = heights[k % 4];
            if (height == 0.0) continue;
            vec4 wave = rippleTexel(rippleWaves, corners[i] * (1 + count) + 1 + k);
            vec2 turn = vec2(dot(wave.xyz, placeX), dot(wave.xyz, placeY));
            float drawn = vRippleShares[i] * (1.0 - smoothstep(1.2, 2.8, length(turn)));
            slope -= drawn * height * sin(wave.w + dot(wave.xyz, place - rest[i])) * turn;
        }
    }
    if (slope == vec2(0.0)) return normal;
    vec3 alongX = cross(y, normal), alongY = cross(normal, x);
    float area = dot(x, alongX) * facing;
    return normalize(abs(area) * normal - sign(area) * (slope.x * alongX + slope.y * alongY));
}
`;

/**
 * A copy of the material that shades folds. For geometries without an index that have the attribute "rippleCorners" (cornersOf). Later changes to
 * the material do not affect it.
 */
export function folded(material: Material, { waves, heights }: { waves: Texture; heights: Texture }): Material {
    const own = material.clone();
    own.onBeforeCompile = (shader, renderer) => {
        material.onBeforeCompile(shader, renderer);
        Object.assign(shader.uniforms, { rippleWaves: { value: waves }, rippleHeights: { value: heights } });
        shader.vertexShader = VERTEX + shader.vertexShader.replace("#include <project_vertex>", `#include <project_vertex>\n${VERTEX_MAIN}`);
        shader.fragmentShader = FRAGMENT + shader.fragmentShader.replace("#include <normal_fragment_maps>", "#include <normal_fragment_maps>\nnormal = rippled(normal, faceDirection);");
    };
    own.customProgramCacheKey = () => `${material.customProgramCacheKey()}|ripples`;
    return own;
}
