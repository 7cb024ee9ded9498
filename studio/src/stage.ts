// Light, ground and shadow: a studio with one soft key, a sky and a rim, on a ground that is only its shadow.
import {
    BackSide, BoxGeometry, Color, DirectionalLight, HemisphereLight, Mesh, MeshBasicMaterial, PCFShadowMap, PMREMGenerator, PlaneGeometry, Scene, ShadowMaterial,
    type Texture, Vector3, type WebGLRenderer,
} from "three";

const SHADOW_TEXELS = 1024;
/** Where the key light stands, seen from the character's front: over the left shoulder of who looks. */
const KEY = new Vector3(-0.55, 1.25, 0.8).normalize();

/** A room of soft boxes for highlights; drawn once. */
function room(renderer: WebGLRenderer): Texture {
    const scene = new Scene();
    const add = (color: number, strength: number, size: [number, number, number], place: [number, number, number], side = 0) => {
        const mesh = new Mesh(new BoxGeometry(...size), new MeshBasicMaterial({ color: new Color(color).multiplyScalar(strength) }));
        if (side) mesh.material.side = BackSide;
        mesh.position.set(...place);
        mesh.lookAt(0, 0, 0);
        scene.add(mesh);
    };
    add(0xcfd6e0, 0.55, [20, 20, 20], [0, 0, 0], 1);
    add(0xffffff, 7, [6, 6, 0.1], [-4, 7, 5]);
    add(0xfff1e2, 3, [3, 7, 0.1], [8, 2, 2]);
    add(0xe8f0ff, 4, [8, 2, 0.1], [2, 4, -8]);
    add(0x6b5a50, 0.5, [20, 0.1, 20], [0, -9.5, 0]);
    const generator = new PMREMGenerator(renderer), texture = generator.fromScene(scene, 0.06).texture;
    generator.dispose();
    return texture;
}

export class Stage {
    readonly scene = new Scene();
    private readonly key = new DirectionalLight(0xfff4e8, 2.1);
    private readonly rim = new DirectionalLight(0xdfe9ff, 0.55);
    private readonly ground: Mesh<PlaneGeometry, ShadowMaterial>;

    constructor(renderer: WebGLRenderer) {
        renderer.shadowMap.enabled = true;
        renderer.shadowMap.type = PCFShadowMap;
        this.scene.environment = room(renderer);
        this.scene.environmentIntensity = 0.42;
        this.scene.add(new HemisphereLight(0xf2f6ff, 0x8a7568, 0.75));
        this.key.castShadow = true;
        this.key.shadow.mapSize.set(SHADOW_TEXELS, SHADOW_TEXELS);
        this.key.shadow.radius = 7;
        this.ground = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.26, color: 0x0c0f14 }));
        this.ground.receiveShadow = true;
        this.scene.add(this.key, this.key.target, this.rim, this.rim.target, this.ground);
    }

    /** Fits light, shadow and ground to a character: its middle, its diagonal, where its feet are, which way is up and which way it looks. */
    fit(middle: Vector3, diagonal: number, floor: number, up: Vector3, front: Vector3): void {
        const side = new Vector3().crossVectors(up, front).normalize();
        const along = (v: Vector3) => new Vector3().addScaledVector(side, v.x).addScaledVector(up, v.y).addScaledVector(front, v.z);
        this.key.position.copy(middle).addScaledVector(along(KEY), 2.4 * diagonal);
        this.key.target.position.copy(middle);
        this.rim.position.copy(middle).addScaledVector(along(new Vector3(0.7, 0.6, -1)), 2.4 * diagonal);
        this.rim.target.position.copy(middle);
        const half = 0.95 * diagonal, { camera } = this.key.shadow;
        Object.assign(camera, { left: -half, right: half, top: half, bottom: -half, near: 0.2 * diagonal, far: 5 * diagonal });
        camera.updateProjectionMatrix();
        this.key.shadow.bias = -0.0006;
        this.key.shadow.normalBias = 0.006 * diagonal;
        this.ground.scale.setScalar(12 * diagonal);
        this.ground.position.copy(middle).addScaledVector(up, floor - middle.dot(up));
        this.ground.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), up);
    }

    /** The light goes with what the camera follows. */
    move(by: Vector3): void {
        for (const one of [this.key.position, this.key.target.position, this.rim.position, this.rim.target.position, this.ground.position]) one.add(by);
    }

    set shadow(on: boolean) {
        this.key.castShadow = on;
        this.ground.visible = on;
    }

    set dark(dark: boolean) {
        this.ground.material.opacity = dark ? 0.5 : 0.24;
    }
}
