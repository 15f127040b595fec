import { describe, expect, it } from 'vitest'

import { removeExpiredShares } from '../../../server/domains/projects/people/service.ts'
import { world } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const { as, root, make, ctx } = await world()
const owner = make.user({ username: 'owner' })
const maintainer = make.user()
const ada = make.user({ username: 'ada' })
const bob = make.user({ username: 'bob' })
const top = await make.group({ owner, name: 'Top', path: 'top', visibility: 'public' })
const crew = await make.group({ owner, name: 'Crew', path: 'crew', visibility: 'public' })
const secret = await make.group({ owner: ada, name: 'Secret', path: 'secret' })
await make.member('groups', crew.id, ada, 30)
const project = await make.project({ owner, namespace_id: top.id, name: 'Shared', visibility: 'internal' })
const at = `/projects/${project.id}`
await make.member('projects', project.id, maintainer, 40)
const shared = async (user: typeof ada) => (await as(user).get(at)).body.shared_with_groups

describe('POST and DELETE /projects/:id/share', () => {
  it('share a project with a group until a day, and end the share', async () => {
    const received: string[] = []
    const stop = ctx().events.watch((name) => isOfSubscriber(name) || received.push(name))
    const { status, body } = await as(maintainer).post(`${at}/share`, {
      group_id: crew.id,
      group_access: 30,
      expires_at: '2099-01-31',
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      project_id: project.id,
      group_id: crew.id,
      group_access: 30,
      expires_at: '2099-01-31',
    })
    expect(await shared(owner)).toEqual([
      {
        group_id: crew.id,
        group_name: 'Crew',
        group_full_path: 'crew',
        group_access_level: 30,
        expires_at: '2099-01-31',
      },
    ])
    const again = await as(maintainer).post(`${at}/share`, { group_id: crew.id, group_access: 10 })
    expect([again.status, again.body]).toEqual([409, { message: 'Project already shared with this group' }])
    expect((await as(maintainer).delete(`${at}/share/${crew.id}`)).status).toBe(204)
    const deleted = await as(maintainer).delete(`${at}/share/${crew.id}`)
    expect([deleted.status, deleted.body]).toEqual([404, { message: '404 Group Link Not Found' }])
    expect(await shared(owner)).toEqual([])
    stop()
    expect(received).toEqual(['project.shared', 'project.unshared'])
  })

  it('show groups only to users who may see them', async () => {
    await make.member('groups', secret.id, owner, 10)
    expect((await as(owner).post(`${at}/share`, { group_id: secret.id, group_access: 10 })).status).toBe(201)
    expect((await shared(owner)).map((group: { group_id: number }) => group.group_id)).toEqual([secret.id])
    expect(await shared(maintainer)).toEqual([])
    expect((await as(ada).get('/projects?search=shared')).body[0].shared_with_groups).toHaveLength(1)
    expect((await as(bob).get('/projects?search=shared')).body[0].shared_with_groups).toEqual([])
    await as(owner).delete(`${at}/share/${secret.id}`)
  })

  const refused: [string, () => object, number, object][] = [
    ['no group', () => ({ group_access: 30 }), 400, { error: 'group_id is missing' }],
    [
      'an unknown level',
      () => ({ group_id: crew.id, group_access: 60 }),
      400,
      { error: 'group_access does not have a valid value' },
    ],
    [
      'a level above the own',
      () => ({ group_id: crew.id, group_access: 50 }),
      403,
      { message: '403 Forbidden' },
    ],
    ['a missing group', () => ({ group_id: 4711, group_access: 10 }), 404, { message: '404 Not Found' }],
    ['a hidden group', () => ({ group_id: secret.id, group_access: 10 }), 404, { message: '404 Not Found' }],
    [
      'a day that is over',
      () => ({ group_id: crew.id, group_access: 10, expires_at: '2020-01-01' }),
      400,
      { message: { expires_at: ['cannot be a date in the past'] } },
    ],
    [
      'a day that is none',
      () => ({ group_id: crew.id, group_access: 10, expires_at: 'soon' }),
      400,
      { error: 'expires_at is invalid' },
    ],
    [
      'the group it is in',
      () => ({ group_id: top.id, group_access: 10 }),
      409,
      { message: 'Project cannot be shared with the group it is in or one of its ancestors.' },
    ],
  ]
  it.each(refused)('refuse %s', async (_name, params, status, body) => {
    const answer = await as(maintainer).post(`${at}/share`, params())
    expect([answer.status, answer.body]).toEqual([status, body])
  })

  it('respect the share lock of parent groups', async () => {
    const { db } = ctx()
    db.exec('UPDATE namespaces SET share_with_group_lock = 1 WHERE id = ?', top.id)
    const locked = await as(root).post(`${at}/share`, { group_id: crew.id, group_access: 10 })
    expect([locked.status, locked.body]).toEqual([
      400,
      { message: 'The project sharing with group is disabled' },
    ])
    db.exec(
      'UPDATE namespaces SET share_with_group_lock = 0, prevent_sharing_groups_outside_hierarchy = 1 WHERE id = ?',
      top.id,
    )
    const inner = await make.group({ owner, parent_id: top.id })
    expect((await as(owner).post(`${at}/share`, { group_id: crew.id, group_access: 10 })).status).toBe(404)
    expect((await as(owner).post(`${at}/share`, { group_id: inner.id, group_access: 10 })).status).toBe(201)
    db.exec('UPDATE namespaces SET prevent_sharing_groups_outside_hierarchy = 0 WHERE id = ?', top.id)
    await as(owner).delete(`${at}/share/${inner.id}`)
  })

  it('are limited to maintainers', async () => {
    expect((await as(bob).post(`${at}/share`, { group_id: crew.id, group_access: 10 })).status).toBe(403)
    expect((await as(null).delete(`${at}/share/${crew.id}`)).status).toBe(401)
  })

  it('expire by cron', async () => {
    await as(owner).post(`${at}/share`, { group_id: crew.id, group_access: 10 })
    ctx().db.exec("UPDATE project_group_links SET expires_at = '2020-01-01'")
    expect(await shared(owner)).toEqual([])
    removeExpiredShares(ctx())
    expect(ctx().db.one<{ n: number }>('SELECT count(*) AS n FROM project_group_links')!.n).toBe(0)
  })
})

