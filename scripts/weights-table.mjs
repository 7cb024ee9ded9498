// The table of docs/weights.md: automatic weights beside those that come with libigl's rigs and with skinned characters.
//   node scripts/weights-table.mjs build/supple ../shared/data docs/weights.md
// Mean difference: half the sum of |difference| over joints, mean over vertices; 0 is the same, 1 has nothing in common.
// Joints: six of every file, evenly from its list, each alone turned by 90 degrees about its own z; nobody chose them.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [supple, data, page] = process.argv.slice(2)
const JOINTS = 6
const rows = [
  { name: 'libigl arm', file: 'libigl-rigs/arm.obj', skeleton: 'libigl-rigs/arm.tgf', weights: 'libigl-rigs/arm-weights.dmat' },
  { name: 'libigl elephant', file: 'libigl-rigs/elephant.obj', skeleton: 'libigl-rigs/elephant.tgf', weights: 'libigl-rigs/elephant-weights.dmat' },
  ...['riggedsimple', 'cesiumman', 'fox', 'hvgirl', 'soldier', 'xbot', 'robotexpressive'].map(n => ({ name: n, file: `skinned/${n}.glb` })),
]

function run(args) {
  const r = spawnSync(supple, [...args, '--quiet'], { encoding: 'utf8', maxBuffer: 1 << 26 })
  if (r.status !== 0) throw new Error(`supple ${args.join(' ')}: ${r.stderr}`)
  return args.includes('--json') ? JSON.parse(r.stdout) : null
}

// Of every vertex a map from joint name to weight, over all skinned primitives in order.
function readGlb(path) {
  const bytes = readFileSync(path), length = bytes.readUInt32LE(12)
  const gltf = JSON.parse(bytes.subarray(20, 20 + length).toString()), bin = bytes.subarray(28 + length)
  const parts = { 5121: [1, 'readUInt8', 255], 5123: [2, 'readUInt16LE', 65535], 5126: [4, 'readFloatLE', 1] }
  const read = (index, width = 4) => {
    const a = gltf.accessors[index], view = gltf.bufferViews[a.bufferView], [size, how, whole] = parts[a.componentType]
    const start = (view.byteOffset ?? 0) + (a.byteOffset ?? 0), stride = view.byteStride ?? width * size
    return { count: a.count, whole, at: (i, k) => bin[how](start + i * stride + k * size) }
  }
  const out = []
  for (const node of gltf.nodes) {
    if (node.skin === undefined || node.mesh === undefined) continue
    const names = gltf.skins[node.skin].joints.map(j => gltf.nodes[j].name ?? `${j}`)
    for (const p of gltf.meshes[node.mesh].primitives) {
      const sets = []
      for (let n = 0; p.attributes[`WEIGHTS_${n}`] !== undefined; ++n)
        sets.push([read(p.attributes[`JOINTS_${n}`]), read(p.attributes[`WEIGHTS_${n}`])])
      const place = read(p.attributes.POSITION, 3)
      for (let i = 0; i < (sets[0]?.[0].count ?? 0); ++i) {
        const of = new Map()
        of.place = [0, 1, 2].map(k => place.at(i, k))
        let sum = 0
        for (const [joints, weights] of sets)
          for (let k = 0; k < 4; ++k) {
            const w = weights.at(i, k) / weights.whole, name = names[joints.at(i, k)]
            if (w > 0) of.set(name, (of.get(name) ?? 0) + w), (sum += w)
          }
        for (const [name, w] of of) of.set(name, w / sum)
        out.push(of)
      }
    }
  }
  return out
}

function readDmat(path, skeleton) {
  const edges = readFileSync(skeleton, 'utf8').split('#')[1].trim().split('\n').map(l => l.trim().split(/\s+/))
  const bytes = readFileSync(path)
  let [head, rest] = [bytes.subarray(0, bytes.indexOf(10)).toString(), bytes.subarray(bytes.indexOf(10) + 1)], binary = head.trim() === '0 0'
  if (binary) [head, rest] = [rest.subarray(0, rest.indexOf(10)).toString(), rest.subarray(rest.indexOf(10) + 1)]
  const [columns, count] = head.trim().split(/\s+/).map(Number), words = binary ? null : rest.toString().trim().split(/\s+/)
  const value = k => (binary ? rest.readDoubleLE(8 * k) : +words[k])
  return Array.from({ length: count }, (_, i) => {
    const w = edges.slice(0, columns).map((_, c) => Math.max(value(c * count + i), 0)), sum = w.reduce((a, b) => a + b, 0)
    return new Map(edges.slice(0, columns).map(([a, b], c) => [`bone ${a}-${b}`, w[c] / sum]))
  })
}

function difference(a, b) {
  if (a.length !== b.length || a.length === 0) return null
  if (b[0].place && a.some((of, i) => of.place.some((x, k) => Math.abs(x - b[i].place[k]) > 1e-4 * (1 + Math.abs(x))))) return null
  let sum = 0
  a.forEach((of, i) => {
    for (const name of new Set([...of.keys(), ...b[i].keys()])) sum += Math.abs((of.get(name) ?? 0) - (b[i].get(name) ?? 0)) / 2
  })
  return sum / a.length
}

function measure(input, joints) {
  let worst = 0, crossings = 0
  for (const joint of joints) {
    const d = run(['compare', ...input, '--pose', `${joint}=0,0,90`, '--deform', 'linear', '--json']).chains[0]
    worst = Math.max(worst, Math.abs(d.volume_change_max))
    crossings += d.self_intersections_max
  }
  return { worst, crossings }
}

const folder = mkdtempSync(join(tmpdir(), 'weights-'))
const percent = x => (100 * x).toFixed(1)
let table = '| character | joints | cells | mean difference | volume at 90 degrees, worst of six joints: its own | automatic | crossings, all six: its own | automatic |\n|---|---|---|---|---|---|---|---|\n'
for (const row of rows) {
  const file = join(data, row.file), made = join(folder, `${row.name.replace(/ /g, '-')}.glb`)
  if (!existsSync(file)) continue
  const skeleton = row.skeleton ? ['--skeleton', join(data, row.skeleton)] : []
  const own = row.weights ? [file, ...skeleton, '--weights', join(data, row.weights)] : [file]
  const report = run(['weights', file, made, ...skeleton, '--json'])
  const ours = readGlb(made), theirs = row.weights ? readDmat(join(data, row.weights), join(data, row.skeleton)) : readGlb(file)
  const names = [...new Set(theirs.flatMap(of => [...of.keys()]))].sort()
  const joints = names.length <= JOINTS ? names : Array.from({ length: JOINTS }, (_, i) => names[Math.floor(((i + 0.5) * names.length) / JOINTS)])
  const d = difference(ours, theirs), a = measure(own, joints), b = measure([made], joints)
  table += `| ${row.name} | ${report.joints} | ${report.cells_longest} | ${d === null ? '–' : d.toFixed(3)} | ${percent(a.worst)} % | ${percent(b.worst)} % | ${a.crossings} | ${b.crossings} |\n`
}
rmSync(folder, { recursive: true })
const text = readFileSync(page, 'utf8'), marks = ['<!-- weights -->\n', '<!-- /weights -->']
const from = text.indexOf(marks[0]), to = text.indexOf(marks[1])
if (from < 0 || to < 0) throw new Error(`${page} lacks the marks ${marks.join(' ')}`)
writeFileSync(page, text.slice(0, from + marks[0].length) + table + text.slice(to))
process.stdout.write(table)
