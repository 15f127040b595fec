import Database from 'better-sqlite3'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { gitWith, hasSsh, keyFile } from '../git-ssh/client.ts'
import { isPossible } from '../support/possible.ts'
import { cleanEnv, scratch, type RunningProcess, type Scratch } from '../support/server-process.ts'
import {
  btrfsDisk,
  canMount,
  hasBtrfs,
  NEEDS_BTRFS,
  NEEDS_MOUNT,
  smallDisk,
  type SmallDisk,
} from '../support/small-disk.ts'

const TOKEN = 'token-of-the-full-disk'
const FULL = 'There is no space left on the disk; nothing was changed.'
const QUOTA = 'The disk quota is used up; nothing was changed.'
const NOT_WRITABLE = 'The disk cannot be written at the moment; nothing was changed.'
const NOT_WRITTEN = 'The disk could not be read or written; nothing was changed.'
const GONE = 'A folder of the instance is not there at the moment; nothing was changed.'
const run = promisify(execFile)

let here: Scratch
let disk: SmallDisk
let instance: RunningProcess
let url: string

async function start(...more: string[]): Promise<void> {
  const dataDir = join(disk.folder, 'data')
  instance = here.start({ dataDir, args: more, env: { DESKFORGE_ROOT_TOKEN: TOKEN } })
  url = await instance.url
}

async function ask(method: string, path: string, body?: object | FormData) {
  const isForm = body instanceof FormData
  const response = await fetch(`${url}/api/v4${path}`, {
    method,
    headers: { 'private-token': TOKEN, ...(body && !isForm ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as any }
}

function upload(name: string, bytes: Buffer, field = 'file'): FormData {
  const form = new FormData()
  form.append(field, new Blob([new Uint8Array(bytes)]), name)
  form.append('name', name)
  return form
}

const git = (folder: string, ...args: string[]) =>
  run('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    env: cleanEnv({ GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }),
  }).then(
    ({ stderr, stdout }) => ({ failed: false, stdout, stderr }),
    (error: { stderr: string }) => ({ failed: true, stdout: '', stderr: error.stderr }),
  )

/** Returns requests of every kind that writes, by name. Their content does not fit into the rest of a page of the database. */
function writes(): Record<string, () => Promise<{ status: number; body: { message?: unknown } }>> {
  const big = randomBytes(3 * 1024 * 1024)
  const text = big.toString('base64')
  const picture = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), big.subarray(0, 190_000)])
  return {
    'a commit': () =>
      ask('POST', '/projects/1/repository/commits', {
        branch: 'main',
        commit_message: 'more',
        actions: [{ action: 'create', file_path: `f${text.slice(0, 8).replaceAll('/', '')}`, content: text }],
      }),
    'an upload': () => ask('POST', '/projects/1/uploads', upload('file.bin', big)),
    'an avatar': () => ask('PUT', '/projects/1', upload('avatar.png', picture, 'avatar')),
    'a snippet': () =>
      ask('POST', '/snippets', {
        title: 'more',
        visibility: 'private',
        files: [{ file_path: 'a.txt', content: text.slice(0, 1_000_000) }],
      }),
    'a wiki page': () =>
      ask('POST', '/projects/1/wikis', {
        title: `page ${text.slice(0, 4)}`,
        content: text.slice(0, 900_000),
      }),
    'a secure file': () => ask('POST', '/projects/1/secure_files', upload('key.jks', big)),
    'an issue': () =>
      ask('POST', '/projects/1/issues', { title: 'more', description: text.slice(0, 900_000) }),
  }
}

async function putLargeFile() {
  const content = randomBytes(2 * 1024 * 1024)
  const oid = createHash('sha256').update(content).digest('hex')
  const authorization = `Basic ${Buffer.from(`root:${TOKEN}`).toString('base64')}`
  const response = await fetch(`${url}/root/main-project.git/info/lfs/objects/${oid}/${content.length}`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/octet-stream' },
    body: content,
  })
  return { status: response.status, body: (await response.json().catch(() => ({}))) as { message?: string } }
}

/** The job of a runner, with the fields that uploads need. */
async function takeJob(): Promise<{ id: number; token: string }> {
  await ask('POST', '/projects/1/repository/files/.gitlab-ci.yml', {
    branch: 'main',
    commit_message: 'CI',
    content: 'build:\n  script: make\n  artifacts:\n    paths: [out]\n',
  })
  const runner = await ask('POST', '/user/runners', { runner_type: 'instance_type' })
  const take = () => ask('POST', '/jobs/request', { token: runner.body.token })
  await expect.poll(async () => (await ask('GET', '/projects/1/jobs')).body).toHaveLength(1)
  const { status, body } = await take()
  expect(status).toBe(201)
  return body
}

