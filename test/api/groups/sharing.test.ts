import { beforeEach, describe, expect, it } from 'vitest'

import { mayReceive } from '../../../server/domains.ts'
import type { UserActor } from '../../../server/policy/actor.ts'
import { world, type TestUser } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const { as, root, make, ctx } = await world()
const ada = make.user({ username: 'ada' })
const bob = make.user({ username: 'bob' })
const guest = make.user({ username: 'guest' })
const stranger = make.user({ username: 'stranger' })

interface Group {
  id: number
  name: string
  full_path: string
}
let group: Group, invited: Group
beforeEach(async () => {
  group = await make.group({ owner: ada })
  invited = await make.group({ owner: bob, visibility: 'internal' })
  await make.member('groups', invited.id, guest, 30)
})

const share = (params: object, user: TestUser = ada) => as(user).post(`/groups/${group.id}/share`, params)
const names = (body: { name: string }[]) => body.map((group) => group.name)

describe('POST /groups/:id/share', () => {
  it('invites a group', async () => {
    const received: [string, unknown][] = []
    const stop = ctx().events.watch((name, event) => isOfSubscriber(name) || received.push([name, event]))
    const params = { group_id: invited.id, group_access: 20, expires_at: '2099-01-02' }
    const { status, body } = await share(params)
    stop()
    expect(status).toBe(201)
    const link = {
      group_id: invited.id,
      group_name: invited.name,
      group_full_path: invited.full_path,
      group_access_level: 20,
      expires_at: '2099-01-02',
    }
    expect(body.shared_with_groups).toEqual([link])
    expect((await as(ada).get(`/groups/${group.id}`)).body.shared_with_groups).toEqual([link])
    expect((await as(guest).get(`/groups/${group.id}`)).status).toBe(200)
    expect(received).toEqual([
      [
        'group.shared',
        {
          group_id: group.id,
          actor_id: ada.id,
          invited_group_id: invited.id,
          access_level: 20,
          expires_at: '2099-01-02',
        },
      ],
    ])
  })

  it('returns 409 for a second share, unless the first one has expired', async () => {
    await share({ group_id: invited.id, group_access: 20 })
    const twice = await share({ group_id: invited.id, group_access: 30 })
    expect([twice.status, twice.body]).toEqual([
      409,
      { message: 'The group has already been shared with this group' },
    ])
    ctx().db.exec("UPDATE group_group_links SET expires_at = '2020-01-01'")
    expect((await as(ada).get(`/groups/${group.id}`)).body.shared_with_groups).toEqual([])
    expect((await share({ group_id: invited.id, group_access: 30 })).status).toBe(201)
  })

  const refused: [string, object, number, object][] = [
    ['nothing', {}, 400, { error: 'group_id is missing, group_access is missing' }],
    ['an unknown group', { group_id: 4711, group_access: 20 }, 404, { message: '404 Group Not Found' }],
    [
      'a level that is none',
      { group_id: 1, group_access: 60 },
      400,
      { error: 'group_access does not have a valid value' },
    ],
    [
      'a bad day',
      { group_id: 1, group_access: 20, expires_at: 'soon' },
      400,
      { error: 'expires_at is invalid' },
    ],
  ]
  it.each(refused)('returns an error for %s', async (_name, params, status, body) => {
    const answer = await share(params)
    expect([answer.status, answer.body]).toEqual([status, body])
  })

  it('returns an error for itself, past days and invisible groups', async () => {
    const itself = await share({ group_id: group.id, group_access: 20 })
    expect([itself.status, itself.body]).toEqual([400, { message: 'A group cannot be shared with itself' }])
    const past = await share({ group_id: invited.id, group_access: 20, expires_at: '2020-01-01' })
    expect([past.status, past.body]).toEqual([
      400,
      { message: { expires_at: ['cannot be a date in the past'] } },
    ])
    const hidden = await make.group({ owner: bob })
    expect((await share({ group_id: hidden.id, group_access: 20 })).status).toBe(404)
  })

  it('is limited to the hierarchy, if the top-level group says so', async () => {
    await as(ada).put(`/groups/${group.id}`, { prevent_sharing_groups_outside_hierarchy: true })
    const outside = await share({ group_id: invited.id, group_access: 20 })
    expect([outside.status, outside.body]).toEqual([404, { message: '404 Not Found' }])
    const inside = await make.group({ owner: ada, parent_id: group.id })
    expect((await share({ group_id: inside.id, group_access: 20 })).status).toBe(201)
  })

  it('is allowed for owners only', async () => {
    await make.member('groups', group.id, stranger, 40)
    expect((await share({ group_id: invited.id, group_access: 20 }, stranger)).status).toBe(403)
    expect((await share({ group_id: invited.id, group_access: 20 }, bob)).status).toBe(404)
    await as(root).delete(`/groups/${group.id}/members/${stranger.id}`)
  })

  it('shows invited groups only to users who may see them', async () => {
    const hidden = await make.group({ owner: ada })
    await as(ada).put(`/groups/${group.id}`, { visibility: 'public' })
    await share({ group_id: hidden.id, group_access: 20 })
    expect((await as(ada).get(`/groups/${group.id}`)).body.shared_with_groups).toHaveLength(1)
    expect((await as(stranger).get(`/groups/${group.id}`)).body.shared_with_groups).toEqual([])
    expect((await as(null).get(`/groups/${group.id}`)).body.shared_with_groups).toEqual([])
  })
})

