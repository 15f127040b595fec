import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { Bench } from '../support/kill/bench.ts'
import { ask } from '../support/kill/client.ts'
import { kinds } from '../support/kill/kinds.ts'
import {
  databaseProblems,
  deadJobs,
  jobsUnderWay,
  looking,
  orphanFiles,
  orphanFolders,
  repositoryProblems,
} from '../support/kill/on-disk.ts'
import { seed } from '../support/slice.ts'

const isDeep = process.env['DESKFORGE_TEST_DEEP'] === '1'
/** Kinds of writes that are under way at once; each round has others. */
const AT_ONCE = 4
const ROUNDS = Number(process.env['DESKFORGE_TEST_KILLS']) || (isDeep ? 200 : 20)
/** A quarter of the starts is killed, too. */
const KILLED_STARTS = 4

/** A write that was acknowledged; it must be there after every kill that comes. */
interface Kept {
  readonly kind: (typeof kinds)[number]
  readonly round: number
  readonly value: unknown
}

const bench = new Bench()
const kept: Kept[] = []
/** Writes that a kill cut off and that clients repeat; how many were completed. */
const cut: { readonly kind: Kept['kind']; readonly round: number; readonly name: string }[] = []
let completed = 0
/** Branch → commit of pushes that git reported as done. */
const pushed = new Map<string, string>()

/** Makes writes of one kind until the instance is gone. Only what was answered counts. */
async function load(kind: Kept['kind'], round: number, gone: () => boolean): Promise<void> {
  const { target } = bench
  for (let index = 0; !gone(); index++) {
    const name = `${kind.name.replaceAll(' ', '-')}-${round}-${index}`
    try {
      const value = await kind.write(target, name)
      if (value !== undefined) kept.push({ kind, round, value })
    } catch (error) {
      // Without an answer nothing was acknowledged: the instance was killed in the middle of the exchange.
      if (!gone()) target.complain(`${kind.name}: ${String(error)}`)
      else if (kind.finish) cut.push({ kind, round, name })
    }
  }
}

function missing(): undefined {
  return undefined
}

/** Pushes commits until the instance is gone. */
async function pushCommits(round: number, gone: () => boolean): Promise<void> {
  const { remote } = bench
  for (let index = 0; !gone(); index++) {
    const branch = `round-${round}`
    writeFileSync(join(bench.work, 'counter.txt'), `${round}-${index}\n`)
    await bench.git('add', 'counter.txt')
    await bench.git('commit', '-qm', `Round ${round}, ${index}`)
    const id = await bench.git('rev-parse', 'HEAD')
    const isDone = await bench
      .git('push', '-q', remote, `HEAD:refs/heads/${branch}`)
      .then(() => true, missing)
    if (isDone) pushed.set(branch, id)
  }
}

/** The kinds of writes of a round: others in each, and all of them in turn. */
function kindsOf(round: number): (typeof kinds)[number][] {
  return Array.from({ length: AT_ONCE }, (_, index) => kinds[(round * AT_ONCE + index) % kinds.length]!)
}

/** Lets clients write, and kills the instance in the middle. */
async function killUnderLoad(round: number): Promise<void> {
  let isGone = false
  const gone = () => isGone
  const chosen = kindsOf(round)
  const running = [...chosen.map((kind) => load(kind, round, gone)), pushCommits(round, gone)]
  // The kill falls at another point of the work in each round and run, once something of every second kind was acknowledged,
  // and of those that have their second turn and nothing from the first.
  const isLate = (kind: Kept['kind'], index: number) =>
    round * AT_ONCE + index >= kinds.length && !kept.some((one) => one.kind === kind)
  const waited = chosen.filter((kind, index) => index % 2 === round % 2 || isLate(kind, index))
  const until = Date.now() + 200 + ((round * 337 + seed) % 700)
  const waiting = () => waited.filter((kind) => !kept.some((one) => one.kind === kind && one.round === round))
  const patience = Date.now() + 60_000
  while (Date.now() < until || (waiting().length > 0 && Date.now() < patience))
    await ask(bench.target, 'GET', '/version').then(() => pause(5))
  isGone = true
  await bench.kill()
  await Promise.all(running)
  expect(bench.complaints).toEqual([])
  expect(waiting().map((kind) => kind.name)).toEqual([])
}

