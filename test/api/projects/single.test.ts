import { existsSync } from 'node:fs'

import { beforeEach, describe, expect, it } from 'vitest'

import { projectById, repoOf } from '../../../server/domains/projects/index.ts'
import { readHead } from '../../../server/git/upkeep/repository.ts'
import { world } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const { as, root, make, ctx, drain, url } = await world()
const owner = make.user({ username: 'owner' })
const maintainer = make.user({ username: 'maintainer' })
const developer = make.user({ username: 'developer' })
const guest = make.user({ username: 'guest' })
const stranger = make.user({ username: 'stranger' })
const external = make.user({ username: 'outside', external: true })
let id = 0
let at = ''

beforeEach(async () => {
  id = (await make.project({ owner })).id
  at = `/projects/${id}`
  await make.member('projects', id, maintainer, 40)
  await make.member('projects', id, developer, 30)
  await make.member('projects', id, guest, 10)
})

describe('GET /projects/:id', () => {
  it('finds by id and by full path, in any case', async () => {
    const { path } = (await as(owner).get(at)).body
    expect((await as(owner).get(`/projects/owner%2F${path}`)).body.id).toBe(id)
    expect((await as(owner).get(`/projects/OWNER%2f${path.toUpperCase()}`)).body.id).toBe(id)
  })

  it('shows the permissions of the caller, and secrets to maintainers only', async () => {
    const seen = (await as(maintainer).get(at)).body
    expect(seen.permissions).toEqual({
      project_access: { access_level: 40, notification_level: 3 },
      group_access: null,
    })
    expect(seen.runners_token).toMatch(/^GR1348941[\w-]{20}$/)
    expect((await as(developer).get(at)).body).not.toHaveProperty('runners_token')
    expect((await as(root).get(at)).body).toMatchObject({
      permissions: { project_access: null, group_access: null },
      repository_storage: 'default',
    })
  })

  it('hides the branch from callers who may not read the code', async () => {
    const seen = (await as(guest).get(at)).body
    expect(seen).not.toHaveProperty('default_branch')
    expect(seen).not.toHaveProperty('readme_url')
    expect(seen).not.toHaveProperty('forks_count')
    expect(seen.can_create_merge_request_in).toBe(false)
    expect((await as(developer).get(at)).body).toMatchObject({
      default_branch: 'main',
      can_create_merge_request_in: true,
    })
  })

  it('shows the simple view to anonymous callers', async () => {
    await as(owner).put(at, { visibility: 'public' })
    const { body } = await as(null).get(at)
    expect(body).toMatchObject({ id, default_branch: 'main' })
    for (const field of ['visibility', 'permissions', '_links', 'runners_token'])
      expect(body).not.toHaveProperty(field)
  })

  it('shows sizes to reporters and above on request', async () => {
    expect((await as(developer).get(`${at}?statistics=true`)).body.statistics).toMatchObject({
      commit_count: 0,
      repository_size: 0,
    })
    expect((await as(developer).get(at)).body).not.toHaveProperty('statistics')
    expect((await as(guest).get(`${at}?statistics=true`)).body).not.toHaveProperty('statistics')
  })

  it('respects visibility: private to members, internal to users who are not external, public to all', async () => {
    const status = async (visibility: string) => {
      await as(owner).put(at, { visibility })
      return Promise.all(
        [guest, stranger, external, null].map(async (user) => (await as(user).get(at)).status),
      )
    }
    expect(await status('private')).toEqual([200, 404, 404, 404])
    expect(await status('internal')).toEqual([200, 200, 404, 404])
    expect(await status('public')).toEqual([200, 200, 200, 200])
  })

  it.each([
    '0',
    '4711',
    '99999999999999999999',
    'owner',
    'owner%2Fnone',
    '%2Fowner',
    'a%2Fb%2F',
    "x%27%20OR%201%3D1--%2F'",
  ])('returns 404 for %s', async (reference) => {
    const { status, body } = await as(owner).get(`/projects/${reference}`)
    expect([status, body]).toEqual([404, { message: '404 Project Not Found' }])
  })

  it('answers HEAD with a JSON content type', async () => {
    const { status, headers, text } = await as(owner).head(at)
    expect([status, headers.get('content-type'), text]).toEqual([200, 'application/json', ''])
  })

  it('treats digits as an id', async () => {
    const made = await as(owner).post('/projects', { path: '99', name: 'Ninety-nine' })
    expect((await as(owner).get('/projects/99')).status).toBe(404)
    expect((await as(owner).get('/projects/owner%2F99')).body.id).toBe(made.body.id)
  })
})

