import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { commit } from '../git-http/remote.ts'
import { tempDir } from '../support/git.ts'
import { world } from '../support/world.ts'
import { gitWith, hasSsh, keyFile } from './client.ts'

describe.runIf(hasSsh)('a wiki over SSH', async () => {
  const instance = await world({ sshPort: 0 })
  const { as, make } = instance
  const owner = make.user({ username: 'owner' })
  const keys = { owner: keyFile(), machine: keyFile() }
  await as(owner).post('/user/keys', { title: 'Laptop', key: keys.owner.line })
  const project = await make.project({ owner })
  const at = `/projects/${project.id}`
  await as(owner).post(`${at}/deploy_keys`, { title: 'CI', key: keys.machine.line, can_push: true })
  await as(owner).post(`${at}/wikis`, { title: 'home', content: 'Hello' })
  const { ssh_url_to_repo: address } = (await as(owner).get(`/-${at}/wikis/tree`)).body

  it('can be cloned and pushed by members, and cloned with deploy keys of its project', async () => {
    const folder = join(tempDir(), 'clone')
    const cloned = await gitWith(keys.owner, tempDir(), 'clone', '-q', address, folder)
    expect([cloned.code, readFileSync(join(folder, 'home.md'), 'utf8')]).toEqual([0, 'Hello'])
    commit(folder, 'more.md', 'More')
    expect((await gitWith(keys.owner, folder, 'push', 'origin', 'main')).code).toBe(0)
    expect((await as(owner).get(`${at}/wikis/more`)).body.content).toBe('More')
    expect((await gitWith(keys.machine, tempDir(), 'ls-remote', address)).code).toBe(0)
    commit(folder, 'more.md', 'Even more')
    const refused = await gitWith(keys.machine, folder, 'push', 'origin', 'main')
    expect([refused.code, refused.stderr]).toEqual([
      128,
      expect.stringContaining('not allowed to write to this wiki'),
    ])
    instance.ctx().db.exec('UPDATE projects SET repository_read_only = 1 WHERE id = ?', project.id)
    const moving = await gitWith(keys.owner, folder, 'push', 'origin', 'main')
    expect(moving.stderr).toContain('The repository is temporarily read-only. Please try again later.')
  })
})
