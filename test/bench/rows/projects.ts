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

/** Ids spread over the whole table, so that no cache of single rows helps. */
function spreadIds(): number[] {
  return Array.from({ length: 5000 }, (_one, index) => 1 + ((index * 7919) % COUNT))
}

async function compare(instance: Running, dir: string, one: Case): Promise<Result> {
  const bytes = join(dir, `answer-${one.row}.json`)
  writeFileSync(bytes, (await call(instance.url, one.path)).text)
  const takesId = one.sql.includes('?')
  const bare = await startProgram([
    join(import.meta.dirname, '..', 'support', 'bare-koa.ts'),
    join(dir, 'deskforge.db'),
    one.sql,
    bytes,
    takesId ? String(COUNT) : '0',
  ])
  // The first load warms both up and is not counted.
  await requestsPerSecond(instance.url, one.paths, 2)
  await requestsPerSecond(bare.url, one.paths, 2)
  const [ours, theirs] = await inTurn(
    ROUNDS,
    () => requestsPerSecond(instance.url, one.paths, SECONDS),
    () => requestsPerSecond(bare.url, one.paths, SECONDS),
  )
  await bare.stop()
  const ratio = ours / theirs
  return {
    row: one.row,
    work: one.work,
    baseline: `${round(theirs)} req/s (bare Koa)`,
    measured: `${round(ours)} req/s`,
    ratio,
    goal: `≥ ${one.goal} ×`,
    met: ratio >= one.goal,
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
  for (const one of cases) results.push(await compare(instance, dir, one))
  await instance.stop()
  return results
}
