import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { gitWith, hasSsh, keyFile } from '../git-ssh/client.ts'
import { shell, tempDir } from '../support/git.ts'
import { isPossible } from '../support/possible.ts'
import { world } from '../support/world.ts'
import { addressOf, clone, commit, git, local } from './remote.ts'

const hasClient = isPossible(
  spawnSync('git', ['lfs', 'version']).status === 0,
  'large files with the real client need git-lfs on the PATH',
)

const instance = await world({ sshPort: 0 })
const { as, make, root } = instance
const address = addressOf(instance)
const content = Buffer.alloc(300_000, 'large ')

/** A repository that stores `*.bin` with LFS. */
function withLargeFile(): string {
  const folder = local()
  shell(folder, ['lfs', 'install', '--local', '--skip-repo'])
  writeFileSync(path.join(folder, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n')
  commit(folder, 'a.bin', content)
  shell(folder, ['lfs', 'update', '--force'])
  return folder
}

describe.skipIf(!hasClient)('the real client', () => {
  it('pushes, clones and pulls over HTTP, and locks', async () => {
    const project = await make.project({})
    const folder = withLargeFile()
    const url = address(project, root)
    shell(folder, ['remote', 'add', 'origin', url])
    const pushed = await git(folder, 'push', '-q', 'origin', 'main')
    expect([pushed.code, pushed.stderr]).toEqual([0, expect.not.stringContaining('error')])
    const { body } = await as(root).get(`/projects/${project.id}?statistics=true`)
    expect(body.statistics.lfs_objects_size).toBe(300_000)

    const copy = await clone(url)
    shell(copy, ['lfs', 'install', '--local', '--skip-repo'])
    const pulled = await git(copy, 'lfs', 'pull')
    expect([pulled.code, pulled.stderr]).toEqual([0, ''])
    expect(readFileSync(path.join(copy, 'a.bin')).equals(content)).toBe(true)

    const locked = await git(copy, 'lfs', 'lock', 'a.bin')
    expect(locked.code, locked.stderr).toBe(0)
    expect((await git(folder, 'lfs', 'locks')).stdout).toMatch(/^a\.bin\t/)
    expect((await git(copy, 'lfs', 'unlock', 'a.bin')).code).toBe(0)
    expect((await git(folder, 'lfs', 'locks')).stdout).toBe('')
  })

  it.skipIf(!hasSsh)('finds its way over SSH', async () => {
    const project = await make.project({})
    const key = keyFile()
    await as(root).post('/user/keys', { title: 'key', key: key.line })
    const folder = withLargeFile()
    const url = `ssh://git@127.0.0.1:${instance.ctx().config.sshPort!}/${project.path_with_namespace}.git`
    shell(folder, ['remote', 'add', 'origin', url])
    const pushed = await gitWith(key, folder, 'push', '-q', 'origin', 'main')
    expect([pushed.code, pushed.stderr]).toEqual([0, expect.not.stringContaining('error')])
    shell(folder, ['lfs', 'prune', '--force'])
    const copy = path.join(tempDir(), 'copy')
    const cloned = await gitWith(
      key,
      folder,
      'clone',
      '-q',
      '-c',
      'filter.lfs.smudge=git-lfs smudge -- %f',
      '-c',
      'filter.lfs.required=true',
      url,
      copy,
    )
    expect([cloned.code, cloned.stderr]).toEqual([0, expect.not.stringContaining('rror')])
    expect(readFileSync(path.join(copy, 'a.bin')).equals(content)).toBe(true)
  })
})
