import Database from 'better-sqlite3'
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createZstdDecompress } from 'node:zlib'

import { extract } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { filesBelow, refsOf, repositoriesBelow, rowsOf } from '../support/same-instance.ts'
import { cleanEnv, cli, scratch, type RunningProcess, type Scratch } from '../support/server-process.ts'

// The whole procedure of an administrator: the command line backs up a busy instance, and restores it as an equal one.

const run = promisify(execFile)
const TOKEN = 'token-of-the-saved-instance'
const QUIET = [
  'deskforge.db',
  'deskforge.db-wal',
  'deskforge.db-shm',
  'logs',
  'backups',
  'git',
  'tmp',
  'local.json',
  'instance.lock',
  'instance.json',
  'reserve',
]

let here: Scratch
/** Failed requests during backups, which must not disturb requests. */
const failures: string[] = []
const pushed = new Map<string, string>()
const uploaded = new Map<string, string>()
let longest = 0

const command = (...args: string[]) => run(process.execPath, [cli, ...args], { env: cleanEnv({}) })

function start(folder: string): RunningProcess {
  return here.start({
    dataDir: here.path(folder),
    env: { DESKFORGE_ROOT_PASSWORD: 'a long enough password', DESKFORGE_ROOT_TOKEN: TOKEN },
  })
}

async function ask(url: string, method: string, path: string, body?: unknown) {
  const isForm = body instanceof FormData
  const headers = {
    'private-token': TOKEN,
    ...(body && !isForm ? { 'content-type': 'application/json' } : {}),
  }
  const init = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }
  const began = performance.now()
  const answer = await fetch(path.startsWith('/-/') ? url + path : `${url}/api/v4${path}`, {
    method,
    headers,
    ...init,
  })
  const text = await answer.text()
  longest = Math.max(longest, performance.now() - began)
  return {
    status: answer.status,
    text,
    body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
  }
}

