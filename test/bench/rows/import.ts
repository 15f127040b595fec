import { copyFileSync, openAsBlob, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'

import Database from 'better-sqlite3'

import { call, startInstance, TOKEN, type Running } from '../support/instance.ts'
import { writeMergeRequestArchive } from '../support/merge-request-archive.ts'
import { round, type Result } from '../support/measure.ts'
import { seedProjects } from '../support/seed.ts'

const REQUESTS = 10_000
const GOAL = 4
const GOAL_P99_MS = 100
/** The pause of a client between two requests, in ms. */
const PAUSE_MS = 40
const CLIENTS = 4

/** The tables that the archive fills, in the order of their references, and the tables that triggers update. */
const TABLES = [
  'labels',
  'merge_requests',
  'merge_request_diffs',
  'merge_request_diff_commits',
  'merge_request_assignees',
  'merge_request_reviewers',
  'merge_request_labels',
  'notes',
  'award_emoji',
  'resource_label_events',
  'activity_events',
]
const COUNTED = ['user_notes_count', 'upvotes', 'downvotes']

/** Requests projects, one after the other, until it is stopped. Returns the durations in ms. */
async function ask(url: string, client: number, signal: AbortSignal): Promise<number[]> {
  const times: number[] = []
  for (let turn = client; !signal.aborted; turn += CLIENTS) {
    const start = performance.now()
    await call(url, `/projects/${1 + (turn % 1000)}`)
    times.push(performance.now() - start)
    await setTimeout(PAUSE_MS)
  }
  return times
}

async function upload(instance: Running, archive: string, path: string): Promise<number> {
  const form = new FormData()
  form.set('path', path)
  form.set('file', await openAsBlob(archive), 'export.tar.gz')
  const answer = await fetch(`${instance.url}/api/v4/projects/import`, {
    method: 'POST',
    headers: { 'private-token': TOKEN },
    body: form,
  })
  const text = await answer.text()
  if (answer.status !== 201) throw new Error(`The import was refused: ${answer.status} ${text}`)
  return (JSON.parse(text) as { id: number }).id
}

async function untilImported(instance: Running, id: number): Promise<void> {
  for (;;) {
    const status = JSON.parse((await call(instance.url, `/projects/${id}/import`)).text) as {
      import_status: string
      import_error: string | null
    }
    if (status.import_status === 'finished') return
    if (status.import_status === 'failed') throw new Error(`The import failed: ${status.import_error}`)
    await setTimeout(20)
  }
}

/** Memory of the process itself with all of its threads, in MB (Linux). */
function memoryOf(pid: number): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0
  return Number(kb) / 1024
}

/** Inserts the imported rows again in one transaction with prepared statements. */
function insertSame(imported: string, before: string): number {
  const from = new Database(imported, { readonly: true })
  const into = new Database(before)
  for (const pragma of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'foreign_keys = ON',
    'cache_size = -16000',
  ])
    into.pragma(pragma)
  const projects = from
    .prepare<[], Record<string, unknown>>('SELECT * FROM projects ORDER BY id DESC LIMIT 1')
    .all()
  const sets = [
    ['projects', projects] as const,
    ...TABLES.map((table) => [table, rowsOf(from, table)] as const),
  ]
  const start = performance.now()
  into.transaction(() => {
    into.pragma('defer_foreign_keys = ON')
    for (const [table, rows] of sets) {
      const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== 'draft')
      if (columns.length === 0) continue
      const insert = into.prepare(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      )
      for (const row of rows) insert.run(...columns.map((name) => (COUNTED.includes(name) ? 0 : row[name])))
    }
  })()
  const ms = performance.now() - start
  from.close()
  into.close()
  return ms
}

function rowsOf(db: Database.Database, table: string): Record<string, unknown>[] {
  return db.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).all()
}

/** Row 12: an archive with 10,000 merge requests and 100,000 notes under concurrent reads, against inserting the same rows. */
export async function importRows(dir: string): Promise<Result[]> {
  const data = join(dir, 'data')
  await seedProjects(data, 1000)
  const before = join(dir, 'before.db')
  copyFileSync(join(data, 'deskforge.db'), before)
  const archive = join(dir, 'archive.tar.gz')
  await writeMergeRequestArchive(archive, REQUESTS)
  const instance = await startInstance(data)
  const stop = new AbortController()
  const clients = Array.from({ length: CLIENTS }, (_, index) => ask(instance.url, index, stop.signal))
  let memory = 0
  const watch = setInterval(() => (memory = Math.max(memory, memoryOf(instance.pid))), 250)
  const start = performance.now()
  await untilImported(instance, await upload(instance, archive, 'measured'))
  const own = performance.now() - start
  clearInterval(watch)
  stop.abort()
  const times = (await Promise.all(clients)).flat().sort((a, b) => a - b)
  const p99 = times[Math.floor(times.length * 0.99)]!
  await instance.stop()
  const plain = insertSame(join(data, 'deskforge.db'), before)
  const ratio = own / plain
  return [
    {
      row: 12,
      work: `import of ${REQUESTS} merge requests`,
      baseline: `insert ${round(plain)} ms`,
      measured: `${round(own)} ms`,
      ratio,
      goal: `≤ ${GOAL} ×`,
      met: ratio <= GOAL,
    },
    {
      row: 12,
      work: 'others meanwhile, p99',
      baseline: `${times.length} requests`,
      measured: `${round(p99)} ms (${round(memory)} MB)`,
      ratio: null,
      goal: `< ${GOAL_P99_MS} ms`,
      met: p99 < GOAL_P99_MS,
    },
  ]
}
