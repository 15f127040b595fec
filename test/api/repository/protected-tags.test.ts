import { beforeEach, describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { fill, watchEvents } from './fill.ts'

const instance = await world()
const { as, make } = instance
const maintainer = make.user({ username: 'maintainer' })
const developer = make.user({ username: 'developer' })
const guest = make.user({ username: 'guest' })
const stranger = make.user({ username: 'stranger' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let at: string
let tags: string

beforeEach(async () => {
  project = await make.project()
  fill(instance, project, [{ files: { 'a.txt': 'a\n' } }])
  await make.member('projects', project.id, maintainer, 40)
  await make.member('projects', project.id, developer, 30)
  await make.member('projects', project.id, guest, 10)
  at = `/projects/${project.id}/protected_tags`
  tags = `/projects/${project.id}/repository/tags`
})

const create = (user: typeof developer, tag_name: string) => as(user).post(tags, { tag_name, ref: 'main' })

describe('protected tags', () => {
  it('are created, listed, shown and deleted', async () => {
    const received = watchEvents(instance, 'protected_tags.changed')
    const made = await as(maintainer).post(at, { name: 'v*', create_access_level: 30 })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      name: 'v*',
      create_access_levels: [
        {
          id: expect.any(Number),
          access_level: 30,
          access_level_description: 'Developers + Maintainers',
          user_id: null,
          group_id: null,
          deploy_key_id: null,
        },
      ],
    })
    await as(maintainer).post(at, { name: 'release' })
    const list = await as(developer).get(at)
    expect(list.body.map((protectedTag: { name: string }) => protectedTag.name)).toEqual(['release', 'v*'])
    expect(list.headers.get('x-total')).toBe('2')
    const shown = await as(developer).get(`${at}/release`)
    expect(shown.body.create_access_levels).toMatchObject([{ access_level: 40 }])
    expect((await as(developer).get(`${at}/v1`)).body).toEqual({ message: '404 Not found' })
    expect((await as(maintainer).delete(`${at}/v*`)).status).toBe(204)
    expect((await as(maintainer).delete(`${at}/v*`)).status).toBe(404)
    expect(received.map((event) => [event['name'], event['action'], event['actor_id']])).toEqual([
      ['v*', 'protected', maintainer.id],
      ['release', 'protected', maintainer.id],
      ['v*', 'unprotected', maintainer.id],
    ])
  })

  it('are changed by maintainers and visible to members', async () => {
    expect((await as(developer).post(at, { name: 'v1' })).status).toBe(403)
    expect((await as(developer).delete(`${at}/v1`)).status).toBe(403)
    expect((await as(guest).get(at)).status).toBe(403)
    expect((await as(stranger).get(at)).body).toEqual({ message: '404 Project Not Found' })
    expect((await as(null).get(at)).status).toBe(404)
  })

  it('refuse invalid values', async () => {
    const post = (params: object) => as(maintainer).post(at, params)
    await post({ name: 'v1' })
    const twice = await post({ name: 'v1' })
    expect([twice.status, twice.body]).toEqual([409, { message: "Protected tag 'v1' already exists" }])
    expect((await post({ name: 'a..b' })).status).toBe(422)
    expect((await post({ name: 'x', create_access_level: 20 })).body).toEqual({
      error: 'create_access_level does not have a valid value',
    })
    expect((await post({ name: 'x', allowed_to_create: [{ user_id: stranger.id }] })).body).toEqual({
      message: ['Cannot add users or groups unless they have access to the project'],
    })
    const both = await post({ name: 'x', allowed_to_create: [{ user_id: developer.id, access_level: 30 }] })
    expect(both.body).toEqual({
      error: 'allowed_to_create[access_level], allowed_to_create[user_id] are mutually exclusive',
    })
    expect((await post({ name: 'x', allowed_to_create: [{}] })).status).toBe(400)
    expect((await post({})).body).toEqual({ error: 'name is missing' })
  })

  it('are created by the named users, and shown as protected', async () => {
    await as(maintainer).post(at, { name: 'v*' })
    const refused = await create(developer, 'v1')
    expect([refused.status, refused.body]).toEqual([
      403,
      { message: 'You are not allowed to create this tag as it is protected.' },
    ])
    expect((await create(maintainer, 'v1')).body.protected).toBe(true)
    expect((await create(developer, 'other')).body.protected).toBe(false)
    const list = (await as(developer).get(tags)).body
    expect(Object.fromEntries(list.map((tag: never) => [tag['name'], tag['protected']]))).toEqual({
      other: false,
      v1: true,
    })
    // The most permissive of several matching protections applies.
    await as(maintainer).post(at, { name: 'v2*', allowed_to_create: [{ user_id: developer.id }] })
    expect((await create(developer, 'v2.0')).status).toBe(201)
  })

  it('are deleted by maintainers only', async () => {
    await as(maintainer).post(at, { name: 'v*', create_access_level: 30 })
    expect((await create(developer, 'v1')).status).toBe(201)
    const refused = await as(developer).delete(`${tags}/v1`)
    expect(refused.status).toBe(403)
    expect(refused.body.message).toContain('not allowed to delete protected tags')
    expect((await as(maintainer).delete(`${tags}/v1`)).status).toBe(204)
  })

  it('with "no one" cannot be created, not even by administrators', async () => {
    await as(maintainer).post(at, { name: 'v*', create_access_level: 0 })
    for (const user of [developer, maintainer, instance.root])
      expect((await create(user, 'v1')).status).toBe(403)
    await as(maintainer).post(at, { name: 'w*', create_access_level: 60 })
    expect((await create(maintainer, 'w1')).status).toBe(403)
    expect((await create(instance.root, 'w1')).status).toBe(201)
  })
})
