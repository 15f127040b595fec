import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { ServerUnderTest } from '../support/kill/server-under-test.ts'
import { ask } from '../support/kill/client.ts'
import { kinds } from '../support/kill/kinds.ts'
import {
  databaseProblems,
  deadJobs,
  jobsUnderWay,
  withDatabase,
  orphanFiles,
  orphanFolders,
  repositoryProblems,
  wrongHeads,
} from '../support/kill/on-disk.ts'
import { seed } from '../support/slice.ts'

const isDeep = process.env['DESKFORGE_TEST_DEEP'] === '1'
/** The number of kinds of writes at the same time. Each round has other ones. */
const AT_ONCE = 4
const ROUNDS = Number(process.env['DESKFORGE_TEST_KILLS']) || (isDeep ? 200 : 20)
/** A quarter of the starts are killed, too. */
const KILLED_STARTS = 4

/** An acknowledged write, which must exist after every later kill. */
interface AcknowledgedWrite {
  readonly kind: (typeof kinds)[number]
  readonly round: number
  readonly value: unknown
}

const server = new ServerUnderTest()
const acknowledged: AcknowledgedWrite[] = []
/** The writes that the last kill interrupted, and that clients would repeat. */
const cut: { readonly kind: AcknowledgedWrite['kind']; readonly round: number; readonly name: string }[] = []
/** The number of interrupted writes that were repeated and completed. */
let completed = 0
/** The commits of pushes that git reported as successful, by branch. */
const pushed = new Map<string, string>()

/** Sends writes of one kind until the instance is killed. Only answered requests count. */
async function load(kind: AcknowledgedWrite['kind'], round: number, isKilled: () => boolean): Promise<void> {
  const { target } = server
  for (let index = 0; !isKilled(); index++) {
    const name = `${kind.name.replaceAll(' ', '-')}-${round}-${index}`
    try {
      const value = await kind.write(target, name)
      if (value !== undefined) acknowledged.push({ kind, round, value })
    } catch (error) {
      // The instance was killed before its answer, so the write was not acknowledged.
      if (!isKilled()) target.complain(`${kind.name}: ${String(error)}`)
      else if (kind.finish) cut.push({ kind, round, name })
    }
  }
}

function missing(): undefined {
  return undefined
}

/** Pushes commits until the instance is killed. */
async function pushCommits(round: number, isKilled: () => boolean): Promise<void> {
  const { remote } = server
  for (let index = 0; !isKilled(); index++) {
    const branch = `round-${round}`
    writeFileSync(join(server.work, 'counter.txt'), `${round}-${index}\n`)
    await server.git('add', 'counter.txt')
    await server.git('commit', '-qm', `Round ${round}, ${index}`)
    const id = await server.git('rev-parse', 'HEAD')
    const isDone = await server
      .git('push', '-q', remote, `HEAD:refs/heads/${branch}`)
      .then(() => true, missing)
    if (isDone) pushed.set(branch, id)
  }
}

/** The kinds of writes in a round. Successive rounds have different ones, until all had their turn. */
function kindsOf(round: number): (typeof kinds)[number][] {
  return Array.from({ length: AT_ONCE }, (_, index) => kinds[(round * AT_ONCE + index) % kinds.length]!)
}

/** Kills the instance while clients write to it. */
async function killUnderLoad(round: number): Promise<void> {
  let isOver = false
  const isKilled = () => isOver
  const chosen = kindsOf(round)
  const running = [...chosen.map((kind) => load(kind, round, isKilled)), pushCommits(round, isKilled)]
  // The kill comes at a different moment in each round and run: after a write of every second kind was acknowledged. A kind
  // without an acknowledged write in its first round must have one in its second.
  const isLate = (kind: AcknowledgedWrite['kind'], index: number) =>
    round * AT_ONCE + index >= kinds.length && !acknowledged.some((write) => write.kind === kind)
  const waited = chosen.filter((kind, index) => index % 2 === round % 2 || isLate(kind, index))
  const until = Date.now() + 200 + ((round * 337 + seed) % 700)
  const waiting = () =>
    waited.filter((kind) => !acknowledged.some((write) => write.kind === kind && write.round === round))
  const patience = Date.now() + 60_000
  while (Date.now() < until || (waiting().length > 0 && Date.now() < patience))
    await ask(server.target, 'GET', '/version').then(() => pause(5))
  isOver = true
  await server.kill()
  await Promise.all(running)
  expect(server.complaints).toEqual([])
  expect(waiting().map((kind) => kind.name)).toEqual([])
}

/** Kills the instance during its start, at a different moment each time. */
async function killWhileStarting(round: number): Promise<void> {
  const instance = server.begin()
  await pause(100 + ((round * 211 + seed) % 700))
  await server.kill()
  await instance.ended
}

/** Repeats the writes of a kind that the last kill interrupted, if clients would repeat them. */
async function completeCut(): Promise<void> {
  for (const { kind, round, name } of cut.splice(0)) {
    const value = await kind.finish!(server.target, name)
    if (value === undefined) continue
    acknowledged.push({ kind, round, value })
    completed++
  }
  expect(server.complaints).toEqual([])
}

