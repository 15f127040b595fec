import { beforeEach, describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const { as, root, make, ctx } = await world()
const owner = make.user({ username: 'owner' })
const guest = make.user({ username: 'guest' })
const asker = make.user({ username: 'asker' })
const stranger = make.user({ username: 'stranger' })

describe.each(['projects', 'groups'] as const)('requests for access to %s', (kind) => {
  let id = 0
  let at = ''
  beforeEach(async () => {
    const group = await make.group({ owner, visibility: 'public' })
    const project = await make.project({ owner, namespace_id: group.id, visibility: 'public' })
    id = kind === 'groups' ? group.id : project.id
    at = `/${kind}/${id}/access_requests`
    await make.member(kind, id, guest, 10)
  })

  it('are created, listed and approved', async () => {
    const received: string[] = []
    const stop = ctx().events.watch((name) => isOfSubscriber(name) || received.push(name))
    const made = await as(asker).post(at)
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({ id: asker.id, username: 'asker', requested_at: expect.any(String) }),
    ])
    const list = await as(owner).get(at)
    expect(list.body).toEqual([made.body])
    expect(list.headers.get('x-total')).toBe('1')
    const approved = await as(owner).put(`${at}/${asker.id}/approve`)
    expect([approved.status, approved.body.access_level]).toEqual([201, 30])
    expect((await as(owner).get(at)).body).toEqual([])
    stop()
    expect(received).toEqual(['member.access_requested', 'member.added'])
    const again = await as(owner).put(`${at}/${asker.id}/approve`)
    expect([again.status, again.body]).toEqual([404, { message: '404 Not found' }])
  })

  it('are approved with another level', async () => {
    await as(asker).post(at)
    const bad = await as(owner).put(`${at}/${asker.id}/approve`, { access_level: 15 })
    expect([bad.status, bad.body]).toEqual([
      400,
      { message: { access_level: ['is not included in the list'] } },
    ])
    const good = await as(owner).put(`${at}/${asker.id}/approve`, { access_level: 20 })
    expect(good.body.access_level).toBe(20)
  })

  it('are denied by managers, or withdrawn', async () => {
    await as(asker).post(at)
    expect((await as(stranger).delete(`${at}/${asker.id}`)).status).toBe(403)
    expect((await as(guest).delete(`${at}/${asker.id}`)).status).toBe(403)
    expect((await as(asker).delete(`${at}/${asker.id}`)).status).toBe(204)
    expect((await as(asker).delete(`${at}/${asker.id}`)).status).toBe(404)
    await as(asker).post(at)
    expect((await as(owner).delete(`${at}/${asker.id}`)).status).toBe(204)
    expect((await as(owner).get(at)).body).toEqual([])
  })

  it('return an error for a second request, for members, and when requests are disabled', async () => {
    await as(asker).post(at)
    const twice = await as(asker).post(at)
    expect([twice.status, twice.body]).toEqual([400, { message: { user_id: ['already exists in source'] } }])
    expect((await as(guest).post(at)).status).toBe(403)
    expect((await as(null).post(at)).status).toBe(401)
    await as(owner).put(`/${kind}/${id}`, { request_access_enabled: false })
    expect((await as(stranger).post(at)).status).toBe(403)
    expect((await as(stranger).post(`/${kind}/4711/access_requests`)).status).toBe(404)
  })

  it('are listed and decided by managers only', async () => {
    await as(asker).post(at)
    expect((await as(guest).get(at)).status).toBe(403)
    expect((await as(asker).get(at)).status).toBe(403)
    expect((await as(null).get(at)).status).toBe(401)
    expect((await as(asker).put(`${at}/${asker.id}/approve`)).status).toBe(403)
    expect((await as(root).get(at)).body).toHaveLength(1)
  })

  it('end when the user becomes a member in another way', async () => {
    await as(asker).post(at)
    await make.member(kind, id, asker, 10)
    expect((await as(owner).get(at)).body).toEqual([])
  })
})

describe('a request for access to a private group', () => {
  it('returns 404 to users who cannot see it', async () => {
    const project = await make.project({ owner })
    expect((await as(asker).post(`/projects/${project.id}/access_requests`)).status).toBe(404)
  })

  it('is allowed for users who see the group by a project below it', async () => {
    const group = await make.group({ owner })
    const project = await make.project({ owner, namespace_id: group.id })
    await make.member('projects', project.id, asker, 10)
    expect((await as(asker).post(`/groups/${group.id}/access_requests`)).status).toBe(201)
  })
})
