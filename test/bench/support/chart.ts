import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Result } from './measure.ts'

/** One stored run of the bench. */
export interface Run {
  readonly at: string
  readonly node: string
  readonly cpus: number
  readonly results: readonly Result[]
}

/** The number of runs in a chart. */
const SHOWN = 30
const WIDTH = 320
const HEIGHT = 56
const MARGIN = 6

/** Adds a run to the stored ones and draws all of them. Returns the file of the chart. */
export function keepRun(dir: string, run: Run): string {
  const runs = join(dir, 'bench-runs')
  mkdirSync(runs, { recursive: true })
  writeFileSync(join(runs, `${run.at.replace(/[:.]/g, '-')}.json`), `${JSON.stringify(run, null, 2)}\n`)
  const last = readdirSync(runs).toSorted().slice(-SHOWN)
  const file = join(dir, 'bench.html')
  writeFileSync(file, page(last.map((name) => JSON.parse(readFileSync(join(runs, name), 'utf8')) as Run)))
  return file
}

interface Point {
  readonly at: string
  readonly result: Result
}

/** The runs of each row, oldest first. */
function pointsByRow(runs: readonly Run[]): Map<string, Point[]> {
  const rows = new Map<string, Point[]>()
  for (const { at, results } of runs) {
    for (const result of results) {
      const key = `${String(result.row).padStart(2, '0')} ${result.work}`
      rows.set(key, [...(rows.get(key) ?? []), { at, result }])
    }
  }
  return new Map([...rows].toSorted(([a], [b]) => a.localeCompare(b)))
}

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

function page(runs: readonly Run[]): string {
  const rows = Array.from(pointsByRow(runs), ([, points]) => tableRow(points))
  return `<!doctype html>
<meta charset="utf-8">
<title>Deskforge: the last runs of the bench</title>
<style>
  body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; color: #1f2328; background: #fff }
  table { border-collapse: collapse }
  th, td { padding: 0.3rem 0.8rem; text-align: left; border-bottom: 1px solid #d1d9e0; vertical-align: middle }
  polyline { fill: none; stroke: #4f6bd8; stroke-width: 1.5 }
  circle { fill: #1a7f37 } circle.missed { fill: #cf222e }
  .missed { color: #cf222e }
</style>
<h1>The last ${runs.length} runs of the bench</h1>
<p>Ratios to a baseline of the same run, the oldest on the left. A red dot is a run that missed the goal.</p>
<table>
<tr><th>#</th><th>Work</th><th>Goal</th><th>Last run</th><th>Baseline</th><th>Ratio</th></tr>
${rows.join('\n')}
</table>
`
}

function tableRow(points: readonly Point[]): string {
  const { row, work, goal, measured, baseline, ratio, met } = points.at(-1)!.result
  const cells = [row, work, goal, measured, baseline].map((text) => `<td>${escape(String(text))}</td>`)
  const last = ratio === null ? '' : `${ratio.toFixed(2)} × `
  return `<tr>${cells.join('')}<td class="${met ? 'met' : 'missed'}">${last}${line(points)}</td></tr>`
}

/** The ratios as a line chart. A row without a ratio has no chart. */
function line(points: readonly Point[]): string {
  const shown = points.filter(({ result }) => result.ratio !== null)
  if (shown.length === 0) return ''
  const ratios = shown.map(({ result }) => result.ratio!)
  const most = Math.max(...ratios)
  const x = (index: number): number => MARGIN + (index * (WIDTH - 2 * MARGIN)) / Math.max(1, shown.length - 1)
  const y = (ratio: number): number => HEIGHT - MARGIN - (ratio / most) * (HEIGHT - 2 * MARGIN)
  const corners = ratios.map((ratio, index) => `${x(index).toFixed(1)},${y(ratio).toFixed(1)}`)
  const dots = shown.map(({ at, result }, index) => {
    const [cx, cy] = corners[index]!.split(',')
    const missed = result.met ? '' : ' class="missed"'
    return `<circle${missed} cx="${cx}" cy="${cy}" r="3"><title>${escape(`${at}: ${result.ratio!.toFixed(2)} ×`)}</title></circle>`
  })
  const label = `Ratios of ${shown.length} runs, from ${ratios[0]!.toFixed(2)} to ${ratios.at(-1)!.toFixed(2)}`
  return `<br><svg width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${label}"><polyline points="${corners.join(' ')}"/>${dots.join('')}</svg>`
}