describe('PUT /projects/:id', () => {
  it('changes given values and keeps the others', async () => {
    const before = (await as(maintainer).get(at)).body
    const { status, body } = await as(maintainer).put(at, {
      name: 'New name',
      description: 'New',
      squash_option: 'always',
      allow_merge_on_skipped_pipeline: true,
      keep_latest_artifact: false,
      tag_list: 'b,a',
      ci_default_git_depth: 0,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      name: 'New name',
      path: before.path,
      description: 'New',
      squash_option: 'always',
      allow_merge_on_skipped_pipeline: true,
      keep_latest_artifact: false,
      topics: ['a', 'b'],
      ci_default_git_depth: 0,
      merge_method: before.merge_method,
    })
    expect(body.updated_at > before.updated_at).toBe(true)
    const cleared = await as(maintainer).put(at, { description: null, allow_merge_on_skipped_pipeline: null })
    expect(cleared.body).toMatchObject({
      description: null,
      allow_merge_on_skipped_pipeline: null,
      squash_option: 'always',
    })
  })

  it('moves the project with its path', async () => {
    const received: unknown[] = []
    const stop = ctx().events.watch((name, payload) => isOfSubscriber(name) || received.push([name, payload]))
    const old = (await as(owner).get(at)).body.path_with_namespace
    const { body } = await as(owner).put(at, { path: 'moved' })
    stop()
    expect(body.path_with_namespace).toBe('owner/moved')
    expect(received).toEqual([
      ['project.updated', { project_id: id, actor_id: owner.id, changed: ['path'], old_path: old }],
      [
        'project.renamed',
        {
          project_id: id,
          actor_id: owner.id,
          old_path_with_namespace: old,
          path_with_namespace: 'owner/moved',
        },
      ],
    ])
    expect((await as(owner).get('/projects/owner%2Fmoved')).body.id).toBe(id)
    const left = await as(owner).get(`/projects/${encodeURIComponent(old)}?statistics=true`)
    expect([left.status, left.headers.get('location')]).toEqual([301, `${url}/api/v4${at}?statistics=true`])
    const write = await as(owner).put(`/projects/${encodeURIComponent(old)}`, { description: 'x' })
    expect([write.status, write.body]).toEqual([
      405,
      { message: 'Non GET methods are not allowed for moved projects' },
    ])
    expect((await as(null).get(`/projects/${encodeURIComponent(old)}`)).status).toBe(404)
    await as(owner).put(at, { path: `moved-${id}` })
  })

  it('disables features, which are then refused to everybody', async () => {
    const { body } = await as(maintainer).put(at, {
      repository_access_level: 'disabled',
      issues_enabled: 'false',
    })
    expect(body).toMatchObject({ repository_access_level: 'disabled', issues_enabled: false })
    expect(body).not.toHaveProperty('default_branch')
    const on = await as(maintainer).put(at, {
      repository_access_level: 'private',
      issues_access_level: 'enabled',
    })
    expect(on.body).toMatchObject({ default_branch: 'main', issues_enabled: true })
  })

  it('requires an existing default branch, unless the repository is empty', async () => {
    expect((await as(owner).put(at, { default_branch: 'later' })).body.default_branch).toBe('later')
    expect(await readHead(repoOf(ctx(), projectById(ctx().db, id)!))).toBe('refs/heads/later')
    const filled = await make.project({ owner, with: 'readme' })
    const { status, body } = await as(owner).put(`/projects/${filled.id}`, { default_branch: 'none' })
    const sentence = "Could not set the default branch. Do you have a branch named 'none' in your repository?"
    expect([status, body]).toEqual([400, { message: { base: [sentence] } }])
    expect((await as(owner).put(`/projects/${filled.id}`, { default_branch: '--help' })).status).toBe(400)
    expect((await as(owner).put(`/projects/${filled.id}`, { default_branch: 'main' })).status).toBe(200)
  })

  it('refuses invalid values', async () => {
    const missing = await as(maintainer).put(at, {})
    expect(missing.status).toBe(400)
    expect(missing.body.error).toMatch(
      /^name, path, default_branch, .* are missing, at least one parameter must be provided$/,
    )
    expect((await as(maintainer).put(at, { path: 'a b' })).body.message).toHaveProperty('path')
    expect((await as(maintainer).put(at, { name: '' })).body.message).toEqual({ name: ["can't be blank"] })
    expect((await as(maintainer).put(at, { merge_method: 'octopus' })).body).toEqual({
      error: 'merge_method does not have a valid value',
    })
    const other = await make.project({ owner })
    expect((await as(maintainer).put(at, { path: other.path })).body.message).toEqual({
      path: ['has already been taken'],
    })
  })

  it('is limited to maintainers', async () => {
    expect((await as(developer).put(at, { name: 'x' })).status).toBe(403)
    expect((await as(stranger).put(at, { name: 'x' })).status).toBe(404)
    expect((await as(null).put(at, { name: 'x' })).status).toBe(401)
  })
})

