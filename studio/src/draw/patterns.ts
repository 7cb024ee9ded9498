// Patterns for materials that three does not have.
import type { MeshStandardMaterial } from "three";

/** A checkerboard, in squares per unit, that sticks to the skin at rest: it shows stretch without texture coordinates. */
export function squared(material: MeshStandardMaterial, squares: number): void {
    material.onBeforeCompile = shader => {
        shader.uniforms["squares"] = { value: squares };
        shader.vertexShader = `attribute vec3 rest;\nvarying vec3 vRest;\n${shader.vertexShader}`.replace("#include <begin_vertex>", "#include <begin_vertex>\nvRest = rest;");
        shader.fragmentShader = `uniform float squares;\nvarying vec3 vRest;\n${shader.fragmentShader}`.replace("#include <color_fragment>", `#include <color_fragment>
            vec3 square = floor(vRest * squares + 0.001);
            diffuseColor.rgb *= mod(square.x + square.y + square.z, 2.0) < 0.5 ? vec3(0.72, 0.7, 0.66) : vec3(0.28, 0.3, 0.34);`);
    };
}
