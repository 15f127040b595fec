import { beforeEach, describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const { as, root, make } = await world()
const owner = make.user({ username: 'owner' })
const maintainer = make.user({ username: 'maintainer' })
const other = make.user({ username: 'other' })
let group: { id: number; name: string }
let at = ''

beforeEach(async () => {
  group = await make.group({ owner })
  at = `/groups/${group.id}/members`
  await make.member('groups', group.id, maintainer, 40)
})

describe('GET /groups/:id/members', () => {
  it('lists the creator as owner', async () => {
    const { body } = await as(maintainer).get(at)
    expect(
      body.map((member: { username: string; access_level: number }) => [
        member.username,
        member.access_level,
      ]),
    ).toEqual([
      ['owner', 50],
      ['maintainer', 40],
    ])
  })

  it('includes members of parent groups with /all', async () => {
    const inner = await make.group({ owner, parent_id: group.id })
    expect((await as(owner).get(`/groups/${inner.id}/members`)).body).toHaveLength(1)
    expect((await as(maintainer).get(`/groups/${inner.id}/members/all`)).body).toHaveLength(2)
    expect((await as(owner).get(`/groups/${inner.id}/members/all/${maintainer.id}`)).body.access_level).toBe(
      40,
    )
  })

  it('returns 403 to users who only see that the group exists', async () => {
    const project = await make.project({ owner, namespace_id: group.id })
    await make.member('projects', project.id, other, 30)
    expect((await as(other).get(`/groups/${group.id}`)).status).toBe(200)
    expect((await as(other).get(at)).status).toBe(403)
  })
})

describe('POST /groups/:id/members', () => {
  it('is allowed for owners only', async () => {
    expect((await as(maintainer).post(at, { user_id: other.id, access_level: 10 })).status).toBe(403)
    expect((await as(owner).post(at, { user_id: other.id, access_level: 50 })).status).toBe(201)
  })

  it('adds minimal access, which includes no project', async () => {
    const project = await make.project({ owner, namespace_id: group.id })
    expect((await as(owner).post(at, { user_id: other.id, access_level: 5 })).status).toBe(201)
    expect((await as(other).get(`/groups/${group.id}`)).status).toBe(200)
    expect((await as(other).get(`/projects/${project.id}`)).status).toBe(404)
    expect((await as(other).get(`/projects?membership=true&search=${project.name}`)).body).toEqual([])
  })

  it('gives the access level on everything below at once', async () => {
    const inner = await make.group({ owner, parent_id: group.id })
    const project = await make.project({ owner, namespace_id: inner.id })
    expect((await as(other).get(`/projects/${project.id}`)).status).toBe(404)
    await as(owner).post(at, { user_id: other.id, access_level: 20 })
    const { body } = await as(other).get(`/projects/${project.id}`)
    expect(body.permissions).toEqual({
      project_access: null,
      group_access: { access_level: 20, notification_level: 3 },
    })
    expect((await as(other).get(`/groups/${inner.id}`)).status).toBe(200)
  })
})

describe('the last owner of a group', () => {
  it('cannot be lowered or removed, nor leave', async () => {
    const path = `${at}/${owner.id}`
    expect((await as(owner).put(path, { access_level: 30 })).status).toBe(403)
    expect((await as(owner).delete(path)).status).toBe(403)
    expect((await as(root).delete(path)).status).toBe(403)
    await make.member('groups', group.id, other, 50)
    expect((await as(owner).delete(path)).status).toBe(204)
  })
})

describe('DELETE /groups/:id/members/:user_id', () => {
  it('removes the memberships below, unless they are kept on request', async () => {
    const project = await make.project({ owner, namespace_id: group.id })
    const inner = await make.group({ owner, parent_id: group.id })
    const isMember = async (path: string) =>
      (await as(owner).get(`${path}/members/${other.id}`)).status === 200
    for (const keeps of [true, false]) {
      await make.member('groups', group.id, other, 10)
      if (keeps) {
        await make.member('projects', project.id, other, 30)
        await make.member('groups', inner.id, other, 30)
      }
      const query = keeps ? '?skip_subresources=true' : ''
      expect((await as(owner).delete(`${at}/${other.id}${query}`)).status).toBe(204)
      expect(await isMember(`/projects/${project.id}`)).toBe(keeps)
      expect(await isMember(`/groups/${inner.id}`)).toBe(keeps)
    }
  })
})

describe('the membership lock of a group', () => {
  it('forbids new members of its projects, not of the group', async () => {
    const inner = await make.group({ owner, parent_id: group.id })
    const project = await make.project({ owner, namespace_id: inner.id })
    await make.member('projects', project.id, maintainer, 40)
    await as(owner).put(`/groups/${group.id}`, { membership_lock: true })
    for (const params of [
      { user_id: other.id, access_level: 20 },
      { user_id: `${other.id},${owner.id}`, access_level: 20 },
    ]) {
      const answer = await as(owner).post(`/projects/${project.id}/members`, params)
      expect([answer.status, answer.body]).toEqual([405, { message: '405 Method Not Allowed' }])
    }
    const invited = await as(owner).post(`/projects/${project.id}/invitations`, {
      email: 'a@b.test',
      access_level: 20,
    })
    expect(invited.status).toBe(405)
    expect(
      (await as(owner).put(`/projects/${project.id}/members/${maintainer.id}`, { access_level: 50 })).status,
    ).toBe(200)
    expect((await as(owner).post(at, { user_id: other.id, access_level: 20 })).status).toBe(201)
  })
})

describe('endpoints of groups only', () => {
  it('overrides a level of LDAP', async () => {
    const path = `${at}/${maintainer.id}/override`
    const set = await as(owner).post(path)
    expect([set.status, set.body.override]).toEqual([201, true])
    expect((await as(owner).get(`${at}/${maintainer.id}`)).body.override).toBe(true)
    const unset = await as(owner).delete(path)
    expect([unset.status, unset.body]).toEqual([200, expect.not.objectContaining({ override: true })])
    expect((await as(owner).post(`${at}/${other.id}/override`)).status).toBe(404)
    expect((await as(maintainer).post(path)).status).toBe(403)
  })

  it('lists the users of seats', async () => {
    const inner = await make.group({ owner, parent_id: group.id })
    const project = await make.project({ owner, namespace_id: inner.id })
    const club = await make.group({ owner: root })
    const minimal = make.user()
    await make.member('projects', project.id, other, 30)
    await make.member('groups', group.id, minimal, 5)
    await as(root).post(`/groups/${inner.id}/share`, { group_id: club.id, group_access: 20 })
    const list = await as(owner).get(`/groups/${group.id}/billable_members`)
    expect(list.status).toBe(200)
    expect(
      list.body.map((member: { username: string; membership_type: string; removable: boolean }) => [
        member.username,
        member.membership_type,
        member.removable,
      ]),
    ).toEqual([
      ['root', 'group_invite', false],
      ['maintainer', 'group_member', true],
      ['other', 'project_member', true],
      ['owner', 'group_member', true],
    ])
    expect(list.headers.get('x-total')).toBe('4')
    // Owners of a group do not see the private addresses of others.
    expect(list.body[1].email).toBeNull()
    const first = async (query: string, user = owner) =>
      (await as(user).get(`/groups/${group.id}/billable_members?${query}`)).body[0]
    expect((await first('sort=access_level_desc')).username).toBe('owner')
    expect((await first('sort=access_level_asc')).username).toBe('root')
    expect((await first('search=MAINT', root)).email).toBe('maintainer@example.test')
    expect((await as(owner).get(`/groups/${group.id}/billable_members?sort=x`)).status).toBe(400)
    const below = await as(owner).get(`/groups/${inner.id}/billable_members`)
    expect([below.status, below.body]).toEqual([400, { message: '400 Bad request' }])
    expect((await as(maintainer).get(`/groups/${group.id}/billable_members`)).status).toBe(403)
  })
})