describe('DELETE /groups/:id/share/:group_id', () => {
  it('ends the share', async () => {
    await share({ group_id: invited.id, group_access: 20 })
    const at = `/groups/${group.id}/share/${invited.id}`
    expect((await as(guest).delete(at)).status).toBe(403)
    const received: string[] = []
    const stop = ctx().events.watch((name) => isOfSubscriber(name) || received.push(name))
    expect((await as(ada).delete(at)).status).toBe(204)
    stop()
    expect(received).toEqual(['group.unshared'])
    expect((await as(guest).get(`/groups/${group.id}`)).status).toBe(404)
    const again = await as(ada).delete(at)
    expect([again.status, again.body]).toEqual([404, { message: '404 Group Link Not Found' }])
    expect((await as(ada).delete(`/groups/${group.id}/share/x`)).body).toEqual({
      error: 'group_id is invalid',
    })
  })
})

describe('the lists of shares', () => {
  it('contain the invited and the inviting groups', async () => {
    const inner = await make.group({ owner: ada, parent_id: group.id })
    await share({ group_id: invited.id, group_access: 20 })
    const list = async (path: string, user: TestUser | null = ada) => names((await as(user).get(path)).body)
    expect(await list(`/groups/${group.id}/invited_groups`)).toEqual([invited.name])
    expect(await list(`/groups/${inner.id}/invited_groups`)).toEqual([invited.name])
    expect(await list(`/groups/${inner.id}/invited_groups?relation[]=direct`)).toEqual([])
    expect(await list(`/groups/${inner.id}/invited_groups?relation=inherited`)).toEqual([invited.name])
    expect(await list(`/groups/${group.id}/invited_groups?search=nothing`)).toEqual([])
    expect(await list(`/groups/${invited.id}/groups/shared`)).toEqual([group.name])
    expect(await list(`/groups/${invited.id}/groups/shared`, stranger)).toEqual([])
    expect(await list(`/groups/${invited.id}/groups/shared?visibility=public`)).toEqual([])
    expect(await list(`/groups/${invited.id}/groups/shared?skip_groups[]=${group.id}`)).toEqual([])
    expect(await list(`/groups/${invited.id}/groups/shared?min_access_level=40`)).toEqual([group.name])
    expect((await as(ada).get(`/groups/${group.id}/invited_groups?relation=x`)).body).toEqual({
      error: 'relation does not have a valid value',
    })
  })

  it('contain the projects shared with a group', async () => {
    const own = await make.project({ owner: bob, namespace_id: invited.id, name: 'Own' })
    const project = await make.project({ owner: ada, namespace_id: group.id, name: 'Lent' })
    const params = { group_id: invited.id, group_access: 20 }
    expect((await as(ada).post(`/projects/${project.id}/share`, params)).status).toBe(201)
    const at = `/groups/${invited.id}/projects`
    const list = async (path: string, user: TestUser = guest) => names((await as(user).get(path)).body)
    expect(await list(at)).toEqual(['Lent', 'Own'])
    expect(await list(`${at}?with_shared=false`)).toEqual(['Own'])
    expect(await list(`${at}?order_by=name&sort=asc&search=len`)).toEqual(['Lent'])
    expect(await list(`${at}?with_security_reports=true`)).toEqual([])
    expect(await list(`${at}/shared`)).toEqual(['Lent'])
    expect(await list(`${at}/shared?search=own`)).toEqual([])
    expect(await list(`${at}/shared`, stranger)).toEqual([])
    expect((await as(guest).get(`${at}/shared?order_by=similarity`)).status).toBe(400)
    const { body } = await as(guest).get(`/groups/${invited.id}`)
    expect([names(body.projects), names(body.shared_projects)]).toEqual([['Own'], ['Lent']])
    expect(body.projects[0].id).toBe(own.id)
  })

  it('include projects of subgroups, and projects shared with them', async () => {
    const inner = await make.group({ owner: bob, parent_id: invited.id, visibility: 'internal' })
    const project = await make.project({ owner: ada, namespace_id: group.id, name: 'Deep' })
    await as(ada).post(`/projects/${project.id}/share`, { group_id: inner.id, group_access: 20 })
    const at = `/groups/${invited.id}/projects`
    expect(names((await as(guest).get(at)).body)).toEqual([])
    expect(names((await as(guest).get(`${at}?include_subgroups=true`)).body)).toEqual(['Deep'])
  })
})

describe('the event stream of a user', () => {
  const actor = (user: TestUser): UserActor => ({
    kind: 'user',
    id: user.id,
    username: user.username,
    name: '',
    email: '',
    is_admin: false,
    external: false,
    scopes: null,
    via: 'session',
  })
  const receives = (user: TestUser, event: object) => mayReceive({ ...ctx(), actor: actor(user) }, event)

  it('receives events about visible groups, about the user and about their own actions', async () => {
    const inner = await make.group({ owner: ada, parent_id: group.id })
    const about = { group_id: group.id, user_id: guest.id, actor_id: ada.id }
    expect(receives(ada, { group_id: group.id })).toBe(true)
    expect(receives(stranger, about)).toBe(false)
    expect(receives(guest, about)).toBe(true)
    const unknown = { group_id: inner.id + 1000, parent_id: group.id, actor_id: root.id }
    expect([receives(ada, unknown), receives(stranger, unknown)]).toEqual([true, false])
    expect(receives(ada, { ...unknown, parent_id: null, actor_id: ada.id })).toBe(true)
    expect(receives(stranger, { ...unknown, parent_id: null })).toBe(false)
  })

  it('receives events about a group that is shared with the user’s group', async () => {
    expect(receives(guest, { group_id: group.id })).toBe(false)
    await share({ group_id: invited.id, group_access: 20 })
    expect(receives(guest, { group_id: group.id })).toBe(true)
  })
})
