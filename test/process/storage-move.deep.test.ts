import Database from 'better-sqlite3'
import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { cleanEnv, scratch, type RunningProcess, type Scratch } from '../support/server-process.ts'

const run = promisify(execFile)
const TOKEN = 'token-of-the-moving-instance'
const NAMES = ['one', 'two', 'three']
const MEGABYTES = 4
const PATIENCE = { timeout: 60_000 }

/** The acknowledged writes to one repository during the moves. All of them must exist at the end. */
interface LoadedRepository {
  readonly id: number
  /** The newest commit that git reported as pushed. */
  pushed: string | undefined
  pushes: number
  readonly files: string[]
}

let here: Scratch
let instance: RunningProcess
let url: string
const repositories = new Map<string, LoadedRepository>()
let clones = 0
let refusals = 0

const environment = {
  ...cleanEnv({}),
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Move',
  GIT_AUTHOR_EMAIL: 'move@example.test',
  GIT_COMMITTER_NAME: 'Move',
  GIT_COMMITTER_EMAIL: 'move@example.test',
}
const git = async (folder: string, ...args: string[]): Promise<string> =>
  (await run('git', ['-C', folder, ...args], { env: environment })).stdout.trim()
const remoteOf = (name: string) => `${url.replace('//', `//root:${TOKEN}@`)}/root/${name}.git`

async function ask(method: string, path: string, body?: unknown) {
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const headers = { 'private-token': TOKEN, 'content-type': 'application/json' }
  const answer = await fetch(path.startsWith('/-/') ? url + path : `${url}/api/v4${path}`, {
    method,
    headers,
    ...init,
  })
  const text = await answer.text()
  return { status: answer.status, text, body: text === '' ? null : JSON.parse(text) }
}

async function start(): Promise<void> {
  instance = here.start({
    dataDir: here.path('data'),
    args: ['--storage', `vault=${here.path('vault')}`],
    env: { DESKFORGE_ROOT_PASSWORD: 'a long enough password', DESKFORGE_ROOT_TOKEN: TOKEN },
  })
  url = await instance.url
}

async function kill(): Promise<void> {
  instance.child.kill('SIGKILL')
  await once(instance.child, 'exit')
}

/** Pushes commits to one repository after the other. A refused commit is pushed together with the next one. */
async function push(isOver: () => boolean): Promise<void> {
  for (let round = 0; !isOver(); round++) {
    const name = NAMES[round % NAMES.length]!
    const folder = here.path(`work-${name}`)
    const repository = repositories.get(name)!
    await git(folder, 'commit', '-q', '--allow-empty', '-m', `Push ${repository.pushes}`)
    const id = await git(folder, 'rev-parse', 'HEAD')
    try {
      await git(folder, 'push', '-q', remoteOf(name), 'HEAD:refs/heads/pushed')
      repository.pushed = id
      repository.pushes += 1
    } catch (error) {
      if ((error as { stderr: string }).stderr.includes('temporarily read-only')) refusals += 1
    }
  }
}

