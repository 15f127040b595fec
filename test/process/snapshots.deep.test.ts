import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { cleanEnv, root, scratch, type RunningProcess } from '../support/server-process.ts'
import { rowsOf } from '../support/same-instance.ts'

// An instance that is killed while it saves or restores a snapshot has either its old or its new content, completely.

const PROJECTS = 8
const ROUNDS = 5
const TOKEN = 'token-of-the-snapshots'
const here = scratch()
const dataDir = here.path('data')
let running: RunningProcess
let url: string
const ids: number[] = []

async function start(): Promise<void> {
  running = here.start({
    dataDir,
    env: { DESKFORGE_ROOT_PASSWORD: 'a long enough password', DESKFORGE_ROOT_TOKEN: TOKEN },
  })
  url = await running.url
}

async function ask(method: string, path: string, body?: object) {
  const answer = await fetch(url + (path.startsWith('/-/') ? path : `/api/v4${path}`), {
    method,
    headers: { 'private-token': TOKEN, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: answer.status, body: (text === '' ? undefined : JSON.parse(text)) as any }
}

async function made(path: string, body: object) {
  const { status, body: answer } = await ask('POST', path, body)
  if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`)
  return answer
}

/** Sends a request, kills the instance a moment later, and starts it again. */
async function killDuring(request: () => Promise<unknown>, afterMs: number): Promise<void> {
  const sent = request().catch(() => undefined)
  await pause(afterMs)
  await running.stop('SIGKILL')
  await sent
  await start()
}

/** The numbers of projects with a branch and with an issue of this name. */
async function having(name: string): Promise<[branches: number, issues: number]> {
  let [branches, issues] = [0, 0]
  for (const id of ids) {
    if ((await ask('GET', `/projects/${id}/repository/branches/${name}`)).status === 200) branches++
    if ((await ask('GET', `/projects/${id}/issues?search=${name}`)).body.length > 0) issues++
  }
  return [branches, issues]
}

async function change(name: string): Promise<void> {
  for (const id of ids) {
    await made(`/projects/${id}/repository/branches`, { branch: name, ref: 'main' })
    await made(`/projects/${id}/issues`, { title: name })
  }
}

const snapshots = async () =>
  (await ask('GET', '/-/workbench/snapshots')).body.map(
    (snapshot: { name: string }) => snapshot.name,
  ) as string[]
/** The snapshots on disk that are unfinished or being removed. */
const leftovers = () => readdirSync(join(dataDir, 'snapshots')).filter((name) => name.startsWith('.'))

beforeAll(async () => {
  await start()
  for (let index = 0; index < PROJECTS; index++)
    ids.push((await made('/projects', { name: `p${index}`, initialize_with_readme: true })).id)
  await made('/-/workbench/snapshots', { name: 'base' })
})
afterAll(() => here.clear())

describe('an instance that is killed', () => {
  it('while it restores a snapshot has its old or its new content', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const name = `restored-${round}`
      await change(name)
      await killDuring(() => ask('POST', '/-/workbench/snapshots/base/restore'), round * 12)
      const [branches, issues] = await having(name)
      expect([0, PROJECTS]).toContain(branches)
      expect(issues).toBe(branches)
      expect(leftovers()).toEqual([])
      expect((await ask('POST', '/-/workbench/snapshots/base/restore')).status).toBe(201)
      expect(await having(name)).toEqual([0, 0])
    }
  })

  it('while it saves a snapshot has it completely or not at all', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const name = `saved-${round}`
      await change(name)
      await killDuring(() => ask('POST', '/-/workbench/snapshots', { name }), round * 8)
      expect(await having(name)).toEqual([PROJECTS, PROJECTS])
      expect(leftovers()).toEqual([])
      const isThere = (await snapshots()).includes(name)
      expect((await ask('POST', '/-/workbench/snapshots/base/restore')).status).toBe(201)
      const restored = await ask('POST', `/-/workbench/snapshots/${name}/restore`)
      expect(restored.status).toBe(isThere ? 201 : 404)
      expect(await having(name)).toEqual(isThere ? [PROJECTS, PROJECTS] : [0, 0])
      await ask('POST', '/-/workbench/snapshots/base/restore')
    }
    expect((await running.stop()).code).toBe(0)
    expect(rowsOf(join(dataDir, 'deskforge.db'))['projects']).toHaveLength(PROJECTS)
  })
})

// Without its locks on the database, the first other program that closes it would remove the write-ahead log.
it('a snapshot keeps the locks of the database', async () => {
  await start()
  await made('/-/workbench/snapshots', { name: 'locks' })
  const script = `
    const database = new (require('better-sqlite3'))(${JSON.stringify(join(dataDir, 'deskforge.db'))})
    database.prepare('SELECT count(*) FROM projects').get()
    database.close()`
  const other = spawnSync(process.execPath, ['-e', script], {
    cwd: root,
    env: cleanEnv({}),
    encoding: 'utf8',
  })
  expect(other).toMatchObject({ status: 0, stderr: '' })
  const { id } = await made('/projects', { name: 'after-the-snapshot' })
  await running.stop('SIGKILL')
  await start()
  expect(await ask('GET', `/projects/${id}`)).toMatchObject({ status: 200 })
})
