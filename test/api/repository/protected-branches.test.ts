import { beforeEach, describe, expect, it } from 'vitest'

import { covers } from '../../../server/domains/repository/protected_refs/rules.ts'
import { world } from '../../support/world.ts'
import { fill, watchEvents } from './fill.ts'

const instance = await world()
const { as, make } = instance
const maintainer = make.user({ username: 'maintainer' })
const developer = make.user({ username: 'developer' })
const guest = make.user({ username: 'guest' })
let id: number
let at: string

beforeEach(async () => {
  ;({ id } = await make.project({ visibility: 'public' }))
  await make.member('projects', id, maintainer, 40)
  await make.member('projects', id, developer, 30)
  await make.member('projects', id, guest, 10)
  at = `/projects/${id}/protected_branches`
})

const role = (access_level: number, access_level_description: string) => ({
  id: expect.any(Number),
  access_level,
  access_level_description,
  user_id: null,
  group_id: null,
  deploy_key_id: null,
})

describe('protected branches', () => {
  it('are created with the requested levels', async () => {
    const received = watchEvents(instance, 'protected_branches.changed')
    const { status, body } = await as(maintainer).post(at, {
      name: 'release/*',
      push_access_level: 0,
      allow_force_push: true,
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'release/*',
      push_access_levels: [role(0, 'No one')],
      merge_access_levels: [role(40, 'Maintainers')],
      allow_force_push: true,
      unprotect_access_levels: [role(40, 'Maintainers')],
      code_owner_approval_required: false,
      inherited: false,
    })
    expect(received).toEqual([
      { project_id: id, actor_id: maintainer.id, name: 'release/*', action: 'protected' },
    ])
  })

  it('are listed, searched and found by exact name', async () => {
    for (const name of ['main', 'release/*', 'feature/x']) await as(maintainer).post(at, { name })
    const { body, headers } = await as(developer).get(at)
    expect(body.map((protectedBranch: { name: string }) => protectedBranch.name)).toEqual([
      'main',
      'release/*',
      'feature/x',
    ])
    expect(headers.get('x-total')).toBe('3')
    expect((await as(developer).get(`${at}?search=EL`)).body).toHaveLength(1)
    expect((await as(developer).get(`${at}/release%2F*`)).body.name).toBe('release/*')
    expect((await as(developer).get(`${at}/release%2F1`)).body).toEqual({ message: '404 Not found' })
  })

  it('are changed by maintainers and visible to members', async () => {
    await as(maintainer).post(at, { name: 'main' })
    expect((await as(guest).get(at)).status).toBe(403)
    expect((await as(null).get(at)).status).toBe(401)
    expect((await as(developer).post(at, { name: 'x' })).status).toBe(403)
    expect((await as(developer).delete(`${at}/main`)).status).toBe(403)
    expect((await as(developer).patch(`${at}/main`, { allow_force_push: true })).status).toBe(403)
  })

  it('refuse a taken name, an invalid name and an invalid level', async () => {
    const post = (params: object) => as(maintainer).post(at, params)
    await post({ name: 'main' })
    const twice = await post({ name: 'main' })
    expect([twice.status, twice.body]).toEqual([409, { message: "Protected branch 'main' already exists" }])
    expect((await post({ name: 'a..b' })).status).toBe(422)
    expect((await post({ name: 'x', push_access_level: 20 })).body).toEqual({
      error: 'push_access_level does not have a valid value',
    })
    expect((await post({ name: 'x', allowed_to_push: [{ user_id: 99_999 }] })).status).toBe(422)
    expect((await post({})).body).toEqual({ error: 'name is missing' })
  })

  it('accept single users, and change entry by entry', async () => {
    const made = await as(maintainer).post(at, { name: 'main', allowed_to_push: [{ user_id: developer.id }] })
    expect(made.body.push_access_levels).toMatchObject([
      { access_level: null, access_level_description: 'DEVELOPER', user_id: developer.id },
    ])
    const [entry] = made.body.push_access_levels
    const changed = await as(maintainer).patch(`${at}/main`, {
      allow_force_push: true,
      allowed_to_push: [{ id: entry.id, _destroy: true }, { access_level: 30 }],
    })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({ allow_force_push: true, push_access_levels: [{ access_level: 30 }] })
    const unknown = await as(maintainer).patch(`${at}/main`, {
      allowed_to_merge: [{ id: entry.id, access_level: 30 }],
    })
    expect(unknown.status).toBe(422)
    expect((await as(maintainer).patch(`${at}/nope`, { allow_force_push: true })).status).toBe(404)
    expect((await as(maintainer).patch(`${at}/main`, {})).status).toBe(400)
  })

  it('are deleted', async () => {
    await as(maintainer).post(at, { name: 'main' })
    expect((await as(maintainer).delete(`${at}/main`)).status).toBe(204)
    expect((await as(maintainer).delete(`${at}/main`)).status).toBe(404)
  })
})

