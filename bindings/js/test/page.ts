// What the browser test asks of the package, inside a real bundle.
import * as files from "supple-skin";
import * as inside from "supple-skin/compat";

const doors = { files, compat: inside };

/** Hashes of the frames of a character through a door; how long binding took, and the longest that the page's thread was away meanwhile. */
async function play(door: keyof typeof doors, source: string, clip: string, links: string, times: number[], threads?: number) {
    const supple = await doors[door].connect(threads ? { threads } : {});
    let last = performance.now(), longest = 0;
    const beat = setInterval(() => {
        const now = performance.now();
        longest = Math.max(longest, now - last);
        last = now;
    }, 5);
    try {
        const character = await supple.load(source), begin = last = performance.now();
        longest = 0;
        const chain = await character.chain({ links, clip }), bound = { milliseconds: performance.now() - begin, longest };
        const player = await chain.play(), hashes: string[] = [];
        for (const time of times) {
            await player.evaluate(time);
            hashes.push(await player.hash());
        }
        return { hashes, threads: await supple.threads, bound };
    } catch (error) {
        return { error: (error as Error).message };
    } finally {
        clearInterval(beat);
        await supple.close();
    }
}

/** Binds until the first word of how far it is, and stops it then: what became of it. */
async function stop(source: string, clip: string, links: string) {
    const supple = await files.connect({ threads: 1 }), character = await supple.load(source);
    let told = 0;
    try {
        await character.chain({ links, clip }, () => (++told, false));
        return { code: "bound", told };
    } catch (error) {
        return { code: (error as files.SuppleError).code, told };
    } finally {
        await supple.close();
    }
}
Object.assign(globalThis, { play, stop, isolated: crossOriginIsolated });