/** Uploads artifacts of a job, as its runner does. */
async function putArtifacts(job: { id: number; token: string }) {
  const response = await fetch(`${url}/api/v4/jobs/${job.id}/artifacts`, {
    method: 'POST',
    headers: { 'job-token': job.token },
    body: upload('artifacts.zip', randomBytes(3 * 1024 * 1024)),
  })
  return { status: response.status, body: (await response.json().catch(() => ({}))) as { message?: string } }
}

/** Pushes to a separate branch over SSH. */
function pushOverSsh(clone: string, key: ReturnType<typeof keyFile>) {
  const [, port] = /^Git over SSH: ssh:\/\/git@127\.0\.0\.1:(\d+)\/$/m.exec(instance.output.stdout)!
  const address = `ssh://git@127.0.0.1:${port}/root/main-project.git`
  return gitWith(key, clone, 'push', address, 'HEAD:refs/heads/over-ssh')
}

function commitFile(folder: string, name: string): Promise<unknown> {
  writeFileSync(join(folder, name), randomBytes(2 * 1024 * 1024))
  return git(folder, 'add', '.').then(() => git(folder, 'commit', '-qm', name))
}

/** Folders that share a quota, without the database. */
const LIMITED = ['repositories', 'tmp', 'uploads', 'secure_files', 'artifacts', 'lfs'].map(
  (name) => `data/${name}`,
)
const canBtrfs = isPossible(hasBtrfs(), NEEDS_BTRFS)

/** The disks of the tests, each with its sentence for users. */
const DISKS = [
  {
    name: 'a full disk',
    can: isPossible(canMount(), NEEDS_MOUNT),
    mounted: () => smallDisk(64),
    sentence: FULL,
    includesDatabase: true,
  },
  {
    name: 'a full disk of btrfs',
    can: canBtrfs,
    mounted: () => btrfsDisk() as SmallDisk,
    sentence: FULL,
    includesDatabase: true,
  },
  {
    name: 'a used up quota that includes the database',
    can: canBtrfs,
    mounted: () => btrfsDisk(['data']) as SmallDisk,
    sentence: QUOTA,
    includesDatabase: true,
  },
  {
    name: 'a used up quota',
    can: canBtrfs,
    mounted: () => btrfsDisk(LIMITED) as SmallDisk,
    sentence: QUOTA,
    includesDatabase: false,
  },
]

describe.each(DISKS.filter(({ can }) => can))('$name', ({ mounted, sentence, includesDatabase }) => {
  const refused = { status: 507, body: { message: sentence } }
  beforeAll(async () => {
    here = scratch()
    disk = mounted()
    mkdirSync(join(disk.folder, 'data'), { recursive: true, mode: 0o700 })
    await start(...(hasSsh ? ['--ssh-port', '0'] : []))
    await ask('POST', '/projects', { name: 'main-project', initialize_with_readme: true })
  })
  afterAll(async () => {
    await here.clear()
    disk.clear()
  })

  it('returns 507 and one sentence for every write, while reads succeed', async () => {
    const taken = await takeJob()
    await git(
      here.folder,
      'clone',
      '-q',
      `${url.replace('://', `://root:${TOKEN}@`)}/root/main-project.git`,
      'clone',
    )
    const clone = here.path('clone')
    await commitFile(clone, 'big.bin')
    // The first requests create folders and files, so they need a disk with space.
    expect((await ask('POST', '/projects/1/wikis', { title: 'first', content: 'page' })).status).toBe(201)
    const key = hasSsh ? keyFile() : undefined
    if (key) await ask('POST', '/user/keys', { title: 'Key', key: key.line })
    disk.fill()
    for (const [name, write] of Object.entries(writes())) {
      if (!includesDatabase && name === 'an issue') continue
      const { status, body } = await write()
      // SQLite does not say that a quota is used up.
      expect({ name, status, message: body.message }).toEqual({
        name,
        status: 507,
        message: expect.toBeOneOf(sentence === QUOTA ? [QUOTA, NOT_WRITTEN] : [sentence]),
      })
    }
    expect(await putLargeFile()).toMatchObject(refused)
    const push = await git(clone, 'push', 'origin', 'HEAD:main')
    expect(push).toMatchObject({ failed: true })
    // git does not say why it could not create a folder.
    const pushed = sentence === QUOTA ? NOT_WRITABLE : sentence
    expect(push.stderr.replaceAll(/ +\n/g, '\n')).toContain(`remote: ${pushed}\n`)
    expect(await putArtifacts(taken)).toMatchObject(refused)
    const overSsh = key ? await pushOverSsh(clone, key) : { code: 1, stderr: pushed }
    expect(overSsh.code).not.toBe(0)
    expect(overSsh.stderr.replaceAll(/ +\n/g, '\n')).toContain(pushed)
    for (const path of [
      '/projects/1',
      '/projects/1/repository/files/README.md?ref=main',
      '/projects/1/wikis/first',
    ])
      expect((await ask('GET', path)).status, path).toBe(200)
    expect((await git(clone, 'fetch', 'origin')).failed).toBe(false)
  })

  it('does not prevent the start', async () => {
    disk.fill()
    expect(await instance.stop()).toMatchObject({ code: 0, stderr: '' })
    disk.fill()
    await start()
    expect((await ask('GET', '/projects/1/repository/files/README.md?ref=main')).status).toBe(200)
    await instance.stop('SIGKILL')
    await start()
    expect((await ask('GET', '/projects/1')).status).toBe(200)
  })

  it('has no effect after it has space again', async () => {
    disk.makeRoom()
    for (const [name, write] of Object.entries(writes())) {
      const { status } = await write()
      expect([200, 201], name).toContain(status)
    }
    expect(await putLargeFile()).toMatchObject({ status: 200 })
    const clone = here.path('clone')
    await git(
      clone,
      'remote',
      'set-url',
      'origin',
      `${url.replace('://', `://root:${TOKEN}@`)}/root/main-project.git`,
    )
    expect((await git(clone, 'pull', '--rebase', '-q', 'origin', 'main')).failed).toBe(false)
    expect((await git(clone, 'push', 'origin', 'HEAD:main')).failed).toBe(false)
    expect(await instance.stop()).toMatchObject({ code: 0 })
    const database = new Database(join(disk.folder, 'data/deskforge.db'), { readonly: true })
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(database.pragma('foreign_key_check')).toEqual([])
    database.close()
    for (const repository of repositoriesIn(join(disk.folder, 'data/repositories')))
      expect(await git(repository, 'fsck', '--full', '--strict'), repository).toMatchObject({ failed: false })
  })
})

function repositoriesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.git'))
    .map((path) => join(folder, path))
}

describe('a missing storage', () => {
  it('returns 507, and is used again when it returns', async () => {
    const own = scratch()
    try {
      const args = ['--storage', `far=${own.path('far')}`]
      const started = own.start({ dataDir: own.path('data'), args, env: { DESKFORGE_ROOT_TOKEN: TOKEN } })
      url = await started.url
      const body = { name: 'there', initialize_with_readme: true, repository_storage: 'far' }
      expect((await ask('POST', '/projects', body)).status).toBe(201)
      const commit = (name: string) =>
        ask('POST', '/projects/1/repository/files/' + name, {
          branch: 'main',
          commit_message: 'x',
          content: 'x',
        })
      renameSync(own.path('far'), own.path('away'))
      expect(await commit('one')).toMatchObject({ status: 507, body: { message: GONE } })
      const address = `${url.replace('://', `://root:${TOKEN}@`)}/root/there.git`
      const clone = await git(own.folder, 'clone', address, 'clone')
      expect(clone).toMatchObject({ failed: true })
      expect(clone.stderr).toContain(GONE)
      renameSync(own.path('away'), own.path('far'))
      expect(await commit('one')).toMatchObject({ status: 201 })
    } finally {
      await own.clear()
    }
  })
})

describe.runIf(isPossible(canMount(), NEEDS_MOUNT))('a storage that becomes read-only', () => {
  it('returns 507 for writes, allows reads, and is used again when it is writable', async () => {
    const own = scratch()
    const far = smallDisk(16)
    try {
      const args = ['--storage', `far=${far.folder}`]
      const started = own.start({ dataDir: own.path('data'), args, env: { DESKFORGE_ROOT_TOKEN: TOKEN } })
      url = await started.url
      const body = { name: 'there', initialize_with_readme: true, repository_storage: 'far' }
      expect((await ask('POST', '/projects', body)).status).toBe(201)
      const address = `${url.replace('://', `://root:${TOKEN}@`)}/root/there.git`
      await git(own.folder, 'clone', '-q', address, 'clone')
      await commitFile(own.path('clone'), 'big.bin')
      const commit = () =>
        ask('POST', '/projects/1/repository/files/one', { branch: 'main', commit_message: 'x', content: 'x' })
      far.remount('ro')
      expect(await commit()).toMatchObject({ status: 507, body: { message: NOT_WRITABLE } })
      expect((await ask('GET', '/projects/1/repository/files/README.md?ref=main')).status).toBe(200)
      const push = await git(own.path('clone'), 'push', 'origin', 'HEAD:main')
      expect(push.stderr.replaceAll(/ +\n/g, '\n')).toContain(`remote: ${NOT_WRITABLE}\n`)
      far.remount('rw')
      expect(await commit()).toMatchObject({ status: 201 })
    } finally {
      await own.clear()
      far.clear()
    }
  })
})
