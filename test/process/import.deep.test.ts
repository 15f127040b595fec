import Database from 'better-sqlite3'
import { openAsBlob } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { writeMergeRequestArchive } from '../bench/support/merge-request-archive.ts'
import { scratch, type RunningProcess, type Scratch } from '../support/server-process.ts'

const TOKEN = 'token-of-the-killed-import'
const REQUESTS = 800
/** The numbers of imported merge requests at which the test kills the instance. */
const KILLS = [1, 300]

let here: Scratch

function start(): RunningProcess {
  return here.start({
    dataDir: here.path('data'),
    env: { DESKFORGE_ROOT_PASSWORD: 'a long enough password', DESKFORGE_ROOT_TOKEN: TOKEN },
  })
}

async function ask(url: string, path: string, init: RequestInit = {}) {
  const answer = await fetch(url + path, { ...init, headers: { 'private-token': TOKEN } })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** Reads the database on disk while an instance uses it. */
function withDatabase<T>(work: (db: Database.Database) => T): T {
  const db = new Database(here.path('data/deskforge.db'), { readonly: true })
  try {
    return work(db)
  } finally {
    db.close()
  }
}

const countOf = (table: string): number =>
  withDatabase(
    (db) => db.prepare<[], { total: number }>(`SELECT count(*) AS total FROM ${table}`).get()!.total,
  )

beforeAll(() => {
  here = scratch()
})
afterAll(() => here.clear())

it('an import starts again after a kill, and imports every record once', { timeout: 120_000 }, async () => {
  const archive = here.path('archive.tar.gz')
  await writeMergeRequestArchive(archive, REQUESTS)
  let running = start()
  let url = await running.url
  const form = new FormData()
  form.set('path', 'killed')
  form.set('file', await openAsBlob(archive), 'export.tar.gz')
  const made = await ask(url, '/api/v4/projects/import', { method: 'POST', body: form })
  expect(made.status).toBe(201)
  for (const least of KILLS) {
    await expect
      .poll(() => countOf('merge_requests'), { timeout: 60_000, interval: 5 })
      .toBeGreaterThanOrEqual(least)
    await running.stop('SIGKILL')
    expect(countOf('merge_requests')).toBeLessThan(REQUESTS)
    running = start()
    url = await running.url
  }
  const status = async () => (await ask(url, `/api/v4/projects/${String(made.body['id'])}/import`)).body
  await expect.poll(status, { timeout: 60_000, interval: 100 }).toMatchObject({ import_status: 'finished' })
  expect(await status()).toMatchObject({ import_error: null, failed_relations: [] })
  await running.stop()
  expect([countOf('merge_requests'), countOf('notes'), countOf('labels')]).toEqual([
    REQUESTS,
    10 * REQUESTS,
    40,
  ])
  withDatabase((db) => {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(db.pragma('foreign_key_check')).toEqual([])
  })
})
