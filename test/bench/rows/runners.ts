import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

import Database from 'better-sqlite3'

import { startInstance, type Running } from '../support/instance.ts'
import { requestsPerSecond } from '../support/load.ts'
import { inTurn, round, type Result } from '../support/measure.ts'
import { seedProjects } from '../support/seed.ts'

const RUNNERS = 50
const PROJECTS = 5000
const SECONDS = 4
const ROUNDS = 3
const GOAL = 0.8
/** The time after which runners repeat a request without a job, unless the server holds the request. */
const CHECK_INTERVAL_MS = 3000

const tokenOf = (index: number): string => `glrt-bench-${index}`

function seedRunners(dataDir: string): void {
  const db = new Database(join(dataDir, 'deskforge.db'))
  const insert = db.prepare(
    `INSERT INTO runners (runner_type, token_digest, short_token, created_at, updated_at)
     VALUES ('instance_type', ?, ?, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
  )
  for (let index = 0; index < RUNNERS; index++)
    insert.run(createHash('sha256').update(tokenOf(index)).digest('hex'), `bench-${index}`)
  db.close()
}

/** One runner that requests jobs until it is stopped, as the program does. */
async function poll(url: string, index: number, signal: AbortSignal): Promise<void> {
  const info = { name: 'gitlab-runner', version: '15.11.1', executor: 'shell', features: { refspecs: true } }
  let last_update: string | null = null
  while (!signal.aborted) {
    const answer: Response | undefined = await fetch(`${url}/api/v4/jobs/request`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: tokenOf(index), system_id: `s_${index}`, info, last_update }),
      signal,
    }).catch(() => undefined)
    if (signal.aborted) return
    if (answer?.status !== 204) throw new Error(`A runner was answered ${answer?.status}.`)
    last_update = answer.headers.get('x-gitlab-last-update')
    await setTimeout(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => undefined)
  }
}

async function withRunners(instance: Running, work: () => Promise<number>): Promise<number> {
  const stop = new AbortController()
  const runners = Array.from({ length: RUNNERS }, (_, index) => poll(instance.url, index, stop.signal))
  try {
    return await work()
  } finally {
    stop.abort()
    await Promise.all(runners)
  }
}

/** Row 11: single projects are read by 16 clients while 50 runners request jobs, against the same without runners. */
export async function runnerRows(dir: string): Promise<Result[]> {
  await seedProjects(dir, PROJECTS)
  seedRunners(dir)
  const instance = await startInstance(dir)
  const paths = Array.from({ length: PROJECTS }, (_, index) => `/api/v4/projects/${index + 1}`)
  const read = () => requestsPerSecond(instance.url, paths, SECONDS)
  // The first loads warm up, and are not counted.
  await read()
  await withRunners(instance, read)
  const [alone, together] = await inTurn(ROUNDS, read, () => withRunners(instance, read))
  await instance.stop()
  const ratio = together / alone
  return [
    {
      row: 11,
      work: `reads while ${RUNNERS} runners poll`,
      baseline: `${round(alone)} req/s (no runners)`,
      measured: `${round(together)} req/s`,
      ratio,
      goal: `≥ ${GOAL} ×`,
      met: ratio >= GOAL,
    },
  ]
}
