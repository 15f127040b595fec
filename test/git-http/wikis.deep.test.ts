import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { repoOfWiki, wikiOfGroup, wikiOfProject } from '../../server/domains/wikis/index.ts'
import { pushRulesOf } from '../../server/domains/wikis/service-git-target.ts'
import { watchEvents } from '../api/repository/fill.ts'
import { shell, tempDir } from '../support/git.ts'
import { world, type TestUser } from '../support/world.ts'
import { addressOf, clone, commit, git, local } from './remote.ts'

let time = Date.parse('2026-11-22T08:00:00Z')
const instance = await world({ clock: { now: () => time } })
const { as, make, root, drain, ctx } = instance
const developer = make.user({ username: 'developer' })
const guest = make.user({ username: 'guest' })
const stranger = make.user({ username: 'stranger' })
const group = await make.group()
await make.member('groups', group.id, developer, 30)
await make.member('groups', group.id, guest, 10)
const make1 = (more: object = {}) => make.project({ namespace_id: group.id, ...more })

type Person = Pick<TestUser, 'username' | 'token'>
const addressTo = addressOf(instance)
const address = (full: string, person?: Person) => addressTo({ path_with_namespace: `${full}.wiki` }, person)
const read = (full: string, person?: Person) => git(tempDir(), 'ls-remote', '-q', address(full, person))
const slugs = async (at: string): Promise<string[]> =>
  (await as(developer).get(`${at}/wikis`)).body.map((page: { slug: string }) => page.slug)
const waiting = () => ctx().db.many("SELECT * FROM jobs WHERE name = 'wikis.settle_move' AND state <> 'done'")
const DENIED = /Authentication failed|could not read Username/

async function refusal(folder: string, ...what: string[]): Promise<string> {
  const { code, stderr } = await git(folder, 'push', 'origin', ...what)
  expect(code).not.toBe(0)
  return stderr
}