/** Kills the instance while it starts, at another moment each time. */
async function killWhileStarting(round: number): Promise<void> {
  const instance = bench.begin()
  await pause(100 + ((round * 211 + seed) % 700))
  await bench.kill()
  await instance.ended
}

/** Repeats the writes of a kind that the last kill cut off, where a repetition completes them. */
async function completeCut(): Promise<void> {
  for (const { kind, round, name } of cut.splice(0)) {
    const value = await kind.finish!(bench.target, name)
    if (value === undefined) continue
    kept.push({ kind, round, value })
    completed++
  }
  expect(bench.complaints).toEqual([])
}

/** What was acknowledged and is not there any more. */
async function lost(entries: readonly Kept[]): Promise<string[]> {
  const found: string[] = []
  for (const { kind, value } of entries)
    if (!(await kind.isKept(bench.target, value))) found.push(`${kind.name}: ${JSON.stringify(value)}`)
  return found
}

/** Pushed commits that their branch does not have; it may be ahead, by a push without an answer. */
async function lostPushes(): Promise<string[]> {
  const found: string[] = []
  await bench.git('fetch', '-q', bench.remote, '+refs/heads/round-*:refs/remotes/there/round-*')
  for (const [branch, id] of pushed) {
    const isThere = await bench.git('merge-base', '--is-ancestor', id, `refs/remotes/there/${branch}`).then(
      () => true,
      () => false,
    )
    if (!isThere) found.push(`${branch} ${id}`)
  }
  return found
}

/** What is merged is in the target, what is not is not, and nothing is left in between. */
async function halfMerges(): Promise<string[]> {
  const found: string[] = []
  const at = (path: string) => `/projects/${bench.target.project}${path}`
  const files = new Set<string>()
  for (let page = 1; ; page++) {
    const { body } = await ask(
      bench.target,
      'GET',
      at(`/repository/tree?path=merges&per_page=100&page=${page}`),
    )
    for (const { name } of Array.isArray(body) ? body : []) files.add(name as string)
    if (!Array.isArray(body) || body.length < 100) break
  }
  for (let page = 1; ; page++) {
    const { body } = await ask(bench.target, 'GET', at(`/merge_requests?state=all&per_page=100&page=${page}`))
    for (const { title, state } of body as { title: string; state: string }[])
      if (state !== (files.has(`${title}.txt`) ? 'merged' : 'opened')) found.push(`${title}: ${state}`)
    if (body.length < 100) return found
  }
}

/** Rows of what is being made. Once all jobs are done, none may be left. */
const UNFINISHED = `SELECT 'project' AS what, id, repository_state || ' ' || coalesce(import_status, '') AS state
    FROM projects WHERE repository_state <> 'ready' OR import_status IN ('scheduled', 'started', 'failed')
  UNION ALL SELECT 'snippet', id, repository_state FROM snippets WHERE repository_state <> 'ready'
  UNION ALL SELECT 'wiki', id, repository_state FROM wikis WHERE repository_state <> 'ready'
  UNION ALL SELECT 'project', id, 'read-only' FROM projects WHERE repository_read_only = 1
  UNION ALL SELECT 'move', id, state FROM repository_storage_moves WHERE state NOT IN ('finished')
  UNION ALL SELECT 'push mirror', id, update_status || ' ' || coalesce(last_error, '') FROM remote_mirrors
    WHERE update_status IN ('started', 'failed')
  UNION ALL SELECT 'pull mirror', project_id, update_status || ' ' || coalesce(last_error, '') FROM pull_mirrors
    WHERE update_status IN ('started', 'failed')
  UNION ALL SELECT 'group import', group_id, state FROM group_imports WHERE state <> 'finished'
  UNION ALL SELECT 'group export', id, state FROM exports WHERE state NOT IN ('finished', 'expired')
  UNION ALL SELECT 'merge request', id, state FROM merge_requests WHERE state = 'locked'`