describe('entries', () => {
  const allowed = (params: object) =>
    as(maintainer).post(at, { name: `branch-${Math.random()}`, allowed_to_push: [params] })

  it('name only users, groups and keys with access to the project', async () => {
    const stranger = make.user()
    const [group, other] = [await make.group(), await make.group()]
    await as(instance.root).post(`/projects/${id}/share`, { group_id: group.id, group_access: 30 })
    const sentence = ['Cannot add users or groups unless they have access to the project']
    for (const params of [
      { user_id: stranger.id },
      { user_id: 99_999 },
      { group_id: other.id },
      { group_id: 99_999 },
    ]) {
      const { status, body } = await allowed(params)
      expect([status, body]).toEqual([422, { message: sentence }])
    }
    expect((await allowed({ deploy_key_id: 1 })).status).toBe(422)
    const made = await allowed({ group_id: group.id })
    expect(made.body.push_access_levels).toMatchObject([
      { access_level: null, access_level_description: group.name, group_id: group.id },
    ])
  })

  it('return one error for each problem', async () => {
    expect((await allowed({ user_id: developer.id, access_level: 30 })).body).toEqual({
      error: 'allowed_to_push[access_level], allowed_to_push[user_id] are mutually exclusive',
    })
    expect((await allowed({})).body.error).toMatch(/are missing, at least one parameter must be provided$/)
    const twice = await as(maintainer).post(at, {
      name: 'main',
      allowed_to_push: [{ user_id: developer.id }, { user_id: developer.id }],
    })
    expect([twice.status, twice.body]).toEqual([
      422,
      { message: ['Push access levels user has already been taken'] },
    ])
    const made = await as(maintainer).post(at, { name: 'main' })
    const again = await as(maintainer).patch(`${at}/main`, { allowed_to_merge: [{ access_level: 40 }] })
    expect(again.body).toEqual({ message: ['Merge access levels access level has already been taken'] })
    expect((await as(maintainer).get(`${at}/main`)).body).toEqual(made.body)
  })

  it('change from a role to a user, and are deleted', async () => {
    const { body } = await as(maintainer).post(at, { name: 'main' })
    const [push] = body.push_access_levels
    const [merge] = body.merge_access_levels
    const changed = await as(maintainer).patch(`${at}/main`, {
      allowed_to_push: [{ id: push.id, user_id: developer.id }],
      allowed_to_merge: [{ id: merge.id, _destroy: true }],
      code_owner_approval_required: true,
    })
    expect(changed.body).toMatchObject({
      push_access_levels: [{ id: push.id, user_id: developer.id, access_level: null }],
      merge_access_levels: [],
      code_owner_approval_required: true,
    })
  })
})

describe('deleting a protection', () => {
  it('is allowed for the named users', async () => {
    const other = make.user()
    await make.member('projects', id, other, 40)
    const made = await as(maintainer).post(at, {
      name: 'main',
      allowed_to_unprotect: [{ user_id: other.id }],
    })
    expect(made.body.unprotect_access_levels).toMatchObject([{ user_id: other.id }])
    expect((await as(maintainer).delete(`${at}/main`)).body).toEqual({ message: '403 Forbidden' })
    expect((await as(maintainer).patch(`${at}/main`, { allow_force_push: true })).status).toBe(403)
    expect((await as(other).patch(`${at}/main`, { allow_force_push: true })).status).toBe(200)
    expect((await as(other).delete(`${at}/main`)).status).toBe(204)
  })

  it('may require an administrator, but never "no one"', async () => {
    await as(maintainer).post(at, { name: 'main', unprotect_access_level: 60 })
    expect((await as(maintainer).delete(`${at}/main`)).status).toBe(403)
    expect((await as(instance.root).delete(`${at}/main`)).status).toBe(204)
    expect((await as(maintainer).post(at, { name: 'main', unprotect_access_level: 0 })).body).toEqual({
      error: 'unprotect_access_level does not have a valid value',
    })
  })
})

