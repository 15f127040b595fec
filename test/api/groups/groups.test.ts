import { existsSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { projectById, repoOf } from '../../../server/domains/projects/index.ts'
import { world } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const { as, root, make, ctx, drain } = await world()
const ada = make.user({ username: 'ada' })
const bob = make.user({ username: 'bob' })
const stranger = make.user({ username: 'stranger' })

describe('POST /groups', () => {
  it('creates a group with the defaults of the instance, owned by the caller', async () => {
    const { status, body } = await as(ada).post('/groups', {
      name: 'The Crew',
      path: 'crew',
      description: 'Us',
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'The Crew',
      path: 'crew',
      full_path: 'crew',
      full_name: 'The Crew',
      description: 'Us',
      visibility: 'private',
      parent_id: null,
      project_creation_level: 'developer',
      subgroup_creation_level: 'maintainer',
      default_branch_protection: 2,
      two_factor_grace_period: 48,
      auto_devops_enabled: null,
      shared_with_groups: [],
    })
    expect(body).not.toHaveProperty('projects')
    expect(body.web_url).toMatch(/\/groups\/crew$/)
    expect((await as(ada).get(`/groups/${body.id}/members`)).body).toMatchObject([
      { username: 'ada', access_level: 50 },
    ])
  })

  it('creates a subgroup', async () => {
    const parent = await make.group({ owner: ada, name: 'Parent', path: 'parent' })
    const { body } = await as(ada).post('/groups', { name: 'Child', path: 'child', parent_id: parent.id })
    expect(body).toMatchObject({
      full_path: 'parent/child',
      full_name: 'Parent / Child',
      parent_id: parent.id,
    })
    expect(body).not.toHaveProperty('prevent_sharing_groups_outside_hierarchy')
  })

  it('allows subgroups for maintainers, or only for owners if the group says so', async () => {
    const parent = await make.group({ owner: ada })
    const create = (path: string) => as(bob).post('/groups', { name: path, path, parent_id: parent.id })
    const unseen = await create('one')
    expect([unseen.status, unseen.body]).toEqual([404, { message: '404 Group Not Found' }])
    await make.member('groups', parent.id, bob, 30)
    expect((await create('one')).status).toBe(403)
    await as(ada).put(`/groups/${parent.id}/members/${bob.id}`, { access_level: 40 })
    expect((await create('one')).status).toBe(201)
    await as(ada).put(`/groups/${parent.id}`, { subgroup_creation_level: 'owner' })
    expect((await create('two')).status).toBe(403)
  })

  it('returns 403 for a top-level group without the right to create groups', async () => {
    const limited = make.user()
    ctx().db.exec('UPDATE users SET can_create_group = 0 WHERE id = ?', limited.id)
    expect((await as(limited).post('/groups', { name: 'No', path: 'no' })).status).toBe(403)
    expect((await as(null).post('/groups', { name: 'No', path: 'no' })).status).toBe(401)
  })

  const refused: [string, object, object][] = [
    ['nothing', {}, { error: 'name is missing, path is missing' }],
    [
      'a taken path',
      { name: 'x', path: 'CREW' },
      { message: 'Failed to save group {:path=>["has already been taken"]}' },
    ],
    [
      'the path of a user',
      { name: 'x', path: 'bob' },
      { message: 'Failed to save group {:path=>["has already been taken"]}' },
    ],
    [
      'a reserved path',
      { name: 'x', path: 'api' },
      { message: 'Failed to save group {:path=>["api is a reserved name"]}' },
    ],
    [
      'a path with a slash',
      { name: 'x', path: 'a/b' },
      {
        message:
          "Failed to save group {:path=>[\"can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'\"]}",
      },
    ],
    [
      'blanks',
      { name: ' ', path: '' },
      { message: 'Failed to save group {:name=>["can\'t be blank"], :path=>["can\'t be blank"]}' },
    ],
    [
      'a bad level',
      { name: 'x', path: 'x', project_creation_level: 'all' },
      { error: 'project_creation_level does not have a valid value' },
    ],
    ['a bad parent', { name: 'x', path: 'x', parent_id: 'x' }, { error: 'parent_id is invalid' }],
  ]
  it.each(refused)('refuses %s', async (_name, params, answer) => {
    const result = await as(ada).post('/groups', params)
    expect([result.status, result.body]).toEqual([400, answer])
  })

  it('returns 400 for a wider visibility than the parent’s and for names and paths in use', async () => {
    const parent = await make.group({ owner: ada })
    const create = (params: object) => as(ada).post('/groups', { parent_id: parent.id, ...params })
    await make.project({ owner: ada, namespace_id: parent.id, path: 'tool', name: 'Tool' })
    expect((await create({ name: 'Open', path: 'open', visibility: 'public' })).body.message).toBe(
      'Failed to save group {:visibility_level=>["public is not allowed since the parent group has a private visibility."]}',
    )
    expect((await create({ name: 'Tools', path: 'TOOL' })).body.message).toContain(
      ':path=>["has already been taken"]',
    )
    await create({ name: 'Sister', path: 'sister' })
    expect((await create({ name: 'sister', path: 'other' })).body.message).toContain(
      ':name=>["has already been taken"]',
    )
  })

  it('allows restricted visibilities for administrators only', async () => {
    await as(root).put('/application/settings', {
      restricted_visibility_levels: ['public'],
      default_group_visibility: 'public',
    })
    expect(
      (await as(ada).post('/groups', { name: 'Wide', path: 'wide', visibility: 'public' })).body.message,
    ).toContain('public has been restricted by your administrator.')
    expect((await as(ada).post('/groups', { name: 'Narrow', path: 'narrow' })).body.visibility).toBe(
      'internal',
    )
    await as(root).put('/application/settings', {
      restricted_visibility_levels: [],
      default_group_visibility: 'private',
    })
  })
})

describe('GET /groups/:id', () => {
  it('returns a group by ID and full path, with its visible projects', async () => {
    const group = await make.group({ owner: ada, visibility: 'public' })
    await make.project({ owner: ada, namespace_id: group.id, visibility: 'public', name: 'Open' })
    await make.project({ owner: ada, namespace_id: group.id, name: 'Closed' })
    const names = (body: { projects: { name: string }[] }) => body.projects.map((project) => project.name)
    expect(names((await as(ada).get(`/groups/${group.id}`)).body)).toEqual(['Closed', 'Open'])
    expect(names((await as(null).get(`/groups/${group.full_path.toUpperCase()}`)).body)).toEqual(['Open'])
    const bare = (await as(ada).get(`/groups/${group.id}?with_projects=false`)).body
    expect(bare).not.toHaveProperty('projects')
    expect(bare).not.toHaveProperty('shared_projects')
  })

  it.each(['4711', 'ada', 'none', 'crew%2Fnone', '99999999999999999999'])(
    'returns 404 for %s',
    async (reference) => {
      const { status, body } = await as(root).get(`/groups/${reference}`)
      expect([status, body]).toEqual([404, { message: '404 Group Not Found' }])
    },
  )

  it('is visible to members of a project or subgroup', async () => {
    const outer = await make.group({ owner: ada })
    const inner = await make.group({ owner: ada, parent_id: outer.id })
    const project = await make.project({ owner: ada, namespace_id: inner.id })
    expect((await as(bob).get(`/groups/${outer.id}`)).status).toBe(404)
    await make.member('projects', project.id, bob, 10)
    expect((await as(bob).get(`/groups/${outer.id}`)).status).toBe(200)
    expect((await as(bob).get(`/groups/${inner.id}`)).body.projects).toHaveLength(1)
    expect((await as(bob).put(`/groups/${outer.id}`, { name: 'x' })).status).toBe(403)
    expect((await as(stranger).get(`/groups/${outer.id}`)).status).toBe(404)
  })
})

describe('PUT /groups/:id', () => {
  it('updates the given fields', async () => {
    const group = await make.group({ owner: ada })
    const { status, body } = await as(ada).put(`/groups/${group.id}`, {
      description: 'New',
      visibility: 'internal',
      lfs_enabled: 'no',
      emails_disabled: true,
      default_branch_protection: 3,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      name: group.name,
      description: 'New',
      visibility: 'internal',
      lfs_enabled: false,
      emails_disabled: true,
      default_branch_protection: 3,
      projects: [],
    })
    expect(
      (await as(ada).put(`/groups/${group.id}`, { emails_disabled: null })).body.emails_disabled,
    ).toBeNull()
  })

  it('updates the paths of everything below after a new path', async () => {
    const outer = await make.group({ owner: ada, name: 'Old', path: 'old' })
    const inner = await make.group({ owner: ada, name: 'In', path: 'in', parent_id: outer.id })
    const deep = await make.group({ owner: ada, name: 'Deep', path: 'deep', parent_id: inner.id })
    const project = await make.project({ owner: ada, namespace_id: deep.id, name: 'P' })
    const second = await make.group({ owner: ada, name: 'Old too', path: 'old2' })
    const { body } = await as(ada).put(`/groups/${outer.id}`, { name: 'Fresh', path: 'fresh' })
    expect(body).toMatchObject({ full_path: 'fresh', full_name: 'Fresh' })
    expect((await as(ada).get(`/groups/${deep.id}`)).body).toMatchObject({
      full_path: 'fresh/in/deep',
      full_name: 'Fresh / In / Deep',
    })
    expect((await as(ada).get('/projects/fresh%2Fin%2Fdeep%2Fp')).body).toMatchObject({
      id: project.id,
      name_with_namespace: 'Fresh / In / Deep / P',
    })
    expect((await as(ada).get(`/groups/${second.id}`)).body.full_path).toBe('old2')
    const renamed = await as(ada).put(`/groups/${inner.id}`, { path: 'mid' })
    expect(renamed.body).toMatchObject({ full_path: 'fresh/mid', full_name: 'Fresh / In' })
    expect((await as(ada).get(`/groups/${deep.id}`)).body.full_path).toBe('fresh/mid/deep')
  })

  it('returns 400 for invalid values', async () => {
    const group = await make.group({ owner: ada, visibility: 'public' })
    await make.project({ owner: ada, namespace_id: group.id, visibility: 'public' })
    const put = async (params: object) => (await as(ada).put(`/groups/${group.id}`, params)).body
    expect(await put({ path: 'crew' })).toEqual({ message: { path: ['has already been taken'] } })
    expect((await put({ visibility: 'internal' })).message).toEqual({
      visibility_level: [
        'internal is not allowed since this group contains projects with higher visibility.',
      ],
    })
    const outer = await make.group({ owner: ada, visibility: 'public' })
    await make.group({ owner: ada, visibility: 'public', parent_id: outer.id })
    expect((await as(ada).put(`/groups/${outer.id}`, { visibility: 'private' })).body.message).toEqual({
      visibility_level: ['private is not allowed since there are sub-groups with higher visibility.'],
    })
  })

  it('is allowed for owners only', async () => {
    const group = await make.group({ owner: ada, visibility: 'public' })
    await make.member('groups', group.id, bob, 40)
    expect((await as(bob).put(`/groups/${group.id}`, { name: 'x' })).status).toBe(403)
    expect((await as(null).put(`/groups/${group.id}`, { name: 'x' })).status).toBe(401)
  })
})

describe('DELETE /groups/:id', () => {
  it('deletes subgroups, projects and their repositories', async () => {
    await as(root).put('/application/settings', { delayed_group_deletion: false })
    const outer = await make.group({ owner: ada })
    const inner = await make.group({ owner: ada, parent_id: outer.id })
    const projects = await Promise.all(
      [outer.id, inner.id].map((namespace_id) => make.project({ owner: ada, namespace_id })),
    )
    const folders = projects.map(({ id }) => repoOf(ctx(), projectById(ctx().db, id)!).gitDir)
    expect(folders.every((folder) => existsSync(folder))).toBe(true)
    const received: string[] = []
    const stop = ctx().events.watch((name) => isOfSubscriber(name) || received.push(name))
    const { status, body } = await as(ada).delete(`/groups/${outer.id}`)
    stop()
    expect([status, body]).toEqual([202, { message: '202 Accepted' }])
    expect(received).toEqual(['project.deleted', 'project.deleted', 'group.deleted', 'group.deleted'])
    expect((await as(ada).get(`/groups/${inner.id}`)).status).toBe(404)
    expect((await as(ada).get(`/projects/${projects[0].id}`)).status).toBe(404)
    await drain()
    expect(folders.some((folder) => existsSync(folder))).toBe(false)
    await as(root).put('/application/settings', { delayed_group_deletion: true })
  })

  it('is allowed for owners only, and respects If-Unmodified-Since', async () => {
    const group = await make.group({ owner: ada })
    await make.member('groups', group.id, bob, 40)
    expect((await as(bob).delete(`/groups/${group.id}`)).status).toBe(403)
    expect((await as(stranger).delete(`/groups/${group.id}`)).status).toBe(404)
    const old = { 'if-unmodified-since': 'Tue, 01 Jan 2019 00:00:00 GMT' }
    expect((await as(ada).delete(`/groups/${group.id}`, undefined, old)).status).toBe(412)
  })
})
