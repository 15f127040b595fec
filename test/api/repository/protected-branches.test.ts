import { beforeEach, describe, expect, it } from 'vitest'

import { covers } from '../../../server/domains/repository/protected_refs/rules.ts'
import { world } from '../../support/world.ts'
import { hear } from './fill.ts'

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
  it('are made with the levels that were asked for', async () => {
    const heard = hear(instance, 'protected_branches.changed')
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
    expect(heard).toEqual([
      { project_id: id, actor_id: maintainer.id, name: 'release/*', action: 'protected' },
    ])
  })

  it('are listed, searched and found by exact name', async () => {
    for (const name of ['main', 'release/*', 'feature/x']) await as(maintainer).post(at, { name })
    const { body, headers } = await as(developer).get(at)
    expect(body.map((one: { name: string }) => one.name)).toEqual(['feature/x', 'main', 'release/*'])
    expect(headers.get('x-total')).toBe('3')
    expect((await as(developer).get(`${at}?search=EL`)).body).toHaveLength(1)
    expect((await as(developer).get(`${at}/release%2F*`)).body.name).toBe('release/*')
    expect((await as(developer).get(`${at}/release%2F1`)).body).toEqual({ message: '404 Not found' })
  })

  it('are for maintainers to change and for members to see', async () => {
    await as(maintainer).post(at, { name: 'main' })
    expect((await as(guest).get(at)).status).toBe(403)
    expect((await as(null).get(at)).status).toBe(401)
    expect((await as(developer).post(at, { name: 'x' })).status).toBe(403)
    expect((await as(developer).delete(`${at}/main`)).status).toBe(403)
    expect((await as(developer).patch(`${at}/main`, { allow_force_push: true })).status).toBe(403)
  })

  it('refuse a name that is protected, one that no branch has, and levels that are none', async () => {
    const post = (given: object) => as(maintainer).post(at, given)
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

  it('take single users, and change entry by entry', async () => {
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

  it('go away', async () => {
    await as(maintainer).post(at, { name: 'main' })
    expect((await as(maintainer).delete(`${at}/main`)).status).toBe(204)
    expect((await as(maintainer).delete(`${at}/main`)).status).toBe(404)
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
