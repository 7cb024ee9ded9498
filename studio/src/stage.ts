// Light, ground and shadow: a studio with a key, a fill, a rim and a sky, on a ground that is only its shadow. No environment picture:
// filtering one costs a second of shaders before the first frame on a slow machine, and clay shows next to nothing of it.
import { DirectionalLight, HemisphereLight, Mesh, PlaneGeometry, Scene, ShadowMaterial, Vector3 } from "three";

const SHADOW_TEXELS = 1024;
const GROUND = 2.8; // diagonals: all that the key light's shadow can reach, and no pixel more, each of which costs
/** Direction of the key light, seen from the character's front: over the viewer's left shoulder. */
const KEY = new Vector3(-0.55, 1.25, 0.8).normalize();

export class Stage {
    readonly scene = new Scene();
    private readonly key = new DirectionalLight(0xfff3e6, 2.35);
    private readonly rim = new DirectionalLight(0xdfe9ff, 1.1);
    private readonly fill = new DirectionalLight(0xe9eeff, 0.42);
    private readonly ground: Mesh<PlaneGeometry, ShadowMaterial>;

    constructor() {
        this.scene.add(new HemisphereLight(0xf4f7ff, 0xa08878, 1.15));
        this.key.castShadow = true;
        this.key.shadow.mapSize.set(SHADOW_TEXELS, SHADOW_TEXELS);
        this.key.shadow.radius = 2.5;
        this.ground = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.26, color: 0x0c0f14 }));
        this.ground.receiveShadow = true;
        this.scene.add(this.key, this.key.target, this.rim, this.rim.target, this.fill, this.fill.target, this.ground);
    }

    /** Fits light, shadow and ground to a character: its middle, its diagonal, where its feet are, which way is up and which way it looks. */
    fit(middle: Vector3, diagonal: number, floor: number, up: Vector3, front: Vector3): void {
        const side = new Vector3().crossVectors(up, front).normalize();
        const along = (v: Vector3) => new Vector3().addScaledVector(side, v.x).addScaledVector(up, v.y).addScaledVector(front, v.z);
        this.key.position.copy(middle).addScaledVector(along(KEY), 2.4 * diagonal);
        this.key.target.position.copy(middle);
        this.rim.position.copy(middle).addScaledVector(along(new Vector3(0.7, 0.6, -1)), 2.4 * diagonal);
        this.fill.position.copy(middle).addScaledVector(along(new Vector3(1, 0.25, 0.7)), 2.4 * diagonal);
        for (const light of [this.rim, this.fill]) light.target.position.copy(middle);
        const half = 0.75 * diagonal, { camera } = this.key.shadow;
        Object.assign(camera, { left: -half, right: half, top: half, bottom: -half, near: 0.2 * diagonal, far: 5 * diagonal });
        camera.updateProjectionMatrix();
        this.key.shadow.bias = -0.001;
        this.key.shadow.normalBias = 0.01 * diagonal;
        this.ground.scale.setScalar(GROUND * diagonal);
        this.ground.position.copy(middle).addScaledVector(up, floor - middle.dot(up));
        this.ground.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), up);
    }

    /** The light goes with what the camera follows. */
    move(by: Vector3): void {
        for (const one of [this.key.position, this.key.target.position, this.rim.position, this.rim.target.position, this.fill.position, this.fill.target.position, this.ground.position]) one.add(by);
    }

    set shadow(on: boolean) {
        this.key.castShadow = on;
        this.ground.visible = on;
    }

    set dark(dark: boolean) {
        this.ground.material.opacity = dark ? 0.42 : 0.17;
    }
}