describe('a wiki', () => {
  it('of a project can be cloned, changed and pushed', async () => {
    const project = await make1()
    const at = `/projects/${project.id}`
    await as(developer).post(`${at}/wikis`, { title: 'home', content: 'Hello' })
    await as(developer).post(`${at}/wikis`, { title: 'old name', content: 'stays' })
    const folder = await clone(address(project.path_with_namespace, developer))
    expect(readFileSync(path.join(folder, 'home.md'), 'utf8')).toBe('Hello')
    expect(shell(folder, ['log', '-1', '--format=%an %s'])).toBe('DEVELOPER developer created page: old name')
    const ids = () =>
      ctx().db.many<{ id: number; slug: string }>('SELECT id, slug FROM wiki_pages ORDER BY id')
    const old = ids().find((row) => row.slug === 'old-name')!
    shell(folder, ['mv', 'old-name.md', 'new-name.md'])
    commit(folder, 'home.md', 'Hello again')
    commit(folder, 'docs/Deploy.asciidoc', '= Deploy')
    commit(folder, 'img/plan.png', 'PNG')
    const received = watchEvents(instance, 'wiki.pushed')
    const published = watchEvents(instance, 'wiki_page.changed')
    const { code, stderr } = await git(folder, 'push', 'origin', 'main')
    expect([code, stderr]).toEqual([0, expect.stringContaining('main -> main')])
    expect(received).toMatchObject([{ project_id: project.id, actor_id: developer.id }])
    expect(
      (received[0]!['pages'] as { action: string; slug: string }[]).map((page) => [page.action, page.slug]),
    ).toEqual([
      ['created', 'docs/Deploy'],
      ['updated', 'new-name'],
      ['updated', 'home'],
    ])
    expect(published).toEqual([])
    expect(ids().find((row) => row.id === old.id)!.slug).toBe('new-name')
    expect(waiting()).toEqual([])
    expect(await slugs(at)).toEqual(['docs/Deploy', 'home', 'new-name'])
    const picture = await as(guest).get(`!/${project.path_with_namespace}/-/wikis/img/plan.png`)
    expect([picture.text, picture.headers.get('content-type')]).toEqual(['PNG', 'image/png'])
    await drain()
    const feed = (await as(guest).get(`${at}/events`)).body
    expect(feed).toContainEqual(
      expect.objectContaining({
        action_name: 'created',
        target_type: 'WikiPage::Meta',
        wiki_page: { format: 'asciidoc', slug: 'docs/Deploy', title: 'Deploy' },
      }),
    )
  })

  it('of a group is created by its first clone, and takes the first pushed branch as its default', async () => {
    const other = await make.group()
    await make.member('groups', other.id, developer, 30)
    const at = `/groups/${other.id}`
    const empty = await clone(address(other.full_path, developer))
    expect(existsSync(path.join(empty, '.git'))).toBe(true)
    expect(await slugs(at)).toEqual([])
    const folder = local()
    shell(folder, ['branch', '-m', 'master'])
    commit(folder, 'home.md', 'Pushed')
    shell(folder, ['remote', 'add', 'origin', address(other.full_path, developer)])
    expect((await git(folder, 'push', 'origin', 'master')).code).toBe(0)
    expect(await slugs(at)).toEqual(['README', 'home'])
    expect((await as(developer).post(`${at}/wikis`, { title: 'more', content: 'x' })).status).toBe(201)
    expect((await git(folder, 'pull', '-q', 'origin', 'master')).code).toBe(0)
    expect(readFileSync(path.join(folder, 'more.md'), 'utf8')).toBe('x')
    const wiki = wikiOfGroup(ctx().db, other.id)!
    expect(wiki.default_branch).toBe('master')
    expect(shell(repoOfWiki(ctx(), wiki), ['symbolic-ref', 'HEAD'])).toBe('refs/heads/master')
  })

  it('can be read by guests and pushed to by developers only', async () => {
    const project = await make1()
    const full = project.path_with_namespace
    await as(developer).post(`/projects/${project.id}/wikis`, { title: 'home', content: 'a' })
    expect((await read(full, guest)).code).toBe(0)
    expect((await read(full, stranger)).stderr).toContain('could not be found')
    expect((await read(full)).stderr).toMatch(DENIED)
    expect((await read('no/such', stranger)).stderr).toContain('could not be found')
    expect((await read('no/such')).stderr).toMatch(DENIED)
    const folder = await clone(address(full, guest))
    commit(folder, 'a.md', 'a')
    expect((await git(folder, 'push', 'origin', 'main')).stderr).toContain(
      'The requested URL returned error: 403',
    )
    const at = `/projects/${project.id}`
    const params = { name: 'CI', scopes: ['read_repository'] }
    const deploy = (await as(root).post(`${at}/deploy_tokens`, params)).body
    expect((await read(full, deploy)).code).toBe(0)
    expect((await read((await make1()).path_with_namespace, deploy)).stderr).toMatch(DENIED)
    await as(root).put(at, { wiki_access_level: 'disabled' })
    expect((await read(full, developer)).stderr).toContain('403')
    expect((await read(full, deploy)).stderr).toContain('403')
  })

  it('keeps its default branch, and has no tags', async () => {
    const project = await make1()
    await as(developer).post(`/projects/${project.id}/wikis`, { title: 'home', content: 'a' })
    const folder = await clone(address(project.path_with_namespace, developer))
    shell(folder, ['tag', 'v1'])
    expect(await refusal(folder, 'v1')).toContain('A wiki has branches only')
    expect(await refusal(folder, 'main:refs/keep-around/x')).not.toBe('')
    expect(await refusal(folder, ':main')).toContain('The branch main of a wiki cannot be deleted.')
    expect((await git(folder, 'push', 'origin', 'main:draft')).code).toBe(0)
    expect((await git(folder, 'push', 'origin', ':draft')).code).toBe(0)
    ctx().db.exec('UPDATE projects SET repository_read_only = 1 WHERE id = ?', project.id)
    commit(folder, 'b.md', 'b')
    expect(await refusal(folder, 'main')).toContain('403')
    ctx().db.exec('UPDATE projects SET repository_read_only = 0 WHERE id = ?', project.id)
    await as(root).put('/application/settings', { receive_max_input_size: 1 })
    commit(folder, 'big.bin', Buffer.from(Array.from({ length: 1_500_000 }, () => Math.random() * 256)))
    expect(await refusal(folder, 'main')).toMatch(/pack exceeds|too large|larger/i)
    await as(root).put('/application/settings', { receive_max_input_size: null })
    expect(await slugs(`/projects/${project.id}`)).toEqual(['home'])
  })

  it('records an interrupted push later', async () => {
    const project = await make1()
    await as(developer).post(`/projects/${project.id}/wikis`, { title: 'home', content: 'a' })
    const wiki = wikiOfProject(ctx().db, project.id)!
    const repo = repoOfWiki(ctx(), wiki)
    const folder = await clone(repo.gitDir)
    const old = shell(folder, ['rev-parse', 'HEAD'])
    const tip = commit(folder, 'late.md', 'late')
    const rules = pushRulesOf({ ...ctx(), actor: { ...ctx().actor, id: developer.id } as never }, wiki.id)
    rules.announce([{ ref: 'refs/heads/main', old, new: tip }], [])
    shell(folder, ['push', '-q', 'origin', 'HEAD:refs/heads/main'])
    const received = watchEvents(instance, 'wiki.pushed')
    time += 61_000
    await drain()
    expect(received).toMatchObject([{ before: old, after: tip, actor_id: developer.id }])
    expect(waiting()).toEqual([])
  })
})
