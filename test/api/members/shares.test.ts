import { beforeEach, describe, expect, it } from 'vitest'

import { removeExpired } from '../../../server/domains/members/service.ts'
import { world, type TestUser } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const { as, make, ctx } = await world()
const owner = make.user({ username: 'owner' })
const ada = make.user({ username: 'ada' })
const low = make.user({ username: 'low' })
const stranger = make.user({ username: 'stranger' })

interface Named {
  id: number
  name: string
}
/** The groups `outer/inner/project`, and the invited group `guests/club`. */
let outer: Named, inner: Named, project: Named, guests: Named, club: Named

beforeEach(async () => {
  outer = await make.group({ owner })
  inner = await make.group({ owner, parent_id: outer.id })
  project = await make.project({ owner, namespace_id: inner.id })
  guests = await make.group({ owner })
  club = await make.group({ owner, parent_id: guests.id })
  await make.member('groups', club.id, ada, 40)
  await make.member('groups', guests.id, low, 10)
})

type Kind = 'project' | 'group'
const link = (kind: Kind, to: Named, group: Named, level: number, expires: string | null = null) => {
  const table = kind === 'project' ? 'project_group_links' : 'group_group_links'
  const column = kind === 'project' ? 'project_id' : 'shared_group_id'
  ctx().db.exec(
    `INSERT INTO ${table} (${column}, group_id, access_level, expires_at, created_at) VALUES (?, ?, ?, ?, ?)`,
    to.id,
    group.id,
    level,
    expires,
    ctx().now,
  )
}
const levelOf = async (user: TestUser, path = `/projects/${project.id}`) => {
  const { status, body } = await as(user).get(path)
  return status === 200 ? (body.permissions?.group_access?.access_level ?? 'seen') : status
}
/** Lists compute visibility in SQL for many rows, so they are checked separately. */
const isListed = async (user: TestUser, path: string) =>
  (await as(user).get(path)).body.some((share: { name: string }) =>
    [project.name, inner.name].includes(share.name),
  )
const all = async (path: string) => {
  const { body } = await as(owner).get(`${path}/members/all`)
  return Object.fromEntries(
    body.map((member: { username: string; access_level: number }) => [member.username, member.access_level]),
  )
}

describe.each([
  ['a project', () => link('project', project, club, 30)],
  ['its group', () => link('group', inner, club, 30)],
  ['a group above', () => link('group', outer, club, 30)],
] as const)('a group invited into %s', (_where, share) => {
  it('gives its members a level, at most the level of the share', async () => {
    expect(await levelOf(ada)).toBe(404)
    share()
    expect(await levelOf(ada)).toBe(30)
    expect(await levelOf(low)).toBe(10)
    expect(await levelOf(stranger)).toBe(404)
  })

  it('appears in lists', async () => {
    expect(await isListed(ada, '/projects?membership=true')).toBe(false)
    share()
    expect(await isListed(ada, '/projects?membership=true')).toBe(true)
    expect(await isListed(ada, '/projects')).toBe(true)
    expect(await isListed(ada, '/projects?min_access_level=30')).toBe(true)
    expect(await isListed(ada, '/projects?min_access_level=40')).toBe(false)
    expect(await isListed(low, '/projects?min_access_level=20')).toBe(false)
    expect(await isListed(stranger, '/projects')).toBe(false)
    const { body } = await as(ada).get('/projects?membership=true')
    const found = body.find((record: Named) => record.id === project.id)
    expect(found.permissions).toEqual({
      project_access: null,
      group_access: { access_level: 30, notification_level: 3 },
    })
  })

  it('appears once for each user among all members', async () => {
    share()
    await make.member('projects', project.id, low, 20)
    expect(await all(`/projects/${project.id}`)).toEqual({ owner: 50, ada: 30, low: 20 })
    expect((await as(owner).get(`/projects/${project.id}/members/all/${ada.id}`)).body.access_level).toBe(30)
    expect((await as(owner).get(`/projects/${project.id}/members/${ada.id}`)).status).toBe(404)
    const { body } = await as(owner).get(`/projects/${project.id}/users`)
    expect(body.map((user: { username: string }) => user.username)).toEqual(['owner', 'ada', 'low'])
  })

  it('lets its members see the parent groups', async () => {
    expect((await as(ada).get(`/groups/${outer.id}`)).status).toBe(404)
    share()
    expect((await as(ada).get(`/groups/${outer.id}`)).status).toBe(200)
    expect((await as(ada).get(`/groups/${inner.id}`)).status).toBe(200)
    expect((await as(stranger).get(`/groups/${outer.id}`)).status).toBe(404)
    const { body } = await as(ada).get('/groups?order_by=id&sort=desc')
    expect(body.map((group: Named) => group.id)).toEqual(expect.arrayContaining([outer.id, inner.id]))
  })
})