/** Commits files through the API, and clones one repository after the other. */
async function commitAndClone(isOver: () => boolean): Promise<void> {
  const folder = here.path('clone')
  for (let index = 0; !isOver(); index++) {
    const name = NAMES[index % NAMES.length]!
    const repository = repositories.get(name)!
    const path = `file-${index}.txt`
    const file = { branch: 'main', content: path, commit_message: path }
    try {
      const { status, text } = await ask('POST', `/projects/${repository.id}/repository/files/${path}`, file)
      if (status === 201) repository.files.push(path)
      else if (text.includes('temporarily read-only')) refusals += 1
      await git(here.folder, 'clone', '-q', '--bare', remoteOf(name), folder)
      await git(folder, 'fsck', '--connectivity-only')
      clones += 1
    } catch {
      await pause(20)
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

const states = async (): Promise<string[]> => {
  const { body } = await ask('GET', '/project_repository_storage_moves?per_page=100')
  return (body as { state: string }[]).map((move) => move.state)
}
/** The storage of each repository, and the state of its newest move. */
const standing = async (): Promise<string[]> => {
  const { body } = await ask('GET', '/-/admin/storage_moves')
  const newest = new Map<string, string>()
  for (const { title, state, destination_storage_name: name, error_message } of body.toReversed())
    newest.set(title, `${state} ${name} ${error_message ?? ''}`.trim())
  return [...newest.values()].sort()
}

const repositoriesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.git($|\.[^/]*$)/.test(name))

/** Checks the disk while no instance runs: every repository exists once, in the storage of its row, and is valid. */
function expectWhole(storage: 'default' | 'vault'): void {
  const folders = { default: here.path('data/repositories'), vault: here.path('vault') }
  const db = new Database(here.path('data/deskforge.db'), { readonly: true })
  const rows = db.prepare('SELECT * FROM projects ORDER BY id').all() as Record<string, unknown>[]
  db.close()
  expect(rows.map((row) => [row['repository_storage'], row['repository_read_only']])).toEqual(
    NAMES.map(() => [storage, 0]),
  )
  expect(repositoriesIn(folders[storage]).sort()).toEqual(rows.map((row) => row['disk_path']).sort())
  expect(repositoriesIn(folders[storage === 'vault' ? 'default' : 'vault'])).toEqual([])
  for (const row of rows) {
    const gitDir = join(folders[storage], row['disk_path'] as string)
    execFileSync('git', ['--git-dir', gitDir, 'fsck', '--no-progress', '--no-dangling'], { stdio: 'pipe' })
  }
}

async function expectNothingLost(): Promise<void> {
  for (const [name, repository] of repositories) {
    const folder = here.path(`work-${name}`)
    await git(folder, 'fetch', '-q', remoteOf(name), 'main:main', 'pushed:pushed')
    await git(folder, 'merge-base', '--is-ancestor', repository.pushed!, 'pushed')
    const files = (await git(folder, 'ls-tree', '--name-only', 'main')).split('\n')
    expect(files).toEqual(expect.arrayContaining(repository.files))
  }
}

beforeAll(async () => {
  here = scratch()
  mkdirSync(here.path('vault'))
  await start()
  for (const name of NAMES) {
    const { body } = await ask('POST', '/projects', { name, initialize_with_readme: true })
    repositories.set(name, { id: body.id, pushed: undefined, pushes: 0, files: [] })
    const folder = here.path(`work-${name}`)
    execFileSync('git', ['init', '-q', '-b', 'work', folder])
    // Makes the repositories so large that a kill can interrupt the copying.
    writeFileSync(join(folder, 'large'), randomBytes(MEGABYTES * 1024 * 1024))
    await git(folder, 'add', 'large')
    await git(folder, 'commit', '-qm', 'Large')
    await git(folder, 'push', '-q', remoteOf(name), 'HEAD:refs/heads/pushed')
  }
})
afterAll(() => here.clear())

describe('moving all repositories of a storage under load', () => {
  it('keeps every acknowledged commit despite kills', { timeout: 240_000 }, async () => {
    let isOver = false
    const load = [push(() => isOver), commitAndClone(() => isOver)]
    onTestFinished(() => {
      isOver = true
      return Promise.all(load).then(() => undefined)
    })
    await expect
      .poll(
        () =>
          [...repositories.values()].every(
            (repository) => repository.pushes > 0 && repository.files.length > 0,
          ),
        PATIENCE,
      )
      .toBe(true)

    const there = { source_storage_name: 'default', destination_storage_name: 'vault' }
    expect((await ask('POST', '/project_repository_storage_moves', there)).status).toBe(202)
    // The kills come while one repository is copied and another one has moved, and others still wait.
    for (const reached of [
      ['started', 'replicated', 'finished'],
      ['replicated', 'finished'],
    ]) {
      const isThere = async () => (await states()).some((state) => reached.includes(state))
      await expect.poll(isThere, { ...PATIENCE, interval: 1 }).toBe(true)
      await kill()
      await start()
    }
    await expect.poll(standing, PATIENCE).toEqual(NAMES.map(() => 'finished vault'))

    // Moves them back while the same clients continue.
    const back = { source_storage_name: 'vault', destination_storage_name: 'default' }
    expect((await ask('POST', '/project_repository_storage_moves', back)).status).toBe(202)
    await expect.poll(standing, PATIENCE).toEqual(NAMES.map(() => 'finished default'))
    const before = [...repositories.values()].map((repository) => repository.pushes)
    await expect
      .poll(
        () => [...repositories.values()].every((repository, index) => repository.pushes > before[index]!),
        PATIENCE,
      )
      .toBe(true)
    isOver = true
    await Promise.all(load)
    await expectNothingLost()
    expect(await states()).not.toContain('cleanup failed')
    await instance.stop()
    expectWhole('default')
    const counts = [...repositories.values()].map(
      (repository) => `${repository.pushes} pushes and ${repository.files.length} files`,
    )
    process.stdout.write(
      `Moved twice; kept ${counts.join(', ')}; ${clones} clones, ${refusals} refusals while they moved.\n`,
    )
  })
})
