// Farms under a Slurm of this machine: an array job, ranks by srun and by mpirun, a rank that is killed, a node that is drained, jobs
// that are requeued. run.mjs SUPPLE; needs root and Debian's slurm-wlm, munge and openmpi-bin (make test-slurm installs them).
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { equal, finish, holds, strip, test, writeGlb } from "../cli/harness.mjs";

const here = path.dirname(new URL(import.meta.url).pathname), supple = path.resolve(process.argv[2] ?? "build/supple");
const cluster = fs.mkdtempSync(path.join(os.tmpdir(), "supple-slurm-"));
const env = { ...process.env, SLURM_CONF: path.join(cluster, "slurm.conf"), PATH: `${path.dirname(supple)}:${process.env.PATH}`,
    OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1", OMPI_MCA_rmaps_base_oversubscribe: "1" };
const pause = ms => new Promise(done => setTimeout(done, ms));
const call = (name, ...args) => execFileSync(name, args, { env, encoding: "utf8" }).trim();

/** A manifest of quick and of slower jobs, and the hashes that they must have. */
function prepare(folder, slow = 6) {
    fs.mkdirSync(path.join(folder, "in"));
    for (let i = 0; i < 20; i++) {
        const model = strip();
        model.views.positions[0] = -0.001 * i;
        model.json.accessors[0].min[0] = Math.fround(-0.001 * i);
        writeGlb(path.join(folder, "in", `c${i}.glb`), model);
    }
    const arms = Array.from({ length: slow }, (_, i) => `builtin:arm?points=${600 + 20 * i}`);
    fs.writeFileSync(path.join(folder, "jobs.json"), JSON.stringify({ out: "baked", jobs: [{ characters: arms, clips: "flex", deform: "layers" }, { characters: "in/*.glb" }] }));
    return path.join(folder, "jobs.json");
}
const records = folder => path.join(folder, "baked/_farm/records");
const done = folder => (fs.existsSync(records(folder)) ? fs.readdirSync(records(folder)).filter(n => n.endsWith(".json")).length : 0);

/** Jobs of the queue, by id. */
const queue = id => call("squeue", "-h", "-j", id, "-o", "%i %T %N").split("\n").filter(Boolean).map(l => l.split(" "));
async function until(what, condition, seconds = 240) {
    for (const end = Date.now() + 1000 * seconds; !condition(); await pause(100)) holds(Date.now() < end, `${what}: not within ${seconds} s`);
}
/** A claim about a job, which does not outlive it. */
const claim = (what, body) => test(what, async folder => {
    try { await body(folder); } finally {
        call("scancel", "-u", "root");
        await until("the end of all", () => call("squeue", "-h") === "", 30);
    }
});
async function ended(id) {
    await until(`job ${id}`, () => {
        try {
            // Slurm holds what was requeued back for two minutes.
            for (const [task, state] of queue(id)) if (state === "PENDING" && !task.includes("[")) call("scontrol", "update", `jobid=${task}`, "starttime=now");
            return queue(id).length === 0;
        } catch (e) {
            return /Invalid job id/.test(`${e.stderr}`);
        }
    });
}
const requeue = task => call("scontrol", "requeue", task);
const submit = (folder, script, manifest, ...more) => call("sbatch", "--parsable", "-D", folder, "-o", path.join(folder, "said-%a.txt"),
    `--export=ALL,JOBS=${manifest},PAGE=${path.join(folder, "page.html")}`, ...more, path.join(here, script));

/** Every job is done and every file as a run without Slurm makes it. */
function check(folder, manifest, total) {
    const r = JSON.parse(spawnSync(supple, ["farm", manifest, "--json"], { encoding: "utf8" }).stdout);
    const said = fs.readdirSync(folder).filter(n => n.startsWith("said")).map(n => fs.readFileSync(path.join(folder, n), "utf8").slice(-300)).join("\n");
    holds(r.done === total && r.results.every(j => !j.fresh), `${r.results.filter(j => !j.fresh).length} of ${total} jobs were done by the queue\n${said}`);
    const truth = JSON.parse(spawnSync(supple, ["farm", manifest, "--out", path.join(folder, "truth"), "--json"], { encoding: "utf8" }).stdout);
    r.results.forEach((j, i) => equal(j.result.hash, truth.results[i].result.hash, j.job));
    equal(fs.readdirSync(path.join(folder, "baked/_farm/claims")).length, 0, "claims left");
    equal(fs.readdirSync(path.join(folder, "baked")).filter(n => n.endsWith(".part") || n.endsWith(".checkpoint")).length, 0, "leftovers");
}
/** The process of a rank: a farm whose parent is none. */
function findRank(sign) {
    const words = p => fs.readFileSync(`/proc/${p}/cmdline`, "utf8"), isFarm = p => /(^|\/)supple\0farm\0/.test(words(p));
    return Number(fs.readdirSync("/proc").filter(p => /^\d+$/.test(p)).find(p => {
        try {
            const parent = fs.readFileSync(`/proc/${p}/stat`, "utf8").split(") ")[1].split(" ")[1];
            return isFarm(p) && fs.readFileSync(`/proc/${p}/environ`, "utf8").split("\0").includes(sign) && !isFarm(parent);
        } catch {
            return false;
        }
    }));
}
const total = 46;

call(path.join(here, "cluster.sh"), "start", cluster);
try {
    await claim("an array job shares the work, and two of its tasks are requeued on the way", async folder => {
        const manifest = prepare(folder), id = submit(folder, "array.sbatch", manifest);
        await until("the first jobs", () => done(folder) >= 1);
        const running = queue(id).filter(([, state]) => state === "RUNNING").map(([task]) => task);
        for (const task of running.slice(0, 2)) requeue(task);
        await ended(id);
        check(folder, manifest, total);
        holds(fs.readdirSync(folder).filter(n => n.startsWith("said")).length >= 4, "several tasks ran");
    });

    await claim("ranks of srun over two nodes finish when one is killed", async folder => {
        const manifest = prepare(folder), id = submit(folder, "ranks.sbatch", manifest);
        await until("the first jobs", () => done(folder) >= 1);
        const rank = findRank("SLURM_PROCID=2");
        holds(rank, "rank 2 is found");
        process.kill(rank, "SIGKILL");
        await ended(id);
        check(folder, manifest, total);
        holds(fs.readFileSync(path.join(folder, "page.html"), "utf8").includes(`${total} of ${total} jobs are done`), "the page of the first rank");
    });

    await claim("ranks of mpirun end together when one is killed, and are started again to finish", async folder => {
        const manifest = prepare(folder), id = submit(folder, "mpi.sbatch", manifest);
        await until("the first jobs", () => done(folder) >= 1);
        const rank = findRank("OMPI_COMM_WORLD_RANK=1");
        holds(rank, "rank 1 is found");
        process.kill(rank, "SIGKILL");
        await ended(id);
        check(folder, manifest, total);
    });

    await claim("a node is drained and its tasks are requeued: the other finishes the queue", async folder => {
        const manifest = prepare(folder), id = submit(folder, "array.sbatch", manifest);
        await until("the first jobs", () => done(folder) >= 1);
        call("scontrol", "update", "nodename=n2", "state=drain", "reason=test");
        for (const [task, state, node] of queue(id)) if (state === "RUNNING" && node === "n2") requeue(task);
        await ended(id);
        call("scontrol", "update", "nodename=n2", "state=resume");
        check(folder, manifest, total);
    });
} finally {
    call(path.join(here, "cluster.sh"), "stop", cluster);
    fs.rmSync(cluster, { recursive: true, force: true });
}
finish();
