import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { copyRepository } from '../../../server/domains/import_export/forks/service.ts'
import { projectById, repoOf } from '../../../server/domains/projects/index.ts'
import { listBranches, listTags } from '../../../server/git/write/refs.ts'
import { world } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const { as, root, make, ctx, drain } = await world()
const ada = make.user({ username: 'ada' })
const bob = make.user({ username: 'bob' })
const eve = make.user({ username: 'eve' })
const repo = (id: number) => repoOf(ctx(), projectById(ctx().db, id)!)

const source = await make.project({
  owner: ada,
  name: 'Source',
  with: 'readme',
  visibility: 'internal',
  description: 'What it is',
  topics: ['tools'],
  ci_config_path: 'ci.yml',
})
const at = `/projects/${source.id}`
await as(ada).post(`${at}/repository/branches`, { branch: 'next', ref: 'main' })
await as(ada).post(`${at}/repository/tags`, { tag_name: 'v1', ref: 'main', message: 'One' })

describe('POST /projects/:id/fork', () => {
  it('creates a fork at once, and copies the repository in the background', async () => {
    const received: unknown[] = []
    const stop = ctx().events.watch((name, payload) => isOfSubscriber(name) || received.push([name, payload]))
    const { status, body } = await as(bob).post(`${at}/fork`, {})
    expect(status).toBe(201)
    expect(body).toMatchObject({
      path_with_namespace: 'bob/source',
      description: 'What it is',
      topics: ['tools'],
      ci_config_path: 'ci.yml',
      visibility: 'internal',
      import_status: 'scheduled',
      mr_default_target_self: false,
      forked_from_project: { id: source.id, path_with_namespace: 'ada/source' },
      owner: { username: 'bob' },
    })
    await drain()
    stop()
    const ids = { project_id: body.id, actor_id: bob.id }
    expect(received).toContainEqual(['project.forked', { ...ids, forked_from_project_id: source.id }])
    expect(received).toContainEqual(['project.import_ended', { ...ids, status: 'finished' }])
    expect(received.map((event) => (event as unknown[])[0])).not.toContain('refs.updated')
    const fork = (await as(bob).get(`/projects/${body.id}`)).body
    expect(fork).toMatchObject({ import_status: 'finished', empty_repo: false, default_branch: 'main' })
    expect(fork.readme_url).toMatch(/README\.md$/)
    const names = async (id: number) => [
      (await listBranches(repo(id))).map((branch) => [branch.name, branch.target]),
      (await listTags(repo(id))).map((tag) => [tag.name, tag.target]),
    ]
    expect(await names(body.id)).toEqual(await names(source.id))
    expect(existsSync(join(repo(body.id).gitDir, 'objects', 'info', 'alternates'))).toBe(false)
    expect((await as(ada).get(at)).body.forks_count).toBe(1)
    const protectedBranches = await as(bob).get(`/projects/${body.id}/protected_branches`)
    expect(protectedBranches.body.map((protectedBranch: { name: string }) => protectedBranch.name)).toEqual([
      'main',
    ])
  })

  it('copies the avatar', async () => {
    const picture = new FormData()
    picture.set('avatar', new Blob([Buffer.from('89504e470d0a1a0a', 'hex')]), 'logo.png')
    await as(ada).put(at, picture)
    const { body } = await as(bob).post(`${at}/fork`, { path: 'pictured', name: 'Pictured' })
    expect(body.avatar_url).toMatch(new RegExp(`/project/avatar/${body.id}/logo.png$`))
    const sent = await as(bob).get(`!${new URL(body.avatar_url).pathname}`)
    expect([sent.status, sent.headers.get('content-type')]).toEqual([200, 'image/png'])
    await as(ada).put(at, { avatar: '' })
    await as(bob).delete(`/projects/${body.id}`)
    await drain()
  })

  it('refuses pushes while the repository is copied', async () => {
    const { body } = await as(bob).post(`${at}/fork`, { path: 'early', name: 'Early' })
    ctx().db.exec("UPDATE projects SET repository_state = 'pending' WHERE id = ?", body.id)
    const files = `/projects/${body.id}/repository/files/x`
    const { status } = await as(bob).post(files, { branch: 'main', content: 'x', commit_message: 'x' })
    expect([400, 403]).toContain(status)
    await drain()
  })

  it('accepts name, path, description, visibility and namespace', async () => {
    const group = await make.group({ owner: bob, path: 'crew', name: 'Crew', visibility: 'private' })
    for (const [index, where] of [
      { namespace_id: group.id },
      { namespace_path: 'CREW' },
      { namespace: String(group.id) },
      { namespace: 'crew' },
    ].entries()) {
      const { status, body } = await as(bob).post(`${at}/fork`, {
        ...where,
        name: `Fork ${index}`,
        path: `fork-${index}`,
        description: 'mine',
        visibility: 'public',
        mr_default_target_self: true,
      })
      expect(status).toBe(201)
      // A fork is never more visible than its parent or its group.
      expect(body).toMatchObject({
        path_with_namespace: `crew/fork-${index}`,
        name: `Fork ${index}`,
        description: 'mine',
        visibility: 'private',
        mr_default_target_self: true,
      })
    }
    await drain()
  })

  it('returns 409 for a name or path in use', async () => {
    const { status, body } = await as(bob).post(`${at}/fork`)
    const taken = ['has already been taken']
    expect([status, body]).toEqual([
      409,
      { message: { 'project_namespace.name': taken, name: taken, path: taken } },
    ])
    const rule = (await as(bob).post(`${at}/fork`, { path: '-x' })).body
    expect(rule.message.path[0]).toMatch(/^can contain only/)
  })

  it('returns 404 for namespaces that the caller cannot see or create projects in', async () => {
    const hidden = await make.group({ visibility: 'private' })
    const open = await make.group({ visibility: 'public' })
    const namespace = { message: '404 Namespace Not Found' }
    expect((await as(bob).post(`${at}/fork`, { namespace_id: hidden.id })).body).toEqual(namespace)
    expect((await as(bob).post(`${at}/fork`, { namespace_id: 4711 })).body).toEqual(namespace)
    expect((await as(bob).post(`${at}/fork`, { namespace_path: 'ada' })).body).toEqual(namespace)
    const target = await as(bob).post(`${at}/fork`, { namespace_id: open.id })
    expect([target.status, target.body]).toEqual([404, { message: '404 Target Namespace Not Found' }])
  })

  it('is allowed for readers of the code, if forking is enabled', async () => {
    expect((await as(null).post(`${at}/fork`)).status).toBe(401)
    const missing = { message: '404 Not Found' }
    for (const [setting, value] of [
      ['repository_access_level', 'private'],
      ['forking_access_level', 'disabled'],
      ['forking_access_level', 'private'],
    ] as const) {
      await as(ada).put(at, { [setting]: value })
      expect([value, (await as(eve).post(`${at}/fork`)).body]).toEqual([value, missing])
      await as(ada).put(at, { [setting]: 'enabled' })
    }
    expect((await as(eve).post(`${at}/fork`)).status).toBe(201)
  })

  it('is limited to the hierarchy of a group that prevents outside forks', async () => {
    const group = await make.group({ owner: ada })
    const inner = await make.group({ owner: ada, parent_id: group.id })
    const inside = await make.project({ owner: ada, namespace_id: group.id })
    ctx().db.exec('UPDATE namespaces SET prevent_forking_outside_group = 1 WHERE id = ?', group.id)
    expect((await as(ada).post(`/projects/${inside.id}/fork`)).body).toEqual({
      message: '404 Target Namespace Not Found',
    })
    expect((await as(ada).post(`/projects/${inside.id}/fork`, { namespace_id: inner.id })).status).toBe(201)
  })

  it('copies an empty repository, and records an error when the original is deleted', async () => {
    const empty = await make.project({ owner: ada })
    const fork = (await as(ada).post(`/projects/${empty.id}/fork`, { path: 'void', name: 'Void' })).body
    await drain()
    expect((await as(ada).get(`/projects/${fork.id}`)).body).toMatchObject({
      import_status: 'finished',
      empty_repo: true,
    })
    ctx().db.exec("UPDATE projects SET import_status = 'scheduled' WHERE id = ?", fork.id)
    await copyRepository(ctx(), fork.id, 4711)
    expect((await as(ada).get(`/projects/${fork.id}`)).body).toMatchObject({
      import_status: 'failed',
      import_error: 'fatal: The source project no longer exists.',
    })
  })

  it('is finished after the instance was killed during the copy', async () => {
    const { body } = await as(bob).post(`${at}/fork`, { path: 'cut', name: 'Cut' })
    await drain()
    rmSync(repo(body.id).gitDir, { recursive: true })
    ctx().db.exec(
      "UPDATE projects SET import_status = 'started', repository_state = 'pending', empty_repo = 1 WHERE id = ?",
      body.id,
    )
    await copyRepository(ctx(), body.id, source.id)
    expect((await as(bob).get(`/projects/${body.id}`)).body).toMatchObject({
      import_status: 'finished',
      empty_repo: false,
    })
    expect(await listBranches(repo(body.id))).toHaveLength(2)
    await as(bob).delete(`/projects/${body.id}`)
    await drain()
  })

  it('counts against the limit of projects', async () => {
    const limited = make.user()
    ctx().db.exec('UPDATE users SET projects_limit = 0 WHERE id = ?', limited.id)
    const { status, body } = await as(limited).post(`${at}/fork`)
    expect([status, body]).toEqual([
      403,
      {
        error: ['Personal project creation is not allowed. Please contact your administrator with questions'],
      },
    ])
  })
})

