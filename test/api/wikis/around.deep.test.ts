import { createHash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { mayReceive } from '../../../server/domains.ts'
import { onBehalfOf } from '../../../server/domains/planning/index.ts'
import { finishWikis } from '../../../server/domains/wikis/service-repository.ts'
import { watchEvents } from '../repository/fill.ts'
import { world } from '../../support/world.ts'
import { receiver } from '../webhooks/receiver.ts'

const w = await world()
const root = w.as(w.root)
await root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
const developer = w.make.user({ username: 'developer' })
const guest = w.make.user({ username: 'guest' })
const stranger = w.make.user({ username: 'stranger' })
const group = await w.make.group()
await w.make.member('groups', group.id, developer, 30)
await w.make.member('groups', group.id, guest, 10)

async function page(base: string, title: string, content = 'text'): Promise<void> {
  expect((await w.as(developer).post(`${base}/wikis`, { title, content })).status).toBe(201)
}

const projectWith = async (more: object = {}) => {
  const project = await w.make.project({ namespace_id: group.id, ...more })
  return { ...project, at: `/projects/${project.id}` }
}

describe('the readers of a wiki', () => {
  it('depend on the visibility and the access level of the feature', async () => {
    const { at } = await projectWith()
    await page(at, 'home')
    // The group has to be public before its project can have a public wiki.
    await root.put(`/groups/${group.id}`, { visibility: 'public' })
    await root.put(at, { visibility: 'public' })
    expect((await w.as(null).get(`${at}/wikis`)).status).toBe(200)
    expect((await w.as(stranger).get(`${at}/wikis/home`)).status).toBe(200)
    await root.put(at, { wiki_access_level: 'private' })
    expect((await w.as(stranger).get(`${at}/wikis`)).body).toEqual({ message: '403 Forbidden' })
    expect((await w.as(guest).get(`${at}/wikis`)).status).toBe(200)
    await root.put(at, { wiki_access_level: 'disabled' })
    for (const user of [guest, developer, w.root])
      expect((await w.as(user).get(`${at}/wikis`)).status).toBe(403)
    expect((await w.as(developer).post(`${at}/wikis`, { title: 'a', content: 'a' })).status).toBe(403)
  })

  it('depend on the access level of a group', async () => {
    const at = `/groups/${group.id}`
    await page(at, 'home')
    expect((await w.as(null).get(`${at}/wikis/home`)).body.content).toBe('text')
    await root.put(at, { wiki_access_level: 'private' })
    expect((await w.as(stranger).get(`${at}/wikis`)).status).toBe(403)
    expect((await w.as(guest).get(`${at}/wikis`)).status).toBe(200)
    await root.put(at, { wiki_access_level: 'disabled' })
    expect((await w.as(developer).get(`${at}/wikis`)).status).toBe(403)
    await root.put(at, { wiki_access_level: 'enabled' })
    expect((await w.as(stranger).get(`${at}/wikis`)).status).toBe(200)
  })

  it('may change nothing while the project is archived or the repository moves', async () => {
    const { id, at } = await projectWith()
    await page(at, 'home')
    w.ctx().db.exec('UPDATE projects SET repository_read_only = 1 WHERE id = ?', id)
    const moving = await w.as(developer).put(`${at}/wikis/home`, { content: 'b' })
    expect([moving.status, moving.body]).toEqual([
      403,
      { message: '403 Forbidden - The repository is temporarily read-only. Please try again later.' },
    ])
    w.ctx().db.exec('UPDATE projects SET repository_read_only = 0 WHERE id = ?', id)
    await root.post(`${at}/archive`)
    expect((await w.as(developer).put(`${at}/wikis/home`, { content: 'b' })).status).toBe(403)
    expect((await w.as(guest).get(`${at}/wikis/home`)).body.content).toBe('text')
  })
})

describe('the events of a page', () => {
  it('trigger webhooks of the project and of the group', async () => {
    const there = await receiver()
    const { id, at, path_with_namespace: path, web_url } = await projectWith()
    const flags = { push_events: false, wiki_page_events: true }
    const made = await root.post(`${at}/hooks`, { url: `${there.url}/project`, ...flags })
    await root.post(`/groups/${group.id}/hooks`, { url: `${there.url}/group`, ...flags })
    const none = await root.post(`${at}/hooks/${made.body.id}/test/wiki_page_events`)
    expect([none.status, none.body]).toEqual([422, { message: 'Ensure the wiki is enabled and has pages.' }])
    const received = watchEvents(w, 'wiki_page.changed')
    await page(at, 'docs/The page', 'first')
    await w.as(developer).put(`${at}/wikis/docs%2FThe-page`, { content: 'second' })
    await w.as(developer).delete(`${at}/wikis/docs%2FThe-page`)
    await page(`/groups/${group.id}`, 'of the group')
    await w.drain()
    const bodiesAt = (address: string) =>
      there.requests.filter((request) => request.path === address).map((request) => JSON.parse(request.body))
    const [created, updated, deleted] = bodiesAt('/project')
    expect(there.requests[0]!.headers['x-gitlab-event']).toBe('Wiki Page Hook')
    expect(Object.keys(created)).toEqual(['object_kind', 'user', 'project', 'wiki', 'object_attributes'])
    expect(created).toMatchObject({
      object_kind: 'wiki_page',
      user: { username: 'developer' },
      project: { id, path_with_namespace: path },
      wiki: {
        web_url: `${web_url}/-/wikis/home`,
        git_ssh_url: expect.stringContaining(`${path}.wiki.git`),
        git_http_url: `${w.url}/${path}.wiki.git`,
        path_with_namespace: `${path}.wiki`,
        default_branch: 'main',
      },
    })
    const url = `${web_url}/-/wikis/docs/The-page`
    expect(created.object_attributes).toEqual({
      slug: 'docs/The-page',
      title: 'The page',
      format: 'markdown',
      message: 'developer created page: docs/The page',
      version_id: received[0]!['commit'],
      content: 'first',
      url,
      action: 'create',
      diff_url: `${url}/diff?version_id=${received[0]!['commit']}`,
    })
    expect(updated.object_attributes).toMatchObject({ action: 'update', content: 'second' })
    expect(deleted.object_attributes).toMatchObject({ action: 'delete', content: 'second' })
    const inGroup = bodiesAt('/group')
    expect(inGroup.map((payload) => payload.object_attributes.action)).toEqual([
      'create',
      'update',
      'delete',
      'create',
    ])
    expect(inGroup[3]).toMatchObject({
      group: { group_id: group.id },
      object_attributes: { slug: 'of-the-group' },
    })
    await page(at, 'again')
    const tried = await root.post(`${at}/hooks/${made.body.id}/test/wiki_page_events`)
    expect(tried.status).toBe(201)
    expect(bodiesAt('/project').at(-1).object_attributes).toMatchObject({ slug: 'again', action: 'create' })
  })

  it('are listed in the feed for readers of the wiki', async () => {
    const { at } = await projectWith()
    await page(at, 'Feed me')
    await w.as(developer).put(`${at}/wikis/Feed-me`, { title: 'Fed' })
    await w.as(developer).delete(`${at}/wikis/Fed`)
    await w.drain()
    const lines = async (user = guest) =>
      (await w.as(user).get(`${at}/events`)).body.filter(
        (event: { target_type: string }) => event.target_type === 'WikiPage::Meta',
      )
    const feed = await lines()
    expect(feed.map((event: { action_name: string }) => event.action_name)).toEqual([
      'deleted',
      'updated',
      'created',
    ])
    expect(feed[2]).toMatchObject({
      target_type: 'WikiPage::Meta',
      target_title: 'Feed me',
      author_username: 'developer',
      wiki_page: { format: 'markdown', slug: 'Feed-me', title: 'Feed me' },
    })
    expect(new Set(feed.map((event: { target_id: number }) => event.target_id)).size).toBe(1)
    await root.put(at, { wiki_access_level: 'disabled' })
    expect(await lines()).toEqual([])
  })

  it('are shown to users who may read the wiki', async () => {
    const { id } = await projectWith({ visibility: 'public', wiki_access_level: 'private' })
    const event = { actor_id: developer.id, wiki_page_id: 1, action: 'created', title: 'a', slug: 'a' }
    const receivers = (fields: object) =>
      [developer, guest, stranger].filter((user) =>
        mayReceive(onBehalfOf(w.ctx(), user.id)!, { ...event, ...fields }),
      )
    expect(receivers({ project_id: id })).toEqual([developer, guest])
    expect(receivers({ group_id: group.id })).toEqual([developer, guest, stranger])
    await root.put(`/groups/${group.id}`, { wiki_access_level: 'private' })
    expect(receivers({ group_id: group.id })).toEqual([developer, guest])
    await root.put(`/groups/${group.id}`, { wiki_access_level: 'enabled' })
  })

  it('is found by a search in the project', async () => {
    const { at, id } = await projectWith()
    const search = async (text: string, user = guest) =>
      (await w.as(user).get(`${at}/search?scope=wiki_blobs&search=${text}`)).body
    expect(await search('needle')).toEqual([])
    await page(at, 'Hay/stack', 'one\ntwo needle three\nfour\n')
    const [hit] = await search('NEEDLE')
    expect(hit).toMatchObject({
      basename: 'Hay/stack',
      path: 'Hay/stack.md',
      filename: 'Hay/stack.md',
      data: 'one\ntwo needle three\nfour\n',
      id: null,
      startline: 1,
      project_id: id,
    })
    expect((await search('stack'))[0].path).toBe('Hay/stack.md')
    await root.put(at, { wiki_access_level: 'disabled' })
    expect(await search('needle')).toEqual({ message: '403 Forbidden' })
  })
})

describe('the repository of a wiki', () => {
  const exists = (path: string) => existsSync(join(w.dataDir, 'repositories', path))
  const row = (column: string, id: number) =>
    w.ctx().db.one<{ disk_path: string }>(`SELECT disk_path FROM wikis WHERE ${column} = ?`, id)

  it('counts in the statistics, and is deleted with its project', async () => {
    const { at, id } = await projectWith()
    await page(at, 'home', 'x'.repeat(10_000))
    await w.drain()
    const { statistics } = (await root.get(`${at}?statistics=true`)).body
    expect(statistics.wiki_size).toBeGreaterThan(0)
    expect((await root.get(`${at}/snapshot?wiki=true`)).status).toBe(200)
    const { disk_path } = row('project_id', id)!
    expect(exists(disk_path)).toBe(true)
    await root.delete(at)
    await w.drain()
    expect(exists(disk_path)).toBe(false)
    expect(row('project_id', id)).toBeUndefined()
  })

  it('is deleted with its group', async () => {
    await root.put('/application/settings', { delayed_group_deletion: false })
    const other = await w.make.group()
    await root.post(`/groups/${other.id}/wikis`, { title: 'home', content: 'a' })
    await w.drain()
    const listed = (await root.get(`/groups?statistics=true&search=${other.path}`)).body
    expect(listed[0].statistics.wiki_size).toBeGreaterThan(0)
    const { disk_path } = row('group_id', other.id)!
    expect(exists(disk_path)).toBe(true)
    await root.delete(`/groups/${other.id}`)
    await w.drain()
    expect(exists(disk_path)).toBe(false)
  })

  it('reports errors of git, and is created again if it was lost', async () => {
    const { at, id } = await projectWith()
    await page(at, 'home')
    await page(at, 'other')
    const { disk_path } = row('project_id', id)!
    const path = join(w.dataDir, 'repositories', disk_path)
    // The test deletes the object of the text that both pages have.
    const text = createHash('sha1').update('blob 4\0text').digest('hex')
    rmSync(join(path, 'objects', text.slice(0, 2), text.slice(2)))
    const refused = await w.as(developer).delete(`${at}/wikis/home`)
    expect([refused.status, refused.body]).toEqual([422, { message: 'Could not delete wiki page' }])
    rmSync(path, { recursive: true })
    await page(at, 'new')
    expect((await w.as(guest).get(`${at}/wikis/new`)).status).toBe(200)
  })

  it('is created at the start if a crash left only its row', async () => {
    const { at, id } = await projectWith()
    const { id: groupId } = await w.make.group()
    await page(at, 'home')
    await root.post(`/groups/${groupId}/wikis`, { title: 'home', content: 'text' })
    const rows = () =>
      w
        .ctx()
        .db.many<{ disk_path: string; repository_state: string }>(
          'SELECT disk_path, repository_state FROM wikis WHERE project_id = ? OR group_id = ?',
          id,
          groupId,
        )
    for (const { disk_path } of rows())
      rmSync(join(w.dataDir, 'repositories', disk_path), { recursive: true })
    w.ctx().db.exec(
      "UPDATE wikis SET repository_state = 'pending' WHERE project_id = ? OR group_id = ?",
      id,
      groupId,
    )
    expect((await root.get(`${at}/wikis`)).body).toEqual([])
    await finishWikis(w.ctx())
    expect(rows().map((row) => row.repository_state)).toEqual(['ready', 'ready'])
    for (const { disk_path } of rows())
      expect(existsSync(join(w.dataDir, 'repositories', disk_path, 'HEAD'))).toBe(true)
    await page(at, 'again')
  })

  it('is not copied to a fork', async () => {
    const { at } = await projectWith({ visibility: 'public' })
    await page(at, 'home')
    const fork = await root.post(`${at}/fork`, { name: 'copy', path: 'copy' })
    await w.drain()
    expect((await root.get(`/projects/${fork.body.id}/wikis`)).body).toEqual([])
  })

  it('limits the size of pages', async () => {
    const { at } = await projectWith()
    await root.put('/application/settings', { wiki_page_max_content_bytes: 1024 })
    const refused = await w.as(developer).post(`${at}/wikis`, { title: 'a', content: 'ä'.repeat(1024) })
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: { content: ['is too long (2 KB). The maximum size is 1 KB.'] } },
    ])
    await page(at, 'a', 'a'.repeat(1024))
    const longer = await w.as(developer).put(`${at}/wikis/a`, { content: 'a'.repeat(1025) })
    expect(longer.body).toEqual({ message: { content: ['is too long (1 KB). The maximum size is 1 KB.'] } })
    await root.put('/application/settings', { wiki_page_max_content_bytes: 52_428_800 })
  })
})