describe('a group invited into a group', () => {
  it('gives access to it and below it, and none above', async () => {
    link('group', inner, club, 50)
    expect((await as(ada).get(`/groups/${inner.id}/members`)).status).toBe(200)
    expect((await as(ada).get(`/groups/${outer.id}/members`)).status).toBe(403)
    expect(await all(`/groups/${inner.id}`)).toEqual({ owner: 50, ada: 40, low: 10 })
    expect(await all(`/groups/${outer.id}`)).toEqual({ owner: 50 })
  })

  it('does not pass on its own shares', async () => {
    const third = await make.group({ owner })
    await make.member('groups', third.id, stranger, 50)
    link('group', club, third, 50)
    link('group', inner, club, 30)
    expect(await levelOf(stranger)).toBe(404)
    expect(await all(`/projects/${project.id}`)).not.toHaveProperty('stranger')
  })

  it('counts with the highest level of several shares', async () => {
    link('group', inner, club, 20)
    link('group', outer, club, 30)
    link('project', project, club, 10)
    expect(await levelOf(ada)).toBe(30)
    expect((await all(`/projects/${project.id}`))['ada']).toBe(30)
  })
})

describe('a share', () => {
  it('ends on its day and is deleted by the nightly job', async () => {
    link('group', inner, club, 30, '2020-01-01')
    link('project', project, club, 30, '2020-01-01')
    expect(await levelOf(ada)).toBe(404)
    expect(await isListed(ada, '/projects')).toBe(false)
    expect(await all(`/projects/${project.id}`)).toEqual({ owner: 50 })
    const received: unknown[] = []
    const stop = ctx().events.watch((name, payload) => isOfSubscriber(name) || received.push([name, payload]))
    removeExpired(ctx())
    stop()
    expect(received).toEqual([['share.expired', { group_id: inner.id, invited_group_id: club.id }]])
    expect(ctx().db.many('SELECT 1 FROM group_group_links WHERE shared_group_id = ?', inner.id)).toEqual([])
  })

  it('of a project has no effect while its group locks sharing', async () => {
    link('project', project, club, 30)
    ctx().db.exec('UPDATE namespaces SET share_with_group_lock = 1 WHERE id = ?', inner.id)
    expect(await levelOf(ada)).toBe(404)
    expect(await isListed(ada, '/projects')).toBe(false)
    expect(await all(`/projects/${project.id}`)).toEqual({ owner: 50 })
    expect((await as(ada).get(`/groups/${inner.id}`)).status).toBe(404)
  })

  it('lets developers push and maintainers manage', async () => {
    link('project', project, club, 40)
    const added = await as(ada).post(`/projects/${project.id}/members`, {
      user_id: stranger.id,
      access_level: 40,
    })
    expect(added.status).toBe(201)
    const above = await as(ada).post(`/projects/${project.id}/members`, { user_id: low.id, access_level: 50 })
    expect(above.status).toBe(403)
  })

  it('of a minimal member includes the group, and no project', async () => {
    await make.member('groups', club.id, stranger, 5)
    link('group', inner, club, 30)
    expect((await as(stranger).get(`/groups/${inner.id}`)).status).toBe(200)
    expect(await levelOf(stranger)).toBe(404)
    expect(await isListed(stranger, '/projects')).toBe(false)
    expect(await all(`/projects/${project.id}`)).not.toHaveProperty('stranger')
  })
})