/** The number of jobs under way and the unfinished rows. One snapshot has both, because a job may begin in between. */
function underWay(): { jobs: number; rows: unknown[] } {
  return looking(bench.dataDir, (db) =>
    db.transaction(() => ({ jobs: jobsUnderWay(db), rows: db.prepare(UNFINISHED).all() }))(),
  )
}

/** Looks at everything that can be half done, once nothing is under way any more. */
async function expectWhole(since: number): Promise<void> {
  // A job that failed once is not due for a second, and its row is unfinished until it has run again.
  await expect.poll(underWay, { timeout: 60_000, interval: 50 }).toEqual({ jobs: 0, rows: [] })
  expect(deadJobs(bench.dataDir)).toEqual([])
  expect(orphanFolders(bench.dataDir)).toEqual([])
  expect(await repositoryProblems(bench.dataDir, since, { alive: true })).toEqual([])
  expect(await halfMerges()).toEqual([])
  expect(bench.complaints).toEqual([])
}

beforeAll(() => bench.setUp())
afterAll(() => bench.clear())

describe('an instance that is killed in a loop', () => {
  it(
    `keeps every acknowledged write through ${ROUNDS} kills under load`,
    { timeout: ROUNDS * 60_000 },
    async () => {
      let killedStarts = 0
      for (let round = 0; round < ROUNDS; round++) {
        const since = Date.now()
        await killUnderLoad(round)
        if (round % KILLED_STARTS === 1) {
          await killWhileStarting(round)
          killedStarts++
        }
        expect(databaseProblems(bench.dataDir)).toEqual([])
        expect(await repositoryProblems(bench.dataDir, since, { alive: false })).toEqual([])
        await bench.start()
        // What is older was looked at before, and is once more at the end.
        expect(await lost(kept.filter((one) => one.round === round))).toEqual([])
        expect(await lostPushes()).toEqual([])
        await expectWhole(since)
        await completeCut()
      }
      expect(await lost(kept)).toEqual([])
      const undelivered = () => [...pushed.values()].filter((id) => !bench.delivered.has(id))
      await expect.poll(undelivered, { timeout: 120_000, interval: 50 }).toEqual([])
      await bench.stop()
      await expectClean()
      report(killedStarts)
    },
  )
})

/** After an orderly end nothing is left over in the whole data folder. */
async function expectClean(): Promise<void> {
  expect(databaseProblems(bench.dataDir)).toEqual([])
  expect(await repositoryProblems(bench.dataDir, 0, { alive: true })).toEqual([])
  expect(orphanFiles(bench.dataDir)).toEqual([])
  // What moved no ref is looked at once more by a job; nothing is forgotten.
  const forgotten = `SELECT count(*) AS n FROM ref_journal r WHERE NOT EXISTS (SELECT 1 FROM jobs j
    WHERE j.name = 'repository.recover_journal' AND j.state = 'ready' AND json_extract(j.args, '$.id') = r.id)`
  expect(looking(bench.dataDir, (db) => db.prepare(forgotten).get())).toEqual({ n: 0 })
}

function report(killedStarts: number): void {
  const counts = kinds.map((kind) => `${kept.filter((one) => one.kind === kind).length} ${kind.name}`)
  for (const kind of kinds)
    expect(
      kept.some((one) => one.kind === kind),
      kind.name,
    ).toBe(true)
  process.stdout.write(
    `Killed ${ROUNDS} times, and ${killedStarts} times while starting; kept ${kept.length} writes (${counts.join(', ')}) and ${pushed.size} pushed branches; completed ${completed} that were cut off; the webhook received ${bench.delivered.size} pushes.\n`,
  )
}
