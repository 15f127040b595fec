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
  it('has the creator as owner', async () => {
    const { body } = await as(maintainer).get(at)
    expect(
      body.map((one: { username: string; access_level: number }) => [one.username, one.access_level]),
    ).toEqual([
      ['owner', 50],
      ['maintainer', 40],
    ])
  })

  it('adds the members of the groups above under all', async () => {
    const inner = await make.group({ owner, parent_id: group.id })
    expect((await as(owner).get(`/groups/${inner.id}/members`)).body).toHaveLength(1)
    expect((await as(maintainer).get(`/groups/${inner.id}/members/all`)).body).toHaveLength(2)
    expect((await as(owner).get(`/groups/${inner.id}/members/all/${maintainer.id}`)).body.access_level).toBe(
      40,
    )
  })

  it('is not for who only sees that the group is there', async () => {
    const project = await make.project({ owner, namespace_id: group.id })
    await make.member('projects', project.id, other, 30)
    expect((await as(other).get(`/groups/${group.id}`)).status).toBe(200)
    expect((await as(other).get(at)).status).toBe(403)
  })
})

describe('POST /groups/:id/members', () => {
  it('is for owners', async () => {
    expect((await as(maintainer).post(at, { user_id: other.id, access_level: 10 })).status).toBe(403)
    expect((await as(owner).post(at, { user_id: other.id, access_level: 50 })).status).toBe(201)
  })

  it('takes minimal access, which reaches no project', async () => {
    const project = await make.project({ owner, namespace_id: group.id })
    expect((await as(owner).post(at, { user_id: other.id, access_level: 5 })).status).toBe(201)
    expect((await as(other).get(`/groups/${group.id}`)).status).toBe(200)
    expect((await as(other).get(`/projects/${project.id}`)).status).toBe(404)
    expect((await as(other).get(`/projects?membership=true&search=${project.name}`)).body).toEqual([])
  })

  it('gives a level on everything below at once', async () => {
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
  it('takes the memberships below along, unless they are to stay', async () => {
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
