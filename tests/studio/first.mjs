// What a newcomer sees of a link that goes through sculpts, in a real browser: node first.mjs PROGRAM.
import { browse, equal, finish, serve, studio, test, visit } from "./harness.mjs";

const server = await serve("builtin:arm"), browser = await browse(), page = await visit(browser, server.address);
await page.waitForFunction(() => globalThis.studio.character()?.name === "arm");
for (const name of ["beam", "fourier"])
    await test(`${name} begins with the preset that shows its dynamics`, async () => {
        await page.getByLabel("Add a link").selectOption(name);
        await page.waitForFunction(deformer => globalThis.studio.session().chains.some(one => one.links.at(-1).deformer === deformer), name);
        const { values } = (await studio(page, "session")).chains.map(one => one.links.at(-1)).find(one => one.deformer === name);
        equal([values.settle, values.continuity, values.sway > 1], [true, "hermite", true], "what the link begins with");
    });
await finish(() => browser.close(), () => server.end());
