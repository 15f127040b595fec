import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { addressOf, clone, commit, git, local } from '../../../git-http/remote.ts'
import { shell, tempDir } from '../../../support/git.ts'
import { world } from '../../../support/world.ts'
import { fill } from '../fill.ts'
import { large, lfsOf, pointer } from './client.ts'

const instance = await world()
const { as, make, root, dataDir } = instance
const address = addressOf(instance)
const project = await make.project({ visibility: 'public' })
const picture = large('the content of a large picture')
const foreign = large('of another project')
const ofAnother = await make.project()
await lfsOf(instance, project.path_with_namespace, root).push(picture)
const hidden = large('of another project, too')
for (const file of [foreign, hidden]) await lfsOf(instance, ofAnother.path_with_namespace, root).push(file)
const attributes = '*.bin filter=lfs diff=lfs merge=lfs -text\n'
fill(instance, project, [
  {
    files: {
      '.gitattributes': attributes,
      'a.bin': pointer(picture),
      'stolen.bin': pointer(foreign),
      'plain.bin': 'no pointer at all',
      'README.md': 'read me',
    },
  },
])

describe('LFS objects of the code', () => {
  const raw = (name: string, query = '') =>
    as(root).get(`/projects/${project.id}/repository/files/${name}/raw?ref=main${query}`)

  it('replace their pointers on request', async () => {
    expect((await raw('a.bin')).text).toBe(pointer(picture))
    const answer = await raw('a.bin', '&lfs=true')
    expect([answer.status, answer.text]).toEqual([200, 'the content of a large picture'])
    expect(answer.headers.get('content-length')).toBe(String(picture.size))
    // A pointer to an object of another project is not replaced.
    expect((await raw('stolen.bin', '&lfs=true')).text).toBe(pointer(foreign))
    expect((await raw('plain.bin', '&lfs=true')).text).toBe('no pointer at all')
    const page = await as(null).get(`!/${project.path_with_namespace}/-/raw/main/a.bin`)
    expect(page.text).toBe('the content of a large picture')
  })

  it('are in archives, unless the request excludes them', async () => {
    const unpacked = async (query: string) => {
      const answer = await fetch(
        `${instance.url}/api/v4/projects/${project.id}/repository/archive.tar.gz${query}`,
      )
      const folder = tempDir()
      writeFileSync(join(folder, 'a.tgz'), Buffer.from(await answer.arrayBuffer()))
      execFileSync('tar', ['xzf', 'a.tgz', '--strip-components=1'], { cwd: folder })
      return (name: string) => execFileSync('cat', [name], { cwd: folder, encoding: 'utf8' })
    }
    const whole = await unpacked('')
    expect(whole('a.bin')).toBe('the content of a large picture')
    expect(whole('stolen.bin')).toBe(pointer(foreign))
    expect(whole('plain.bin')).toBe('no pointer at all')
    const bare = await unpacked('?include_lfs_blobs=false')
    expect(bare('a.bin')).toBe(pointer(picture))
    await expect.poll(() => readdirSync(join(dataDir, 'tmp'))).toEqual([])
  })
})

