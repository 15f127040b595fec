import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { watchEvents } from '../api/repository/fill.ts'
import { commit } from '../git-http/remote.ts'
import { tempDir } from '../support/git.ts'
import { world } from '../support/world.ts'
import { gitWith, hasSsh, keyFile, type KeyFile } from './client.ts'

describe.runIf(hasSsh)('a snippet over SSH', async () => {
  const instance = await world({ sshPort: 0 })
  const { as, make, root } = instance
  const author = make.user({ username: 'author' })
  const other = make.user({ username: 'other' })
  const keys = { author: keyFile(), other: keyFile(), machine: keyFile() }
  for (const user of [author, other]) {
    const { line } = keys[user.username as 'author']
    await as(user).post('/user/keys', { title: 'Laptop', key: line })
  }
  const { sshPort } = instance.ctx().config
  const project = await make.project({ owner: author, visibility: 'public' })
  const params = { title: 'A title', files: [{ file_path: 'a.txt', content: 'a\n' }] }
  const made = async (visibility: string, container = '') =>
    (await as(author).post(`${container}/snippets`, { ...params, visibility })).body
  const own = await made('private')
  const shared = await made('public', `/projects/${project.id}`)
  const read = (key: KeyFile, { ssh_url_to_repo }: { ssh_url_to_repo: string }) =>
    gitWith(key, tempDir(), 'ls-remote', ssh_url_to_repo)

  it('has the port in its address, like projects', () => {
    const base = `ssh://git@127.0.0.1:${sshPort}`
    expect(own.ssh_url_to_repo).toBe(`${base}/snippets/${own.id}.git`)
    expect(shared.ssh_url_to_repo).toBe(`${base}/author/${project.path}/snippets/${shared.id}.git`)
    expect(project.ssh_url_to_repo).toBe(`${base}/author/${project.path}.git`)
  })

  it('can be cloned and pushed, with the same permissions', async () => {
    for (const target of [own, shared]) {
      const folder = join(tempDir(), 'clone')
      const cloned = await gitWith(keys.author, tempDir(), 'clone', '-q', target.ssh_url_to_repo, folder)
      expect([cloned.code, readFileSync(join(folder, 'a.txt'), 'utf8')]).toEqual([0, 'a\n'])
      commit(folder, 'b.txt', 'b\n')
      const received = watchEvents(instance, 'snippet.updated')
      expect((await gitWith(keys.author, folder, 'push', 'origin', 'main')).code).toBe(0)
      expect(received).toMatchObject([{ snippet_id: target.id, actor_id: author.id }])
      const { body } = await as(author).get(`/snippets/${target.id}`)
      expect(body.files.map((file: { path: string }) => file.path)).toEqual(['a.txt', 'b.txt'])
      const refused = await gitWith(keys.author, folder, 'push', 'origin', 'main:more')
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('only the branch main')])
      const foreign = await gitWith(keys.other, folder, 'push', 'origin', 'main')
      const sentence = target === own ? 'could not be found' : 'not allowed to change this snippet'
      expect([foreign.code, foreign.stderr]).toEqual([128, expect.stringContaining(sentence)])
    }
  })

  it('can be read by users who can read the snippet, and not with deploy keys', async () => {
    const answers = [await read(keys.other, own), await read(keys.other, shared)]
    expect(answers.map(({ code }) => code)).toEqual([128, 0])
    const nowhere = { ssh_url_to_repo: own.ssh_url_to_repo.replace(/\d+\.git/, '999999.git') }
    expect((await read(keys.other, nowhere)).stderr).toBe(answers[0]!.stderr)
    await as(author).post(`/projects/${project.id}/deploy_keys`, { title: 'CI', key: keys.machine.line })
    expect((await read(keys.machine, project)).code).toBe(0)
    expect((await read(keys.machine, shared)).stderr).toContain('could not be found')
  })

  it('is not served while SSH is disabled', async () => {
    const set = (value: string) =>
      as(root).put('/application/settings', { enabled_git_access_protocol: value })
    await set('http')
    expect((await read(keys.author, own)).stderr).toContain('Git access over SSH is not allowed')
    await set('nil')
    expect((await read(keys.author, own)).code).toBe(0)
  })
})
