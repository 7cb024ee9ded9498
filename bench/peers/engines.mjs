// One step of the block in other engines: { step(), lowest() } each. The block hangs by its top layer, so every constraint works.
const GRAVITY = -9.81;
export const STEP = 1 / 60;

/** Jolt: XPBD on edges and volumes of tetrahedra. */
export async function jolt({ positions, tetrahedra, edges, surface, held }, iterations) {
    const { default: init } = await import("jolt-physics/wasm-compat");
    const Jolt = await init();
    const settings = new Jolt.JoltSettings();
    settings.mMaxWorkerThreads = 0;
    const layers = new Jolt.ObjectLayerPairFilterTable(1);
    layers.EnableCollision(0, 0);
    settings.mObjectLayerPairFilter = layers;
    const broad = new Jolt.BroadPhaseLayerInterfaceTable(1, 1);
    broad.MapObjectToBroadPhaseLayer(0, new Jolt.BroadPhaseLayer(0));
    settings.mBroadPhaseLayerInterface = broad;
    settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(broad, 1, layers, 1);
    const world = new Jolt.JoltInterface(settings);
    const shared = new Jolt.SoftBodySharedSettings();
    const fixed = new Set(held);
    for (let i = 0; 3 * i < positions.length; ++i) {
        const vertex = new Jolt.SoftBodySharedSettingsVertex();
        vertex.mPosition = new Jolt.Float3(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
        vertex.mInvMass = fixed.has(i) ? 0 : 20;
        shared.mVertices.push_back(vertex);
    }
    for (const [a, b, c] of surface) shared.AddFace(new Jolt.SoftBodySharedSettingsFace(a, b, c, 0));
    for (const [a, b] of edges) shared.mEdgeConstraints.push_back(new Jolt.SoftBodySharedSettingsEdge(a, b, 1e-4));
    for (const [a, b, c, d] of tetrahedra) shared.mVolumeConstraints.push_back(new Jolt.SoftBodySharedSettingsVolume(a, b, c, d, 1e-6));
    shared.CalculateEdgeLengths();
    shared.CalculateVolumeConstraintVolumes();
    shared.Optimize();
    const creation = new Jolt.SoftBodyCreationSettings(shared, new Jolt.RVec3(0, 0, 0), new Jolt.Quat(0, 0, 0, 1), 0);
    creation.mNumIterations = iterations;
    creation.mAllowSleeping = false;
    creation.mUpdatePosition = false;
    const bodies = world.GetPhysicsSystem().GetBodyInterface();
    const body = bodies.CreateSoftBody(creation);
    bodies.AddBody(body.GetID(), Jolt.EActivation_Activate);
    const vertices = Jolt.castObject(body.GetMotionProperties(), Jolt.SoftBodyMotionProperties).GetVertices();
    return {
        step: () => world.Step(STEP, 1),
        lowest: () => Math.min(...Array.from({ length: positions.length / 3 }, (_, i) => vertices.at(i).mPosition.GetY())),
    };
}

/** Rapier: model is "Volume" or "NeoHookean" cells solved as constraints, or "FEM". */
export async function rapier({ positions, tetrahedra, edges, surface, held }, model) {
    const { default: Rapier } = await import("@dimforge/rapier3d-compat");
    await Rapier.init({});
    const world = new Rapier.World({ x: 0, y: GRAVITY, z: 0 });
    world.timestep = STEP;
    const description = new Rapier.SoftBodyDesc(positions)
        .setEdges(new Uint32Array(edges.flat()))
        .setCells(new Uint32Array(tetrahedra.flat()))
        .setSurface(new Uint32Array(surface.flat()))
        .setPinnedParticles(new Uint32Array(held))
        .setSelfContacts(false);
    if (model === "FEM") description.setSolver(Rapier.SoftBodySolver.Fem);
    else description.setCellModel(Rapier.SoftBodyCellModel[model]);
    description.canSleep = false;
    const body = world.createSoftBody(description);
    return {
        step: () => world.step(),
        lowest: () => {
            const points = body.particlePositions();
            let y = Infinity;
            for (let i = 1; i < points.length; i += 3) y = Math.min(y, points[i]);
            return y;
        },
        iterations: world.numSolverIterations,
    };
}
