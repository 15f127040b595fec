// `npm run bench [-- ROW …]` measures the rows of the table in design/quality.md. A figure is a ratio to a baseline of the
// same run, because absolute times depend on the machine. A missed goal is no failure. `README.md` says how to compare with
// Gitea.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'

import { forgeRows } from './rows/forges.ts'
import { gitRows } from './rows/git.ts'
import { importRows } from './rows/import.ts'
import { inspectorRows } from './rows/inspector.ts'
import { lintRows } from './rows/lint.ts'
import { mergeRequestListRows } from './rows/merge-request-lists.ts'
import { mergeRows } from './rows/merge.ts'
import { mixedRows } from './rows/mixed.ts'
import { projectRows } from './rows/projects.ts'
import { readsUnderWritesRows } from './rows/reads-under-writes.ts'
import { runnerRows } from './rows/runners.ts'
import { snapshotRows } from './rows/snapshots.ts'
import { startRows } from './rows/start.ts'
import { windowRows } from './rows/window.ts'
import { keepRun } from './support/chart.ts'
import type { Result } from './support/measure.ts'

const cacheDir = join(tmpdir(), 'deskforge-bench-cache')
const suites: { rows: number[]; run: (dir: string) => Promise<Result[]> | AsyncGenerator<Result> }[] = [
  { rows: [1, 2], run: startRows },
  { rows: [3, 4], run: projectRows },
  { rows: [5], run: mergeRequestListRows },
  { rows: [6, 7, 9], run: (dir) => gitRows(dir, cacheDir) },
  { rows: [8], run: mergeRows },
  { rows: [10], run: lintRows },
  { rows: [11], run: runnerRows },
  { rows: [12], run: importRows },
  { rows: [13], run: windowRows },
  { rows: [14, 15, 17], run: (dir) => forgeRows(dir, cacheDir) },
  { rows: [16], run: mixedRows },
  { rows: [18], run: readsUnderWritesRows },
  { rows: [19], run: snapshotRows },
  { rows: [20], run: inspectorRows },
]

function line(cells: readonly string[]): string {
  const widths = [3, 34, 30, 40, 8, 22, 4]
  return cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 0))
    .join(' ')
    .trimEnd()
}

function print(result: Result): void {
  const ratio = result.ratio === null ? '' : `${result.ratio.toFixed(2)} ×`
  console.log(
    line([
      String(result.row),
      result.work,
      result.baseline,
      result.measured,
      ratio,
      result.goal,
      result.met ? 'yes' : 'NO',
    ]),
  )
}

const chosen = process.argv
  .slice(2)
  .map(Number)
  .filter((row) => Number.isInteger(row))
const results: Result[] = []
console.log(line(['#', 'work', 'baseline', 'measured', 'ratio', 'goal', 'met']))
for (const suite of suites) {
  if (chosen.length > 0 && !suite.rows.some((row) => chosen.includes(row))) continue
  const dir = mkdtempSync(join(tmpdir(), 'deskforge-bench-'))
  try {
    for await (const result of await suite.run(dir)) {
      results.push(result)
      print(result)
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
mkdirSync('dist', { recursive: true })
const run = { at: new Date().toISOString(), node: process.version, cpus: cpus().length, results }
const out = join('dist', 'bench.json')
writeFileSync(out, `${JSON.stringify(run, null, 2)}\n`)
console.log(`Written to ${out}; the last runs are drawn in ${keepRun('dist', run)}.`)