describe('a fork', () => {
  it('is never more visible than its parent', async () => {
    const fork = (await as(bob).post(`${at}/fork`, { path: 'quiet', name: 'Quiet', visibility: 'private' }))
      .body
    const put = (visibility: string) => as(bob).put(`/projects/${fork.id}`, { visibility })
    const wider = await put('public')
    const sentence = 'public is not allowed since the fork source project has lower visibility.'
    expect([wider.status, wider.body]).toEqual([400, { message: { visibility_level: [sentence] } }])
    expect((await put('internal')).status).toBe(200)
    await as(bob).delete(`/projects/${fork.id}/fork`)
    expect((await put('public')).status).toBe(200)
    await as(bob).delete(`/projects/${fork.id}`)
    await drain()
  })
})

describe('GET /projects/:id/forks', () => {
  it('lists visible forks', async () => {
    const paths = async (user: typeof ada | null, query = '') =>
      (await as(user).get(`${at}/forks${query}`)).body.map(
        (project: { path_with_namespace: string }) => project.path_with_namespace,
      )
    expect(await paths(ada)).toEqual(['eve/source', 'bob/early', 'bob/source'])
    expect(await paths(bob, '?search=fork&order_by=id&sort=asc')).toEqual([
      'crew/fork-0',
      'crew/fork-1',
      'crew/fork-2',
      'crew/fork-3',
    ])
    expect(await paths(bob, '?owned=true&visibility=internal')).toEqual(['bob/early', 'bob/source'])
    expect((await as(null).get(`${at}/forks`)).status).toBe(404)
  })
})

