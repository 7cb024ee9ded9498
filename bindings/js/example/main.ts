// A character whose bones three.js moves and whose skin supple makes. Everything heavy runs in a worker.
import {
    AnimationMixer, type AnimationAction, type AnimationClip, Box3, CircleGeometry, Color, DirectionalLight, Fog, type Group, HemisphereLight, Mesh, MeshBasicMaterial,
    MeshStandardMaterial, NeutralToneMapping, PMREMGenerator, PerspectiveCamera, Raycaster, Scene, SphereGeometry, Timer, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { connect } from "supple-skin";
import { SuppleSkin } from "supple-skin/three";

const CHAINS = ["layers(cage=800)", "dualquat,smooth", "dualquat", "linear"];
const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const chainBox = element<HTMLSelectElement>("chain"), clipBox = element<HTMLSelectElement>("clip"), own = element<HTMLInputElement>("own"), said = element("said");
const asked = new URLSearchParams(location.search);

const renderer = new WebGLRenderer({ antialias: true });
renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
renderer.shadowMap.enabled = true;
renderer.toneMapping = NeutralToneMapping;
renderer.toneMappingExposure = 1.25;
document.body.prepend(renderer.domElement);
const scene = new Scene();
scene.background = new Color(0xd9dde1);
scene.fog = new Fog(0xd9dde1, 5, 14);
const camera = new PerspectiveCamera(35, 1, 0.01, 100);
const controls = new OrbitControls(camera, renderer.domElement);
controls.enableDamping = true;
scene.environment = new PMREMGenerator(renderer).fromScene(new RoomEnvironment(), 0.04).texture; // something for visors to mirror
scene.environmentIntensity = 0.35;
scene.add(new HemisphereLight(0xffffff, 0x9aa4ad, 0.5));
const sun = new DirectionalLight(0xfff3e0, 2);
sun.position.set(2.2, 3.6, -2.6);
sun.castShadow = true;
sun.shadow.mapSize.set(2048, 2048);
sun.shadow.bias = -0.0005;
sun.shadow.normalBias = 0.01;
Object.assign(sun.shadow.camera, { left: -2, right: 2, top: 2, bottom: -2, far: 12 });
scene.add(sun);
const ground = new Mesh(new CircleGeometry(30, 64), new MeshStandardMaterial({ color: 0xaab1b8, roughness: 1 }));
ground.rotation.x = -Math.PI / 2;
ground.receiveShadow = true;
scene.add(ground);
const marker = new Mesh(new SphereGeometry(0.02), new MeshBasicMaterial({ color: 0xe0442a }));
marker.visible = false;
scene.add(marker);

const supple = await connect();
let model: Group | undefined, mixer: AnimationMixer | undefined, clips: AnimationClip[] = [], skin: SuppleSkin | undefined, action: AnimationAction | undefined;
let frames = 0, since = performance.now(), turn = 0;

function say(text: string): void {
    said.textContent = text;
}

function play(name: string): void {
    const clip = clips.find(one => one.name === name);
    if (!mixer || !clip) return;
    const next = mixer.clipAction(clip);
    if (action && action !== next) next.reset().crossFadeFrom(action, 0.3, false);
    action = next.play();
}

/** Another skin for the same bones; three's own is seen until it is bound. */
async function dress(): Promise<void> {
    const mine = ++turn;
    say(`Binding ${chainBox.value} …`);
    try {
        const old = skin;
        skin = undefined;
        await old?.detach();
        const made = await SuppleSkin.attach(supple, model!, { chain: chainBox.value, progress: fraction => { say(`Binding ${chainBox.value}: ${Math.round(100 * fraction)} %`); } });
        if (mine !== turn) return void made.detach();
        skin = made;
        show();
        say("");
    } catch (error) {
        say((error as Error).message);
    }
    (globalThis as Record<string, unknown>).ready = true;
}

function show(): void {
    if (skin) skin.visible = !own.checked;
}

async function open(bytes: ArrayBuffer): Promise<void> {
    const old = skin;
    skin = undefined;
    await old?.detach();
    model?.removeFromParent();
    const gltf = await new GLTFLoader().parseAsync(bytes, "");
    model = gltf.scene;
    clips = gltf.animations;
    model.traverse(object => {
        object.castShadow = true;
        object.frustumCulled = false;
    });
    scene.add(model);
    mixer = new AnimationMixer(model);
    action = undefined;
    clipBox.replaceChildren(...clips.map(clip => new Option(clip.name)));
    clipBox.value = asked.get("clip") ?? clips.find(clip => /walk/i.test(clip.name))?.name ?? clips[0]?.name ?? "";
    play(clipBox.value);
    const box = new Box3().setFromObject(model, true), size = box.getSize(new Vector3()).length(), middle = box.getCenter(new Vector3());
    controls.target.copy(middle);
    camera.position.copy(middle).add(new Vector3(0.55, 0.12, -1).multiplyScalar(size * 1.2));
    ground.position.y = box.min.y;
    await dress();
}

function resize(): void {
    renderer.setSize(innerWidth, innerHeight);
    camera.aspect = innerWidth / innerHeight;
    camera.updateProjectionMatrix();
}

chainBox.replaceChildren(...CHAINS.map(chain => new Option(chain)));
chainBox.value = asked.get("chain") ?? CHAINS[0]!;
chainBox.onchange = dress;
clipBox.onchange = () => play(clipBox.value);
own.onchange = show;
addEventListener("resize", resize);
addEventListener("dragover", event => event.preventDefault());
addEventListener("drop", async event => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) await open(await file.arrayBuffer()).catch(error => say(error.message));
});
const rays = new Raycaster();
renderer.domElement.addEventListener("click", event => {
    rays.setFromCamera(new Vector2(2 * event.clientX / innerWidth - 1, 1 - 2 * event.clientY / innerHeight), camera);
    const [hit] = rays.intersectObjects(skin?.meshes ?? []);
    marker.visible = Boolean(hit);
    if (hit) marker.position.copy(hit.point);
    (globalThis as Record<string, unknown>).hit = hit && { distance: hit.distance, name: hit.object.name };
});
resize();

const timer = new Timer();
renderer.setAnimationLoop(() => {
    timer.update();
    const dt = Math.min(timer.getDelta(), 0.1);
    mixer?.update(dt);
    try {
        const shown = skin?.update(dt);
        if (shown) shown.then(() => ++frames, error => say(error.message));
    } catch (error) {
        say((error as Error).message);
    }
    controls.update();
    renderer.render(scene, camera);
    const now = performance.now();
    if (skin && now - since > 1000) {
        say(`${chainBox.value}: ${(1000 * frames / (now - since)).toFixed(0)} frames/s from the worker.`);
        frames = 0;
        since = now;
    }
});
const answer = await fetch(asked.get("character") ?? "./soldier.glb");
if (answer.ok) await open(await answer.arrayBuffer()).catch(error => say(error.message));
else say("There is no soldier.glb beside this page: drop a .glb of your own.");