describe('a push', () => {
  it('of a pointer without its object is refused', async () => {
    const target = await make.project()
    const folder = local()
    const file = large('pushed later')
    commit(folder, 'a.bin', pointer(file))
    const push = () => git(folder, 'push', '-q', address(target, root), 'main')
    const refused = await push()
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/LFS objects are/)])
    await lfsOf(instance, target.path_with_namespace, root).push(file)
    expect((await push()).code).toBe(0)
    await as(root).put(`/projects/${target.id}`, { lfs_enabled: false })
    commit(folder, 'b.bin', pointer(large('never sent')))
    expect((await push()).code).toBe(0)
  })

  it('to a fork links the objects of its network if the actor may read them', async () => {
    const user = make.user()
    const { body: fork } = await as(user).post(`/projects/${project.id}/fork`)
    await instance.drain()
    // The fork has the objects that existed when it was created.
    expect(await lfsOf(instance, fork.path_with_namespace, user).pull(picture)).toEqual(picture.content)
    const later = large('came to the source later')
    await lfsOf(instance, project.path_with_namespace, root).push(later)
    const folder = local()
    commit(folder, 'later.bin', pointer(later))
    const pushed = await git(folder, 'push', '-q', address(fork, user), 'main:later')
    expect([pushed.code, pushed.stderr]).toEqual([0, ''])
    expect(await lfsOf(instance, fork.path_with_namespace, user).pull(later)).toEqual(later.content)
    commit(folder, 'hidden.bin', pointer(hidden))
    expect((await git(folder, 'push', '-q', address(fork, user), 'main:hidden')).code).toBe(1)
  })

  it("from a fork's merge request links its objects", async () => {
    const user = make.user()
    const { body: fork } = await as(user).post(`/projects/${project.id}/fork`)
    await instance.drain()
    const file = large('made in a fork')
    await lfsOf(instance, fork.path_with_namespace, user).push(file)
    const folder = await clone(address(fork, user))
    commit(folder, 'made.bin', pointer(file))
    const pushed = await git(folder, 'push', '-q', 'origin', 'HEAD:change')
    expect([pushed.code, pushed.stderr]).toEqual([0, ''])
    expect(await lfsOf(instance, project.path_with_namespace, root).pull(file)).toBeUndefined()
    const offered = await as(user).post(`/projects/${fork.id}/merge_requests`, {
      source_branch: 'change',
      target_branch: 'main',
      target_project_id: project.id,
      title: 'Change',
    })
    expect(offered.status).toBe(201)
    await instance.drain()
    expect(await lfsOf(instance, project.path_with_namespace, root).pull(file)).toEqual(file.content)
  })

  it('of a path that another user has locked is refused', async () => {
    const target = await make.project()
    const developer = make.user()
    await make.member('projects', target.id, developer, 40)
    const folder = local()
    await git(folder, 'push', '-q', address(target, root), 'main')
    await lfsOf(instance, target.path_with_namespace, root).ask('POST', 'locks', { path: 'README.md' })
    commit(folder, 'README.md', 'other')
    const refused = await git(folder, 'push', '-q', address(target, developer), 'main')
    expect(refused.stderr).toContain("The path 'README.md' is locked in Git LFS by root")
    const written = await as(developer).put(`/projects/${target.id}/repository/files/README.md`, {
      branch: 'main',
      content: 'x',
      commit_message: 'x',
    })
    expect([written.status, written.text]).toEqual([400, expect.any(String)])
    expect((await git(folder, 'push', '-q', address(target, root), 'main')).code).toBe(0)
    expect(shell(folder, ['rev-parse', 'HEAD'])).toMatch(/^[0-9a-f]{40}$/)
  })

  it('of a path that another user has locked is not merged', async () => {
    const target = await make.project()
    const maintainer = make.user()
    await make.member('projects', target.id, maintainer, 40)
    const folder = local()
    await git(folder, 'push', '-q', address(target, root), 'main')
    commit(folder, 'README.md', 'other')
    expect((await git(folder, 'push', '-q', address(target, root), 'HEAD:change')).code).toBe(0)
    const opened = await as(root).post(`/projects/${target.id}/merge_requests`, {
      source_branch: 'change',
      target_branch: 'main',
      title: 'Change',
    })
    await instance.drain()
    const lfs = lfsOf(instance, target.path_with_namespace, root)
    await lfs.ask('POST', 'locks', { path: 'README.md' })
    const merge = `/projects/${target.id}/merge_requests/${opened.body.iid}/merge`
    const refused = await as(maintainer).put(merge)
    expect(refused).toMatchObject({ status: 422, body: { message: 'Branch cannot be merged' } })
    const { body } = await as(root).get(`/projects/${target.id}/merge_requests/${opened.body.iid}`)
    expect([body.state, body.merge_error]).toEqual([
      'opened',
      "Something went wrong during merge pre-receive hook. The path 'README.md' is locked in Git LFS by root",
    ])
    expect((await as(root).put(merge)).status).toBe(200)
  })
})
