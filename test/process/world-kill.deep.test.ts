import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'

import { ask, type Target } from '../support/kill/client.ts'
import { databaseProblems, deadJobs, jobsUnderWay, withDatabase } from '../support/kill/on-disk.ts'
import { applyWorld, CONTENTS, contentsOf, worldText } from '../support/kill/worlds.ts'
import { cleanEnv, cli, scratch, type RunningProcess } from '../support/server-process.ts'
import { seed } from '../support/slice.ts'

// Kills the application of a world at every step. It must continue each time.

const TOKEN = 'token-of-the-killed-world'
const here = scratch()
const dataDir = here.path('data')
const complaints: string[] = []

afterAll(() => here.clear())

const isDeep = process.env['DESKFORGE_TEST_DEEP'] === '1'
/** The steps of this run: every third one, chosen by the seed, or all of them in the deep tests. */
const STEP = isDeep ? 1 : 3

/** The kill comes when the database has these rows. */
const all: readonly (readonly [name: string, sql: string])[] = [
  ['the first user', "SELECT 1 FROM users WHERE username LIKE 'anna%'"],
  ['the group', "SELECT 1 FROM namespaces WHERE full_path = 'killed'"],
  ['the project', "SELECT 1 FROM projects WHERE path = 'shop'"],
  ['the first issue', 'SELECT 1 FROM issues'],
  ['a note', "SELECT 1 FROM notes WHERE note = 'Done.'"],
  ['the default branch', "SELECT 1 FROM projects WHERE path = 'shop' AND empty_repo = 0"],
  ['a merge request', 'SELECT 1 FROM merge_requests'],
  ['the discussion', "SELECT 1 FROM notes WHERE note = 'Why?'"],
  ['the merge', "SELECT 1 FROM merge_requests WHERE state = 'merged'"],
  ['the second merge request', "SELECT 1 FROM merge_requests WHERE title = 'Side'"],
  ['the release', 'SELECT 1 FROM releases'],
  ['a pipeline', 'SELECT 1 FROM ci_pipelines'],
  ['a failed job', "SELECT 1 FROM ci_jobs WHERE status = 'failed'"],
  ['the second pipeline', 'SELECT 1 FROM ci_pipelines LIMIT 1 OFFSET 1'],
  ['the deployment', 'SELECT 1 FROM deployments'],
  ['the page of the wiki', 'SELECT 1 FROM wikis'],
]

interface Running {
  readonly target: Target
  readonly instance: RunningProcess
}

const stages = all.filter((_, index) => index % STEP === seed % STEP)

async function start(): Promise<Running> {
  const instance = here.start({ dataDir, env: { DESKFORGE_ROOT_TOKEN: TOKEN } })
  const target = {
    url: await instance.url,
    token: TOKEN,
    complain: (sentence: string) => void complaints.push(sentence),
  }
  return { target: target as Target, instance }
}

const has = (sql: string) => withDatabase(dataDir, (db) => db.prepare(sql).get() !== undefined)

/** Applies the world, and kills the instance at a step. Returns whether the kill interrupted the application. */
async function killAt({ target, instance }: Running, sql: string): Promise<boolean> {
  let isOver = false
  const applying = applyWorld(target, worldText('killed')).then(
    () => (isOver = true),
    () => undefined,
  )
  while (!isOver && !has(sql)) await nextTurn()
  const isCut = !isOver
  instance.child.kill('SIGKILL')
  await once(instance.child, 'close')
  await applying
  return isCut
}

/** The faults after the instance has completed the interrupted application. */
async function expectSound(stage: string): Promise<void> {
  await expect.poll(() => withDatabase(dataDir, jobsUnderWay), { timeout: 60_000, interval: 20 }).toBe(0)
  expect(deadJobs(dataDir), stage).toEqual([])
  const words = [cli, 'doctor', '--data-dir', dataDir, '--deep']
  const doctor = spawnSync(process.execPath, words, { env: cleanEnv({}), encoding: 'utf8' })
  expect(doctor.stdout, stage).toContain('Everything is as it should be.\n')
}

describe('a world that is killed while it is applied', () => {
  it(
    'continues after every kill, is complete at the end, and is applied only once',
    { timeout: 300_000 },
    async () => {
      let running = await start()
      const reached: string[] = []
      for (const [name, sql] of stages) {
        // An earlier kill may have come after this step.
        if (has(sql)) continue
        const isCut = await killAt(running, sql)
        expect(complaints).toEqual([])
        expect(isCut, name).toBe(true)
        reached.push(name)
        expect(databaseProblems(dataDir), name).toEqual([])
        running = await start()
        await expectSound(name)
      }
      const { target, instance } = running
      expect(await applyWorld(target, worldText('killed'))).toBeDefined()
      expect(await contentsOf(target, 'killed')).toEqual(CONTENTS)
      const project = async () => (await ask(target, 'GET', '/projects/killed%2Fshop')).body
      const before = await project()
      const again = await applyWorld(target, worldText('killed'))
      expect(again!.counts.filter((entry) => entry.made > 0)).toEqual([])
      expect(await contentsOf(target, 'killed')).toEqual(CONTENTS)
      expect(await project()).toEqual(before)
      expect(complaints).toEqual([])
      expect((await instance.stop()).code).toBe(0)
      process.stdout.write(`The world was cut off ${reached.length} times: at ${reached.join(', ')}.\n`)
    },
  )
})