describe('POST and DELETE /projects/:id/fork/…', () => {
  it('add and remove the fork relationship of a project', async () => {
    const own = await make.project({ owner: bob, visibility: 'internal' })
    const linked = await as(bob).post(`/projects/${own.id}/fork/${source.id}`)
    expect([linked.status, linked.body.forked_from_project.id]).toEqual([201, source.id])
    const again = await as(bob).post(`/projects/${own.id}/fork/${source.id}`)
    expect([again.status, again.body]).toEqual([409, { message: 'Project already forked' }])
    // The parent cannot become a fork of its own fork.
    expect((await as(ada).post(`${at}/fork/${own.id}`)).status).toBe(409)
    expect((await as(bob).delete(`/projects/${own.id}/fork`)).status).toBe(204)
    const none = await as(bob).delete(`/projects/${own.id}/fork`)
    expect([none.status, none.text]).toEqual([304, ''])
    expect((await as(bob).get(`/projects/${own.id}`)).body).not.toHaveProperty('forked_from_project')
  })

  it('return 404 for invisible projects and 403 to other users', async () => {
    const own = await make.project({ owner: bob, visibility: 'internal' })
    const hidden = await make.project({ owner: ada })
    const answer = await as(bob).post(`/projects/${own.id}/fork/${hidden.id}`)
    expect([answer.status, answer.body]).toEqual([404, { message: '404 Source Project Not Found' }])
    expect((await as(eve).post(`/projects/${own.id}/fork/${source.id}`)).status).toBe(403)
    expect((await as(eve).delete(`/projects/${own.id}/fork`)).status).toBe(403)
  })

  it('keep fork networks together', async () => {
    const networks = () =>
      ctx().db.many<{ path: string; net: number | null }>(
        `SELECT path, fork_network_id AS net FROM projects WHERE path IN ('a1', 'a2', 'a3') ORDER BY path`,
      )
    const first = await make.project({ owner: bob, name: 'a1' })
    const second = (await as(bob).post(`/projects/${first.id}/fork`, { path: 'a2', name: 'a2' })).body
    const third = (await as(bob).post(`/projects/${second.id}/fork`, { path: 'a3', name: 'a3' })).body
    expect(networks().map((row) => row.net)).toEqual([first.id, first.id, first.id])
    await as(bob).delete(`/projects/${second.id}/fork`)
    expect(networks().map((row) => row.net)).toEqual([first.id, second.id, second.id])
    await as(bob).delete(`/projects/${third.id}/fork`)
    expect(networks().map((row) => row.net)).toEqual([first.id, second.id, null])
    await drain()
  })

  it('hide a parent project that the reader cannot see', async () => {
    const secret = await make.project({ owner: ada, name: 'Secret' })
    await make.member('projects', secret.id, bob, 30)
    const fork = (await as(bob).post(`/projects/${secret.id}/fork`)).body
    expect(fork.forked_from_project.id).toBe(secret.id)
    await as(ada).delete(`/projects/${secret.id}/members/${bob.id}`)
    expect((await as(bob).get(`/projects/${fork.id}`)).body).not.toHaveProperty('forked_from_project')
    expect((await as(root).get(`/projects/${fork.id}`)).body.forked_from_project.id).toBe(secret.id)
    await drain()
  })
})
