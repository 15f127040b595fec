import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { call, startInstance, startProgram, type Running } from '../support/instance.ts'
import { requestsPerSecond } from '../support/load.ts'
import { inTurn, round, type Result } from '../support/measure.ts'
import { seedProjects } from '../support/seed.ts'

const COUNT = 100_000
const SECONDS = 4
const ROUNDS = 3

interface Case {
  row: number
  work: string
  path: string
  paths: string[]
  sql: string
  goal: number
}

/** IDs from the whole table, so that caches of single rows do not help. */
function spreadIds(): number[] {
  return Array.from({ length: 5000 }, (_, index) => 1 + ((index * 7919) % COUNT))
}

async function compare(instance: Running, dir: string, measured: Case): Promise<Result> {
  const bytes = join(dir, `answer-${measured.row}.json`)
  writeFileSync(bytes, (await call(instance.url, measured.path)).text)
  const takesId = measured.sql.includes('?')
  const bare = await startProgram([
    join(import.meta.dirname, '..', 'support', 'bare-koa.ts'),
    join(dir, 'deskforge.db'),
    measured.sql,
    bytes,
    takesId ? String(COUNT) : '0',
  ])
  // The first load warms both up and is not counted.
  await requestsPerSecond(instance.url, measured.paths, 2)
  await requestsPerSecond(bare.url, measured.paths, 2)
  const [ours, theirs] = await inTurn(
    ROUNDS,
    () => requestsPerSecond(instance.url, measured.paths, SECONDS),
    () => requestsPerSecond(bare.url, measured.paths, SECONDS),
  )
  await bare.stop()
  const ratio = ours / theirs
  return {
    row: measured.row,
    work: measured.work,
    baseline: `${round(theirs)} req/s (bare Koa)`,
    measured: `${round(ours)} req/s`,
    ratio,
    goal: `≥ ${measured.goal} ×`,
    met: ratio >= measured.goal,
  }
}

/** Rows 3 and 4: one project and page 1 of the list, 100,000 projects in the database. */
export async function projectRows(dir: string): Promise<Result[]> {
  await seedProjects(dir, COUNT)
  const instance = await startInstance(dir)
  const list = (query: string): string => `/projects?per_page=20${query}`
  const rows = 'SELECT * FROM projects ORDER BY created_at DESC, id DESC LIMIT 20'
  const cases: Case[] = [
    {
      row: 3,
      work: 'GET /projects/:id',
      path: '/projects/500',
      paths: spreadIds().map((id) => `/api/v4/projects/${id}`),
      sql: 'SELECT * FROM projects WHERE id = ?',
      goal: 0.5,
    },
    {
      row: 4,
      work: 'GET /projects, page 1, offset',
      path: list(''),
      paths: [`/api/v4${list('')}`],
      sql: rows,
      goal: 0.4,
    },
    {
      row: 4,
      work: 'GET /projects, page 1, keyset',
      path: list('&pagination=keyset&order_by=id&sort=desc'),
      paths: [`/api/v4${list('&pagination=keyset&order_by=id&sort=desc')}`],
      sql: 'SELECT * FROM projects ORDER BY id DESC LIMIT 20',
      goal: 0.4,
    },
  ]
  const results: Result[] = []
  for (const read of cases) results.push(await compare(instance, dir, read))
  await instance.stop()
  return results
}