describe('GET /projects/:id/groups', () => {
  it('adds the shared groups on request', async () => {
    await as(owner).post(`${at}/share`, { group_id: crew.id, group_access: 20 })
    const paths = async (query: string, user = owner) =>
      (await as(user).get(`${at}/groups?${query}`)).body.map(
        (group: { full_path: string }) => group.full_path,
      )
    expect(await paths('')).toEqual(['top'])
    expect(await paths('with_shared=true')).toEqual(['top', 'crew'])
    expect(await paths('with_shared=true&shared_min_access_level=30')).toEqual(['top'])
    expect(await paths('with_shared=true&shared_visible_only=true&search=crew')).toEqual(['crew'])
    expect(await paths(`with_shared=true&skip_groups[]=${top.id}`)).toEqual(['crew'])
  })

  it('lists only the shared groups, and groups that a share is possible with', async () => {
    const paths = async (list: string, user = owner) =>
      (await as(user).get(`${at}/${list}`)).body.map((group: { full_path: string }) => group.full_path)
    expect(await paths('invited_groups')).toEqual(['crew'])
    expect(await paths('invited_groups?min_access_level=30')).toEqual([])
    expect(await paths('share_locations?search=e')).toEqual(['secret'])
    expect(await paths('share_locations', maintainer)).toEqual([])
    expect((await as(bob).get(`${at}/share_locations`)).status).toBe(403)
  })
})

describe('POST /projects/:id/import_project_members/:project_id', () => {
  it("adds members at no more than the caller's level", async () => {
    const source = await make.project({ owner, name: 'Source' })
    await make.member('projects', source.id, maintainer, 40)
    await make.member('projects', source.id, bob, 20)
    const target = await make.project({ owner, name: 'Target' })
    await make.member('projects', target.id, maintainer, 40)
    const import_ = `/projects/${target.id}/import_project_members`
    const { status, body } = await as(maintainer).post(`${import_}/${source.id}`)
    expect([status, body]).toEqual([201, { status: 'success', message: 'Successfully imported' }])
    const levels = (await as(owner).get(`/projects/${target.id}/members`)).body.map(
      (member: { id: number; access_level: number }) => [member.id, member.access_level],
    )
    expect(levels).toEqual([
      [owner.id, 50],
      [maintainer.id, 40],
      [bob.id, 20],
    ])
    expect((await as(maintainer).post(`${import_}/4711`)).body).toEqual({ message: '404 Project Not Found' })
    const hidden = await make.project({ owner: ada, name: 'Hidden' })
    expect((await as(maintainer).post(`${import_}/${hidden.id}`)).status).toBe(404)
    const open = await make.project({ owner: ada, name: 'Open', visibility: 'public' })
    expect((await as(maintainer).post(`${import_}/${open.id}`)).status).toBe(403)
    const itself = await as(maintainer).post(`${import_}/${target.id}`)
    expect([itself.status, itself.body]).toEqual([422, { message: 'Import failed' }])
    expect((await as(bob).post(`${import_}/${source.id}`)).status).toBe(403)
  })

  it('skips bots, and respects a group that locks its members', async () => {
    const source = await make.project({ owner: maintainer, name: 'With a bot' })
    await make.member('projects', source.id, bob, 20)
    const robot = { name: 'Robot', scopes: ['api'], access_level: 30 }
    const token = await as(maintainer).post(`/projects/${source.id}/access_tokens`, robot)
    expect(token.status).toBe(201)
    const target = await make.project({ owner: maintainer, name: 'Without' })
    await as(maintainer).post(`/projects/${target.id}/import_project_members/${source.id}`)
    const ids = (await as(maintainer).get(`/projects/${target.id}/members`)).body.map(
      (member: { id: number }) => member.id,
    )
    expect(ids).toEqual([maintainer.id, bob.id])
    const group = await make.group({ owner: maintainer })
    const locked = await make.project({ owner: maintainer, namespace_id: group.id })
    await as(maintainer).put(`/groups/${group.id}`, { membership_lock: true })
    const refused = await as(maintainer).post(`/projects/${locked.id}/import_project_members/${source.id}`)
    expect([refused.status, refused.body]).toEqual([422, { message: 'Import failed' }])
  })
})