describe('DELETE /projects/:id', () => {
  it('deletes the project at once, and the repository soon', async () => {
    const { gitDir } = repoOf(ctx(), projectById(ctx().db, id)!)
    const { status, body } = await as(owner).delete(at)
    expect([status, body]).toEqual([202, { message: '202 Accepted' }])
    expect((await as(owner).get(at)).status).toBe(404)
    await drain()
    expect(existsSync(gitDir)).toBe(false)
    expect(ctx().db.one('SELECT 1 FROM members WHERE project_id = ?', id)).toBeUndefined()
  })

  it('is limited to owners, archived or not, and respects If-Unmodified-Since', async () => {
    expect((await as(maintainer).delete(at)).status).toBe(403)
    expect((await as(stranger).delete(at)).status).toBe(404)
    const old = { 'if-unmodified-since': 'Tue, 01 Jan 2019 00:00:00 GMT' }
    expect((await as(owner).delete(at, undefined, old)).status).toBe(412)
    await as(owner).post(`${at}/archive`)
    expect((await as(owner).delete(at)).status).toBe(202)
  })
})

describe('POST /projects/:id/archive and unarchive', () => {
  it('return the state, also when repeated', async () => {
    for (const [verb, archived] of [
      ['archive', true],
      ['archive', true],
      ['unarchive', false],
      ['unarchive', false],
    ] as const) {
      const { status, body } = await as(owner).post(`${at}/${verb}`)
      expect([status, body.archived]).toEqual([201, archived])
    }
  })

  it('are limited to owners', async () => {
    expect((await as(maintainer).post(`${at}/archive`)).status).toBe(403)
    expect((await as(null).post(`${at}/archive`)).status).toBe(401)
  })
})

describe('POST /projects/:id/star and unstar', () => {
  it('change the count, and return 304 if nothing changes', async () => {
    const star = await as(guest).post(`${at}/star`)
    expect([star.status, star.body.star_count]).toEqual([201, 1])
    const again = await as(guest).post(`${at}/star`)
    expect([again.status, again.text]).toEqual([304, ''])
    expect((await as(developer).post(`${at}/star`)).body.star_count).toBe(2)
    expect((await as(guest).post(`${at}/unstar`)).body.star_count).toBe(1)
    expect((await as(guest).post(`${at}/unstar`)).status).toBe(304)
  })

  it('require authentication and a project that the caller may see', async () => {
    await as(owner).put(at, { visibility: 'public' })
    expect((await as(null).post(`${at}/star`)).status).toBe(401)
    expect((await as(stranger).post(`${at}/star`)).status).toBe(201)
  })

  it('drop the stars of a deleted user', async () => {
    const leaving = make.user()
    await as(owner).put(at, { visibility: 'internal' })
    await as(leaving).post(`${at}/star`)
    ctx().db.exec('DELETE FROM users WHERE id = ?', leaving.id)
    expect((await as(owner).get(at)).body.star_count).toBe(0)
  })
})
