import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { QUEUE_LIMITS, type WriteLocks } from '../../../server/git/process/locks.ts'
import { shell, tempDir } from '../../support/git.ts'
import { world } from '../../support/world.ts'
import { fill, onDisk } from './fill.ts'

const instance = await world({ logLevel: 'info' })
const { make, root } = instance
const locks = instance.ctx().git.locks as WriteLocks
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let key: string

beforeEach(async () => {
  project = await make.project()
  fill(instance, project, [{ message: 'First\n', files: { 'a.txt': 'one\n' } }])
  key = onDisk(instance, project).key
})

/** Holds the lock of a branch like a running write, until the returned function is called. */
function hold(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  void locks.run(`${key}\0refs/heads/main`, () => promise)
  onTestFinished(() => resolve())
  return resolve
}

function commit(name: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${instance.url}/api/v4/projects/${project.id}/repository/files/${name}`, {
    method: 'POST',
    headers: { 'private-token': root.token, 'content-type': 'application/json' },
    body: JSON.stringify({ branch: 'main', content: 'x\n', commit_message: name }),
    ...(signal ? { signal } : {}),
  })
}

const countCommits = (): string => shell(onDisk(instance, project), ['rev-list', '--count', 'main'])
const isWaiting = (count: number) => () => expect(locks.clientsAt(key)).toBe(count)

describe('concurrent changes of one repository', () => {
  it('wait in a queue of limited length, and later ones get an error with a time to try again', async () => {
    const release = hold()
    const names = Array.from({ length: QUEUE_LIMITS.clients }, (_, index) => `f${index}`)
    const queued = names.map((name) => commit(name))
    await vi.waitFor(isWaiting(QUEUE_LIMITS.clients), { timeout: 60_000 })
    const refused = await commit('late')
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      429,
      '5',
      { message: 'Too many changes of this repository are waiting. Please try again in a moment.' },
    ])
    const elsewhere = await make.project({ with: 'readme' })
    expect(elsewhere.default_branch).toBe('main')
    release()
    const statuses = (await Promise.all(queued)).map(({ status }) => status)
    expect(statuses).toEqual(names.map(() => 201))
    expect(countCommits()).toBe(String(names.length + 1))
  }, 60_000)

  it('are dropped for clients that disconnected', async () => {
    const release = hold()
    const leaving = new AbortController()
    const left = Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => commit(`f${index}`, leaving.signal)),
    )
    await vi.waitFor(isWaiting(20), { timeout: 60_000 })
    const stays = commit('stays')
    await vi.waitFor(isWaiting(21), { timeout: 60_000 })
    leaving.abort()
    await left
    await vi.waitFor(isWaiting(1), { timeout: 60_000 })
    release()
    expect((await stays).status).toBe(201)
    expect(countCommits()).toBe('2')
    expect(shell(onDisk(instance, project), ['ls-tree', '--name-only', 'main']).split('\n')).toEqual([
      'a.txt',
      'stays',
    ])
    expect(instance.ctx().db.many('SELECT id FROM ref_journal')).toEqual([])
    const lines = () => {
      instance.ctx().log.flush()
      return readFileSync(join(instance.dataDir, 'logs', 'deskforge.log'), 'utf8').split('\n')
    }
    await expect.poll(() => lines().filter((line) => line.includes('"status":499'))).toHaveLength(20)
    expect(lines().filter((line) => /"level":(50|"error")/.test(line))).toEqual([])
  }, 60_000)

  it('report the error in the terminal of git, too', async () => {
    const folder = tempDir()
    const address = `${instance.url.replace('//', `//root:${root.token}@`)}/${project.path_with_namespace}.git`
    const git = (...args: string[]) =>
      promisify(execFile)('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args])
    await git('clone', '-q', address, '.')
    await git('commit', '-q', '--allow-empty', '-m', 'pushed')
    const leaves = Array.from({ length: QUEUE_LIMITS.clients }, () => locks.admit(key, QUEUE_LIMITS))
    await expect(git('push', '-q')).rejects.toThrow('Too many changes of this repository are waiting.')
    for (const leave of leaves) leave()
    await git('push', '-q')
    expect(countCommits()).toBe('2')
  }, 60_000)
})