describe('the window', () => {
  it('shows pages, their history and the right to write', async () => {
    const { at, path_with_namespace: path } = await projectWith()
    const base = `/-${at}/wikis`
    expect((await w.as(guest).get(`${base}/tree`)).body).toMatchObject({
      pages: [],
      sidebar_html: null,
      can_edit: false,
      http_url_to_repo: `${w.url}/${path}.wiki.git`,
    })
    const made = await w.as(developer).post(base, { title: 'Home', content: '# Hi', message: 'Begin' })
    expect(made.status).toBe(201)
    await page(at, '_sidebar', '- [[Home]]')
    const tree = (await w.as(developer).get(`${base}/tree`)).body
    expect(tree.pages).toEqual([{ slug: 'Home', title: 'Home', format: 'markdown' }])
    expect(tree.sidebar_html).toContain('Home')
    expect(tree.can_edit).toBe(true)
    const shown = (await w.as(guest).get(`${base}/home/page`)).body
    expect(shown).toMatchObject({ slug: 'Home', content: '# Hi', can_edit: false })
    expect(shown.last_version).toMatchObject({ message: 'Begin', author_name: 'DEVELOPER' })
    const known = { last_commit_sha: shown.last_version.id }
    const put = (params: object) => w.as(developer).put(`${base}/Home`, params)
    expect((await put({ content: '# Ho', message: 'More', ...known })).status).toBe(200)
    const late = await put({ content: '# Ha', ...known })
    expect([late.status, late.body.message]).toEqual([
      409,
      expect.stringContaining('Someone edited the page'),
    ])
    const versions = (await w.as(guest).get(`${base}/Home/versions?per_page=1`)).body
    expect(versions).toMatchObject([{ message: 'More', format: 'markdown' }])
    const diff = (await w.as(guest).get(`${base}/Home/versions/${versions[0].id}/diff`)).body
    expect(diff).toMatchObject([{ new_path: 'Home.md', diff: expect.stringContaining('-# Hi') }])
    const first = (await w.as(guest).get(`${base}/Home/versions?page=2&per_page=1`)).body[0]
    expect((await w.as(guest).get(`${base}/Home/page?version=${first.id}`)).body.content).toBe('# Hi')
    for (const rest of ['nothing/page', 'nothing/versions', 'Home/versions/abc/diff'])
      expect((await w.as(guest).get(`${base}/${rest}`)).status).toBe(404)
    const all = (await w.as(stranger).get(`${base}/tree`)).status
    expect(all).toBe(404)
  })

  it('serves the addresses of pages, also of pages with file names', async () => {
    const { at, path_with_namespace: path } = await projectWith()
    await page(at, 'Node.js')
    for (const name of ['Node.js', 'nothing.png', 'v1.2']) {
      const shown = await w.as(developer).get(`!/${path}/-/wikis/${name}`, { accept: 'text/html' })
      expect(shown.headers.get('content-security-policy') ?? '', name).not.toContain('sandbox')
      expect(shown.body, name).not.toEqual({ message: '404 File Not Found' })
    }
  })
})