/** The acknowledged writes that are missing. */
async function lost(entries: readonly AcknowledgedWrite[]): Promise<string[]> {
  const found: string[] = []
  for (const { kind, value } of entries)
    if (!(await kind.isKept(server.target, value))) found.push(`${kind.name}: ${JSON.stringify(value)}`)
  return found
}

/** The pushed commits that are missing in their branch. A push without an answer may have added later ones. */
async function lostPushes(): Promise<string[]> {
  const found: string[] = []
  await server.git('fetch', '-q', server.remote, '+refs/heads/round-*:refs/remotes/there/round-*')
  for (const [branch, id] of pushed) {
    const isThere = await server.git('merge-base', '--is-ancestor', id, `refs/remotes/there/${branch}`).then(
      () => true,
      () => false,
    )
    if (!isThere) found.push(`${branch} ${id}`)
  }
  return found
}

/** Checks that merged branches are in the target, that others are not, and that no merge is unfinished. */
async function halfMerges(): Promise<string[]> {
  const found: string[] = []
  const at = (path: string) => `/projects/${server.target.project}${path}`
  const files = new Set<string>()
  for (let page = 1; ; page++) {
    const { body } = await ask(
      server.target,
      'GET',
      at(`/repository/tree?path=merges&per_page=100&page=${page}`),
    )
    for (const { name } of Array.isArray(body) ? body : []) files.add(name as string)
    if (!Array.isArray(body) || body.length < 100) break
  }
  for (let page = 1; ; page++) {
    const { body } = await ask(
      server.target,
      'GET',
      at(`/merge_requests?state=all&per_page=100&page=${page}`),
    )
    for (const { title, state } of body as { title: string; state: string }[])
      if (state !== (files.has(`${title}.txt`) ? 'merged' : 'opened')) found.push(`${title}: ${state}`)
    if (body.length < 100) return found
  }
}

/** Rows of unfinished records. There must be none after all jobs have ended. */
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

/** The number of running jobs and of unfinished rows. One query reads both, because a job may start in between. */
function underWay(): { jobs: number; rows: unknown[] } {
  return withDatabase(server.dataDir, (db) =>
    db.transaction(() => ({ jobs: jobsUnderWay(db), rows: db.prepare(UNFINISHED).all() }))(),
  )
}

/** Checks everything that can be unfinished, after all jobs have ended. */
async function expectWhole(since: number): Promise<void> {
  // A job that failed once waits for a second, and its row is unfinished until it has run again.
  await expect.poll(underWay, { timeout: 60_000, interval: 50 }).toEqual({ jobs: 0, rows: [] })
  expect(deadJobs(server.dataDir)).toEqual([])
  expect(orphanFolders(server.dataDir)).toEqual([])
  expect(wrongHeads(server.dataDir)).toEqual([])
  expect(await repositoryProblems(server.dataDir, since, { alive: true })).toEqual([])
  expect(await halfMerges()).toEqual([])
  expect(server.complaints).toEqual([])
}

beforeAll(() => server.setUp())
afterAll(() => server.clear())

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
        expect(databaseProblems(server.dataDir)).toEqual([])
        expect(await repositoryProblems(server.dataDir, since, { alive: false })).toEqual([])
        await server.start()
        // Earlier writes were checked in their round, and all are checked again at the end.
        expect(await lost(acknowledged.filter((write) => write.round === round))).toEqual([])
        expect(await lostPushes()).toEqual([])
        await expectWhole(since)
        await completeCut()
      }
      expect(await lost(acknowledged)).toEqual([])
      const undelivered = () => [...pushed.values()].filter((id) => !server.delivered.has(id))
      await expect.poll(undelivered, { timeout: 120_000, interval: 50 }).toEqual([])
      await server.stop()
      await expectClean()
      report(killedStarts)
    },
  )
})

/** Checks that a regular stop leaves no leftovers in the data folder. */
async function expectClean(): Promise<void> {
  expect(databaseProblems(server.dataDir)).toEqual([])
  expect(await repositoryProblems(server.dataDir, 0, { alive: true })).toEqual([])
  expect(orphanFiles(server.dataDir)).toEqual([])
  // A job checks the journal entries of refs that did not move, so none may remain.
  const forgotten = `SELECT count(*) AS n FROM ref_journal r WHERE NOT EXISTS (SELECT 1 FROM jobs j
    WHERE j.name = 'repository.recover_journal' AND j.state = 'ready' AND json_extract(j.args, '$.id') = r.id)`
  expect(withDatabase(server.dataDir, (db) => db.prepare(forgotten).get())).toEqual({ n: 0 })
}

function report(killedStarts: number): void {
  const counts = kinds.map(
    (kind) => `${acknowledged.filter((write) => write.kind === kind).length} ${kind.name}`,
  )
  for (const kind of kinds)
    expect(
      acknowledged.some((write) => write.kind === kind),
      kind.name,
    ).toBe(true)
  process.stdout.write(
    `Killed ${ROUNDS} times, and ${killedStarts} times while starting; kept ${acknowledged.length} writes (${counts.join(', ')}) and ${pushed.size} pushed branches; completed ${completed} that were cut off; the webhook received ${server.delivered.size} pushes.\n`,
  )
}
