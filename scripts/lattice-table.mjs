// The bars of docs/deformers/lattice.md over every character and clip of the test data: is a part's volume ever further from
// rest than under linear skinning, and are there ever more crossings?
//   node scripts/lattice-table.mjs build/supple ../shared/data [--only NAME,NAME] [--not NAME,NAME] [--chain 'lattice(...)'] [--detail]
//   node scripts/lattice-table.mjs build/supple ../shared/data --write docs/deformers/lattice.md
// Every clip, four seconds of it at most, 15 frames a second, and of captured motions the same behind their first second.
// A part is worse off where its largest change of a clip is SLACK over linear's: flesh that swings gives way by that much.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [supple, data, ...rest] = process.argv.slice(2)
const flag = name => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : undefined)
const SECONDS = 4, FPS = 15, SLACK = 0.002
const only = flag('--only')?.split(','), not = flag('--not')?.split(',') ?? [], chain = flag('--chain') ?? 'lattice'

function run(args) {
  const r = spawnSync(supple, [...args, '--json', ...(args[0] === 'compare' ? ['--quiet'] : [])], { encoding: 'utf8', maxBuffer: 1 << 28 })
  if (r.status !== 0) throw new Error(`supple ${args.join(' ')}: ${r.stderr}`)
  return JSON.parse(r.stdout)
}

const motions = readdirSync(join(data, 'mocap')).sort()
const captured = [['--start', '1']].flatMap(from => motions.map(m => ({ clip: m.replace(/\.bvh$/, ''), flags: ['--motion', join(data, 'mocap', m), ...from], start: 1 })))
const rows = [
  ...['arm', 'beast', 'bar'].map(name => ({ name, file: `builtin:${name}` })),
  ...readdirSync(join(data, 'skinned')).sort().map(f => ({ name: f.replace(/\.[a-z]*$/, ''), file: join(data, 'skinned', f) })),
  { name: 'cesiumman, captured', file: join(data, 'skinned/cesiumman.glb'), clips: captured },
  { name: 'readyplayer, captured', file: join(data, 'skinned/readyplayer.glb'), clips: captured },
  { name: 'human_man, captured', file: join(data, 'closed-meshes/human_man.obj'), flags: ['--skeleton', join(data, 'mocap/07_01-walk.bvh')], clips: captured },
  { name: 'elephant', file: join(data, 'libigl-rigs/elephant.obj'), flags: ['--skeleton', join(data, 'libigl-rigs/elephant.tgf'), '--weights', join(data, 'libigl-rigs/elephant-weights.dmat')],
    clips: [{ clip: 'its own', flags: ['--motion', join(data, 'libigl-rigs/elephant-anim.dmat')] }] },
]

const furthest = p => Math.max(Math.abs(p.change_least), Math.abs(p.change_most))
const percent = x => `${(100 * x).toFixed(1)} %`
const lines = []
for (const row of rows) {
  if ((only && !only.some(n => row.name.startsWith(n))) || not.some(n => row.name.startsWith(n))) continue
  const base = [row.file, ...(row.flags ?? [])]
  const clips = row.clips ?? run(['inspect', ...base]).clips.map(c => ({ clip: c.name, flags: ['--clip', c.name], seconds: c.seconds ?? c.duration }))
  let cases = 0, worse = [], linearWorst = { d: 0 }, latticeWorst = { d: 0 }, frames = 0, framesMore = 0, more = { n: 0 }, crossings = [0, 0], linearSum = 0, latticeSum = 0
  for (const c of clips) {
    const end = (c.start ?? 0) + SECONDS
    const cut = c.seconds === undefined || c.seconds > end ? ['--end', `${end}`] : []
    let out
    try { out = run(['compare', ...base, ...c.flags, '--fps', `${FPS}`, ...cut, '--deform', 'linear', '--deform', chain]) }
    catch (e) {
      if (cut.length) try { out = run(['compare', ...base, ...c.flags, '--fps', `${FPS}`, '--deform', 'linear', '--deform', chain]) } catch (f) { console.error(String(f)); continue }
      else { console.error(String(e)); continue }
    }
    const [a, b] = out.chains
    a.parts.forEach((p, i) => {
      const l = furthest(p), m = furthest(b.parts[i])
      ++cases, linearSum += l, latticeSum += m
      if (l > linearWorst.d) linearWorst = { d: l, of: `${p.joint}, ${c.clip}` }
      if (m > latticeWorst.d) latticeWorst = { d: m, of: `${p.joint}, ${c.clip}` }
      if (m > l + SLACK) worse.push({ by: m - l, l, m, joint: p.joint, clip: c.clip, part: b.parts[i] })
    })
    a.self_intersections.forEach((n, i) => {
      const k = b.self_intersections[i]
      ++frames, crossings[0] += n, crossings[1] += k
      if (k > n) ++framesMore
      if (k - n > more.n) more = { n: k - n, of: `${n} -> ${k}, ${c.clip}` }
    })
    if (rest.includes('--detail')) console.error(`${row.name} ${c.clip}: volume ${percent(a.volume_change_max)} -> ${percent(b.volume_change_max)}, crossings max ${a.self_intersections_max} -> ${b.self_intersections_max}, ${JSON.stringify(b.fallbacks)}`)
  }
  if (!cases) continue
  worse.sort((x, y) => y.by - x.by)
  if (rest.includes('--detail')) for (const w of worse.slice(0, 8)) console.error(`    ${w.joint}, ${w.clip}: ${percent(w.l)} -> ${percent(w.m)} (${percent(w.part.change_least)} to ${percent(w.part.change_most)})`)
  const line = `| ${row.name} | ${cases} | ${percent(linearSum / cases)} | ${percent(latticeSum / cases)} | ${percent(linearWorst.d)} | ${percent(latticeWorst.d)} | ${worse.length}${worse.length ? `: ${percent(worse[0].l)} -> ${percent(worse[0].m)}, ${worse[0].joint}, ${worse[0].clip}` : ''} | ${crossings.join(' -> ')} | ${framesMore} of ${frames}${more.n ? `: ${more.of}` : ''} |`
  lines.push(line)
  console.log(line)
}
const head = ['| character | parts × clips | mean, linear | lattice | worst, linear | lattice | further from rest than linear | crossings, all frames | frames with more |', '|---|---|---|---|---|---|---|---|---|']
if (flag('--write')) {
  const page = flag('--write'), text = readFileSync(page, 'utf8'), begin = '<!-- bars -->', end = '<!-- /bars -->'
  if (!text.includes(begin)) throw new Error(`${page} has no ${begin}`)
  writeFileSync(page, text.slice(0, text.indexOf(begin) + begin.length) + '\n' + [...head, ...lines].join('\n') + '\n' + text.slice(text.indexOf(end)))
}