/** Sends a request that must succeed. */
async function must(url: string, method: string, path: string, body?: unknown) {
  const answer = await ask(url, method, path, body)
  if (answer.status >= 300) failures.push(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.body
}

type IsOver = () => boolean

async function pushes(url: string, isOver: IsOver): Promise<void> {
  const work = here.path('work')
  const remote = `${url.replace('//', `//root:${TOKEN}@`)}/root/busy.git`
  const env = { ...cleanEnv({}), GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_GLOBAL: '/dev/null' }
  const git = (...args: string[]) =>
    run('git', ['-C', work, '-c', 'user.name=B', '-c', 'user.email=b@example.test', ...args], { env })
  await run('git', ['init', '-q', '-b', 'main', work])
  for (let index = 0; !isOver(); index++) {
    writeFileSync(join(work, 'counter.txt'), `${index}\n`)
    await git('add', '.')
    await git('commit', '-qm', `Commit ${index}`)
    const { stdout } = await git('rev-parse', 'HEAD')
    await git('push', '-q', remote, `HEAD:refs/heads/pushed-${index % 5}`, '-f').then(
      () => pushed.set(`pushed-${index % 5}`, stdout.trim()),
      (error: Error) => failures.push(`push: ${error.message}`),
    )
  }
}

async function merges(url: string, project: number, isOver: IsOver): Promise<void> {
  for (let index = 0; !isOver(); index++) {
    const branch = `merge-${index}`
    const action = { action: 'create', file_path: `merges/${branch}.txt`, content: branch }
    await must(url, 'POST', `/projects/${project}/repository/commits`, {
      branch,
      start_branch: 'main',
      commit_message: branch,
      actions: [action],
    })
    const { iid } = await must(url, 'POST', `/projects/${project}/merge_requests`, {
      source_branch: branch,
      target_branch: 'main',
      title: branch,
    })
    await must(url, 'PUT', `/projects/${project}/merge_requests/${iid}/merge`)
  }
}

async function uploads(url: string, project: number, isOver: IsOver): Promise<void> {
  for (let index = 0; !isOver(); index++) {
    const form = new FormData()
    const content = `content ${index}\n`.repeat(50)
    form.set('file', new Blob([content]), `file-${index}.txt`)
    const { full_path } = await must(url, 'POST', `/projects/${project}/uploads`, form)
    uploaded.set(full_path as string, content)
    const secure = new FormData()
    secure.set('name', `secure-${index}`)
    secure.set('file', new Blob([content]), 'secure')
    const { id } = await must(url, 'POST', `/projects/${project}/secure_files`, secure)
    if (index % 2 === 0) await must(url, 'DELETE', `/projects/${project}/secure_files/${id}`)
  }
}

/** Creates projects, and deletes every second one. */
async function projects(url: string, isOver: IsOver): Promise<void> {
  for (let index = 0; !isOver(); index++) {
    const { id } = await must(url, 'POST', '/projects', {
      name: `busy-${index}`,
      initialize_with_readme: true,
    })
    await must(url, 'POST', `/projects/${id}/issues`, { title: `Issue ${index}` })
    if (index % 2 === 0) await must(url, 'DELETE', `/projects/${id}`)
  }
}

/** Extracts the database of a backup file, with other tools than the instance has. */
async function databaseIn(file: string, to: string): Promise<void> {
  const chunks: Buffer[] = []
  const tar = extract()
  const reading = Readable.from([readFileSync(file)])
    .pipe(createZstdDecompress())
    .pipe(tar as unknown as NodeJS.WritableStream)
  void reading
  for await (const entry of tar) {
    const isIt = entry.header.name === 'database.sqlite'
    for await (const chunk of entry) if (isIt) chunks.push(chunk as Buffer)
  }
  writeFileSync(to, Buffer.concat(chunks))
}

const git = (dir: string, input: string, ...args: string[]): string =>
  execFileSync('git', ['--git-dir', dir, ...args], { input, encoding: 'utf8', maxBuffer: 1e9 })

/** Checks that every commit, tree or blob in a row exists in one of the repositories. */
function expectObjects(file: string, folder: string): void {
  const named = new Map<string, string>()
  for (const [table, rows] of Object.entries(rowsOf(file)))
    for (const row of rows) {
      if (table === 'jobs') continue
      for (const [name, value] of Object.entries(JSON.parse(row as string) as object))
        if (
          typeof value === 'string' &&
          /^[0-9a-f]{40}$/.test(value) &&
          !/patch|secret|discussion/.test(name) &&
          !/^0+$/.test(value)
        )
          named.set(value, `${table}.${name} ${row as string}`)
    }
  expect(named.size).toBeGreaterThan(2)
  for (const path of repositoriesBelow(folder))
    for (const line of git(
      join(folder, path),
      [...named.keys()].join('\n'),
      'cat-file',
      '--batch-check',
    ).split('\n')) {
      const [id = '', type] = line.split(' ')
      if (type !== 'missing') named.delete(id)
    }
  expect([...named]).toEqual([])
}

/** Checks the files that rows refer to. */
function expectFiles(dataDir: string): void {
  const db = new Database(join(dataDir, 'deskforge.db'), { readonly: true })
  try {
    const uploads = db.prepare('SELECT * FROM uploads').all() as {
      project_id: number
      secret: string
      file_name: string
    }[]
    for (const { project_id, secret, file_name } of uploads)
      expect(
        existsSync(join(dataDir, 'uploads/project', String(project_id), secret, file_name)),
        file_name,
      ).toBe(true)
    const secure = db.prepare('SELECT * FROM secure_files').all() as {
      project_id: number
      stored_as: string
    }[]
    for (const { project_id, stored_as } of secure)
      expect(existsSync(join(dataDir, 'secure_files', String(project_id), stored_as)), stored_as).toBe(true)
    expect(uploads.length).toBeGreaterThan(0)
    // The journal has no unfinished change of refs.
    expect(db.prepare('SELECT count(*) AS n FROM ref_journal').get()).toEqual({ n: 0 })
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(db.pragma('foreign_key_check')).toEqual([])
  } finally {
    db.close()
  }
}

/** Jobs that are due and have not started. */
function waiting(dataDir: string): number {
  const db = new Database(join(dataDir, 'deskforge.db'), { readonly: true })
  const due =
    "state IN ('ready', 'running') AND attempts < 2 AND run_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+5 seconds')"
  const { n } = db.prepare(`SELECT count(*) AS n FROM jobs WHERE ${due}`).get() as { n: number }
  db.close()
  return n
}

function expectSound(folder: string): void {
  const paths = repositoriesBelow(folder)
  expect(paths.length).toBeGreaterThan(0)
  for (const path of paths) expect(refsOf(join(folder, path)).problems, path).toBe('')
}

function expectSameRows(text: string, other: string): void {
  const [rows, others] = [rowsOf(text), rowsOf(other)]
  expect(Object.keys(rows)).toEqual(Object.keys(others))
  for (const table of Object.keys(rows)) expect(rows[table], table).toEqual(others[table])
}

/** Checks that merged branches are in the target, and that no merge is unfinished. */
async function expectMergesWhole(url: string, project: number): Promise<void> {
  const tree = await ask(url, 'GET', `/projects/${project}/repository/tree?path=merges&per_page=100`)
  const files = (tree.status === 200 ? tree.body : []).map((entry: { name: string }) => entry.name)
  const { body } = await ask(url, 'GET', `/projects/${project}/merge_requests?state=all&per_page=100`)
  for (const { title, state } of body as { title: string; state: string }[])
    expect(state, title).toBe(files.includes(`${title}.txt`) ? 'merged' : 'opened')
}

beforeAll(() => {
  here = scratch()
  mkdirSync(here.path('work'))
})
afterAll(() => here.clear())

describe('a busy instance', () => {
  it(
    'can be backed up without an effect on requests, and is restored completely',
    { timeout: 120_000 },
    async () => {
      const instance = start('data')
      const url = await instance.url
      const { id } = await must(url, 'POST', '/projects', { name: 'busy', initialize_with_readme: true })
      let isOver = false
      const over = () => isOver
      const load = [pushes(url, over), merges(url, id, over), uploads(url, id, over), projects(url, over)]
      await expect.poll(() => Math.min(pushed.size, uploaded.size)).toBeGreaterThan(2)
      const before = { pushed: new Map(pushed), uploaded: new Map(uploaded) }
      longest = 0
      const { stdout } = await command(
        'backup',
        '--data-dir',
        here.path('data'),
        '--to',
        here.path('busy.backup'),
      )
      const waited = longest
      expect(stdout).toContain('The backup is ')
      isOver = true
      await Promise.all(load)
      await expect.poll(() => waiting(here.path('data'))).toBe(0)
      await instance.stop()
      expect(failures).toEqual([])
      await command('restore', here.path('busy.backup'), '--data-dir', here.path('back'))
      // Compares the rows with those of the file.
      await databaseIn(here.path('busy.backup'), here.path('inner.db'))
      const inner = rowsOf(here.path('inner.db'))
      expectSameRows(join(here.path('back'), 'deskforge.db'), here.path('inner.db'))
      expectFiles(here.path('back'))
      expectSound(join(here.path('back'), 'repositories'))
      expectObjects(join(here.path('back'), 'deskforge.db'), join(here.path('back'), 'repositories'))
      const other = start('back')
      const there = await other.url
      await expectMergesWhole(there, id)
      // Every record that was acknowledged before the backup exists; later ones may exist.
      for (const [branch, commit] of before.pushed) {
        const { body } = await ask(there, 'GET', `/projects/${id}/repository/commits/${commit}`)
        expect(body.id, branch).toBe(commit)
      }
      for (const [path, content] of before.uploaded) {
        const answer = await fetch(there + path, { headers: { 'private-token': TOKEN } })
        expect(await answer.text()).toBe(content)
      }
      await other.stop()
      process.stdout.write(
        `Backed up at work: ${pushed.size} branches pushed to, ${uploaded.size} uploads, ${Object.values(inner).flat().length} rows; the longest request took ${Math.round(waited)} ms.\n`,
      )
    },
  )

  it('is restored as the same instance if nothing changed since', { timeout: 120_000 }, async () => {
    const data = here.path('data')
    // No instance uses the folder, so the command line makes the backup itself.
    await command('backup', '--data-dir', data, '--to', here.path('quiet.backup'))
    await command('restore', here.path('quiet.backup'), '--data-dir', here.path('restored'))
    expectSameRows(join(here.path('restored'), 'deskforge.db'), join(data, 'deskforge.db'))
    const contentsOf = (folder: string) =>
      readdirSync(folder)
        .filter((name) => !QUIET.includes(name))
        .sort()
    expect(contentsOf(here.path('restored'))).toEqual(contentsOf(data))
    for (const name of contentsOf(data).filter((name) => name !== 'repositories' && name !== 'secrets.key'))
      expect(filesBelow(join(here.path('restored'), name)), name).toEqual(filesBelow(join(data, name)))
    const paths = repositoriesBelow(join(data, 'repositories'))
    expect(repositoriesBelow(join(here.path('restored'), 'repositories'))).toEqual(paths)
    for (const path of paths)
      expect(refsOf(join(here.path('restored'), 'repositories', path))).toEqual(
        refsOf(join(data, 'repositories', path)),
      )
    const [original, restored] = [start('data'), start('restored')]
    const [first, second] = [await original.url, await restored.url]
    const answers = [
      '/projects?per_page=100',
      '/users',
      '/issues',
      '/merge_requests?scope=all',
      '/projects/root%2Fbusy',
      '/projects/root%2Fbusy/repository/branches',
      '/projects/root%2Fbusy/repository/commits?per_page=100',
      '/projects/root%2Fbusy/repository/tree?recursive=true',
      '/projects/root%2Fbusy/secure_files',
      '/application/settings',
    ]
    // Both instances complete the unfinished work of the first one, each at its own time.
    const both = async (path: string) => {
      const [a, b] = await Promise.all([ask(first, 'GET', path), ask(second, 'GET', path)])
      return b.text.replaceAll(second, first) === a.text ? 'the same' : `${path}: ${a.text} ${b.text}`
    }
    for (const path of answers) await expect.poll(() => both(path)).toBe('the same')
    await Promise.all([original.stop(), restored.stop()])
  })

  it('reports a backup that a kill interrupted, and leaves no files of it', { timeout: 60_000 }, async () => {
    const instance = start('data')
    const url = await instance.url
    const { id } = await must(url, 'POST', '/-/admin/backups')
    const stateOf = async (at: string) =>
      (await ask(at, 'GET', '/-/admin/backups')).body.find((row: { id: number }) => row.id === id)
    await expect.poll(async () => (await stateOf(url)).state, { interval: 2 }).toBe('running')
    instance.child.kill('SIGKILL')
    await once(instance.child, 'exit')
    const again = start('data')
    const there = await again.url
    expect(await stateOf(there)).toMatchObject({
      state: 'failed',
      file: null,
      error: 'The instance was stopped while the backup was being made.',
    })
    const left = [here.path('data/backups'), here.path('data/repositories')].flatMap((folder) =>
      readdirSync(folder),
    )
    expect(left.filter((name) => name.startsWith('.') || name.endsWith('.part'))).toEqual([])
    expect((await must(there, 'POST', '/-/admin/backups')).state).toBe('queued')
    const states = async () => (await ask(there, 'GET', '/-/admin/backups')).body[0].state
    await expect.poll(states).toBe('finished')
    await again.stop()
    expect(failures).toEqual([])
  })
})

describe('the command line', () => {
  it('reports in one sentence why it cannot run', async () => {
    const refused = (...args: string[]) =>
      command(...args).then(
        () => 'done',
        ({ code, stderr }: { code: number; stderr: string }) => `${code} ${stderr.trim()}`,
      )
    const [data, quiet, none, cut] = ['data', 'quiet.backup', 'none', 'cut.backup'].map((name) =>
      here.path(name),
    )
    const bytes = readFileSync(quiet!)
    writeFileSync(cut!, bytes.subarray(0, bytes.length >> 1))
    const outputs = await Promise.all([
      refused('restore'),
      refused('restore', none!, '--data-dir', here.path('x')),
      refused('backup', '--data-dir', here.path('y')),
      refused('restore', quiet!, '--data-dir', data!),
      refused('restore', cut!, '--data-dir', here.path('z')),
      refused('backup', '--verify', cut!),
    ])
    expect(outputs).toEqual([
      '1 Name the backup: deskforge restore FILE',
      `1 There is no file ${none}.`,
      `1 There is no instance in ${here.path('y')}.`,
      `1 The folder ${data} is not empty; --force moves its content aside.`,
      '1 Nothing was restored: The backup is damaged or cut off.',
      '1 The backup is damaged or cut off.',
    ])
    for (const name of ['x', 'y', 'z']) expect(existsSync(here.path(name))).toBe(false)
  })
})