describe('the older API for one branch', () => {
  const branch = (name: string, verb = '') => `/projects/${id}/repository/branches/${name}${verb}`

  beforeEach(() => {
    fill(instance, { id }, [
      { files: { 'a.txt': 'a\n' } },
      { branch: 'feature/x', files: { 'b.txt': 'b\n' } },
    ])
  })

  it('protects, changes and unprotects', async () => {
    const made = await as(maintainer).put(branch('feature%2Fx', '/protect'), { developers_can_push: true })
    expect(made.status).toBe(200)
    expect(made.body).toMatchObject({
      name: 'feature/x',
      protected: true,
      developers_can_push: true,
      developers_can_merge: false,
    })
    expect((await as(developer).get(branch('feature%2Fx'))).body.can_push).toBe(true)
    const changed = await as(maintainer).put(branch('feature%2Fx', '/protect'), {
      developers_can_push: false,
      developers_can_merge: true,
    })
    expect(changed.body).toMatchObject({ developers_can_push: false, developers_can_merge: true })
    expect((await as(developer).get(branch('feature%2Fx'))).body.can_push).toBe(false)
    // A repeated request without parameters changes nothing.
    const again = await as(maintainer).put(branch('feature%2Fx', '/protect'))
    expect(again.body).toMatchObject({ developers_can_push: false, developers_can_merge: true })
    const gone = await as(maintainer).put(branch('feature%2Fx', '/unprotect'))
    expect(gone.body).toMatchObject({ protected: false, developers_can_push: false })
    expect((await as(maintainer).put(branch('feature%2Fx', '/unprotect'))).status).toBe(200)
  })

  it('requires a maintainer and an existing branch', async () => {
    expect((await as(developer).put(branch('main', '/protect'))).status).toBe(403)
    expect((await as(developer).put(branch('main', '/unprotect'))).status).toBe(403)
    const missing = await as(maintainer).put(branch('nope', '/protect'))
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Branch Not Found' }])
    expect((await as(maintainer).put(branch('a..b', '/unprotect'))).status).toBe(400)
  })
})

describe('branches that match a pattern', () => {
  it('show the rights that the most permissive protection grants', async () => {
    fill(instance, { id }, [
      { files: { 'a.txt': 'a\n' } },
      { branch: 'release/1', files: { 'b.txt': 'b\n' } },
    ])
    const show = async (user: typeof developer) =>
      (await as(user).get(`/projects/${id}/repository/branches/release%2F1`)).body
    await as(maintainer).post(at, { name: 'release/1', push_access_level: 0, merge_access_level: 0 })
    expect(await show(maintainer)).toMatchObject({ protected: true, can_push: false })
    await as(maintainer).post(at, { name: 'release/*', push_access_level: 30, merge_access_level: 40 })
    expect(await show(developer)).toMatchObject({
      protected: true,
      can_push: true,
      developers_can_push: true,
      developers_can_merge: false,
    })
    expect(await show(guest)).toMatchObject({ can_push: false })
  })

  it('are created from protected commits by users who may only merge there', async () => {
    const [first, second] = fill(instance, { id }, [
      { files: { 'a.txt': 'a\n' } },
      { branch: 'loose', files: { 'b.txt': 'b\n' } },
    ])
    await as(maintainer).post(at, { name: 'main' })
    await as(maintainer).post(at, { name: 'release/*', push_access_level: 0, merge_access_level: 30 })
    const create = (branch: string, ref: string) =>
      as(developer).post(`/projects/${id}/repository/branches`, { branch, ref })
    const loose = await create('release/1', second!)
    expect(loose.body.message).toContain('existing protected branch ref as the basis')
    expect((await create('release/1', first!)).status).toBe(201)
    await as(maintainer).post(at, { name: 'closed/*', push_access_level: 0, merge_access_level: 0 })
    expect((await create('closed/1', first!)).body.message).toContain(
      'not allowed to create protected branches',
    )
  })

  it('keep their protection when the project is renamed or another branch becomes the default one', async () => {
    fill(instance, { id }, [{ files: { 'a.txt': 'a\n' } }, { branch: 'next', files: { 'b.txt': 'b\n' } }])
    await as(maintainer).post(at, { name: 'main' })
    await as(instance.root).put(`/projects/${id}`, { path: `renamed-${id}`, default_branch: 'next' })
    const { body } = await as(developer).get(at)
    expect(body.map((protectedBranch: { name: string }) => protectedBranch.name)).toContain('main')
    expect((await as(developer).get(`/projects/${id}/repository/branches/main`)).body.protected).toBe(true)
  })
})

describe('a pattern', () => {
  it.each([
    ['main', 'main', true],
    ['main', 'main2', false],
    ['release/*', 'release/1/2', true],
    ['release/*', 'release', false],
    ['*-stable', '15-stable', true],
    ['*-stable', '15-stable-2', false],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'a-c-b', false],
    ['*', 'anything/at.all', true],
    ['a*a', 'a', false],
    ['.*', 'main', false],
  ])('%s covers %s: %s', (pattern, name, expected) => {
    expect(covers(pattern, name)).toBe(expected)
  })
})
