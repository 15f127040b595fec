import { beforeEach, describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const { as, root, make, ctx, drain } = await world()
const owner = make.user({ username: 'owner' })
const maintainer = make.user({ username: 'maintainer' })
const guest = make.user({ username: 'guest' })
const other = make.user({ username: 'other' })
const stranger = make.user({ username: 'stranger' })
const group = await make.group({ owner, visibility: 'public' })
let at = ''
let id = 0

beforeEach(async () => {
  const project = await make.project({ owner, namespace_id: group.id, visibility: 'internal' })
  id = project.id
  at = `/projects/${id}/members`
  await make.member('projects', id, maintainer, 40)
  await make.member('projects', id, guest, 10)
})

const names = (body: { username: string }[]) => body.map((member) => member.username)

describe('GET /projects/:id/members', () => {
  it('lists direct members in the order they were added', async () => {
    const { status, body, headers } = await as(guest).get(at)
    expect(status).toBe(200)
    expect(names(body)).toEqual(['maintainer', 'guest'])
    expect(body[0]).toMatchObject({
      access_level: 40,
      expires_at: null,
      membership_state: 'active',
      created_by: { username: 'root' },
    })
    expect(headers.get('x-total')).toBe('2')
  })

  it('filters by text and by users', async () => {
    expect(names((await as(guest).get(`${at}?query=MAIN`)).body)).toEqual(['maintainer'])
    // A private address does not match.
    expect((await as(guest).get(`${at}?query=guest@example.test`)).body).toEqual([])
    expect((await as(guest).get(`${at}?query=_`)).body).toEqual([])
    expect(names((await as(guest).get(`${at}?user_ids[]=${guest.id}&user_ids[]=999`)).body)).toEqual([
      'guest',
    ])
    expect(names((await as(guest).get(`${at}?skip_users=${guest.id}`)).body)).toEqual(['maintainer'])
  })

  it('returns pages', async () => {
    const { body, headers } = await as(guest).get(`${at}?per_page=1&page=2`)
    expect(names(body)).toEqual(['guest'])
    expect(headers.get('x-total-pages')).toBe('2')
  })

  it('is visible to signed-in users who see the project', async () => {
    expect((await as(stranger).get(at)).status).toBe(200)
    expect((await as(null).get(at)).status).toBe(404)
    await as(owner).put(`/projects/${id}`, { visibility: 'public' })
    expect((await as(null).get(at)).status).toBe(401)
  })

  it('leaves out expired members', async () => {
    ctx().db.exec(
      'UPDATE members SET expires_at = ? WHERE project_id = ? AND user_id = ?',
      '2020-01-01',
      id,
      guest.id,
    )
    expect(names((await as(owner).get(at)).body)).toEqual(['maintainer'])
    expect((await as(guest).get(`${at}/${guest.id}`)).status).toBe(404)
    expect((await as(owner).post(at, { user_id: guest.id, access_level: 20 })).status).toBe(201)
  })
})

describe('GET /projects/:id/members/all', () => {
  it('includes inherited members, each once with the highest level', async () => {
    await make.member('groups', group.id, other, 20)
    await make.member('projects', id, other, 30)
    const { body } = await as(guest).get(`${at}/all`)
    const levels = Object.fromEntries(
      body.map((member: { username: string; access_level: number }) => [
        member.username,
        member.access_level,
      ]),
    )
    expect(levels).toEqual({ owner: 50, maintainer: 40, guest: 10, other: 30 })
    expect((await as(guest).get(`${at}/all?query=other`)).headers.get('x-total')).toBe('1')
    await as(root).delete(`/groups/${group.id}/members/${other.id}`)
  })
})

describe('the seats of members', () => {
  it('are shown on request', async () => {
    const seats = async (query: string) =>
      (await as(owner).get(`${at}${query}`)).body.map(
        (member: { is_using_seat?: boolean }) => member.is_using_seat,
      )
    expect(await seats('')).toEqual([undefined, undefined])
    expect(await seats('?show_seat_info=true')).toEqual([true, true])
    ctx().db.exec("UPDATE users SET state = 'blocked' WHERE id = ?", guest.id)
    expect(await seats('?show_seat_info=true')).toEqual([true, false])
    ctx().db.exec("UPDATE users SET state = 'active' WHERE id = ?", guest.id)
    expect(await seats('/all?show_seat_info=1&state=active')).toEqual([true, true, true])
    expect(await seats('/all?state=awaiting')).toEqual([])
    expect((await as(owner).get(`${at}/all?state=x`)).body).toEqual({
      error: 'state does not have a valid value',
    })
  })
})

describe('GET /projects/:id/members/:user_id', () => {
  it('returns a direct member, and an inherited one only with /all', async () => {
    expect((await as(guest).get(`${at}/${maintainer.id}`)).body.access_level).toBe(40)
    const direct = await as(guest).get(`${at}/${owner.id}`)
    expect([direct.status, direct.body]).toEqual([404, { message: '404 Not found' }])
    expect((await as(guest).get(`${at}/all/${owner.id}`)).body).toMatchObject({
      id: owner.id,
      access_level: 50,
    })
    expect((await as(guest).get(`${at}/abc`)).body).toEqual({ error: 'user_id is invalid' })
  })
})

describe('POST /projects/:id/members', () => {
  it('adds by ID and by user name, and publishes an event', async () => {
    const { status, body } = await as(maintainer).post(at, {
      user_id: other.id,
      access_level: 30,
      expires_at: '2099-05-01',
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      username: 'other',
      access_level: 30,
      expires_at: '2099-05-01',
      created_by: { username: 'maintainer' },
    })
    const named = await as(maintainer).post(at, { username: 'STRANGER', access_level: '10' })
    expect(named.body).toMatchObject({ id: stranger.id, access_level: 10 })
  })

  it('adds several users and returns the errors', async () => {
    const fine = await as(owner).post(at, { user_id: `${other.id},${stranger.id}`, access_level: 20 })
    expect([fine.status, fine.body]).toEqual([201, { status: 'success' }])
    const mixed = await as(owner).post(at, { user_id: `${other.id},4711`, access_level: 20 })
    expect([mixed.status, mixed.body]).toEqual([
      201,
      { status: 'error', message: { other: 'Member already exists', 4711: 'User not found' } },
    ])
  })

  const refused: [string, object, number, object][] = [
    ['a member', { user_id: 'guest', access_level: 20 }, 409, { message: 'Member already exists' }],
    ['an unknown user', { user_id: 4711, access_level: 20 }, 404, { message: '404 User Not Found' }],
    ['an unknown name', { username: 'nobody', access_level: 20 }, 404, { message: '404 User Not Found' }],
    [
      'a level that is none',
      { user_id: 'other', access_level: 15 },
      400,
      { message: { access_level: ['is not included in the list'] } },
    ],
    [
      'minimal access',
      { user_id: 'other', access_level: 5 },
      400,
      { message: { access_level: ['is not included in the list'] } },
    ],
    [
      'a past day',
      { user_id: 'other', access_level: 20, expires_at: '2001-01-01' },
      400,
      { message: { expires_at: ['cannot be a date in the past'] } },
    ],
    ['a level above the own', { user_id: 'other', access_level: 50 }, 403, { message: '403 Forbidden' }],
    ['no level', { user_id: 'other' }, 400, { error: 'access_level is missing' }],
    [
      'nobody',
      { access_level: 20 },
      400,
      { error: 'user_id, username are missing, exactly one parameter must be provided' },
    ],
    [
      'two ways to name one',
      { user_id: 1, username: 'a', access_level: 20 },
      400,
      { error: 'user_id, username are mutually exclusive' },
    ],
    ['an id that is none', { user_id: '1;2', access_level: 20 }, 400, { error: 'user_id is invalid' }],
    ['a hash for an id', { user_id: { $gt: 0 }, access_level: 20 }, 400, { error: 'user_id is invalid' }],
  ]
  it.each(refused)('returns an error for %s', async (_name, body, status, answer) => {
    const ids: Record<string, number> = { guest: guest.id, other: other.id }
    const params = { ...body } as { user_id?: unknown }
    if (typeof params.user_id === 'string' && params.user_id in ids) params.user_id = ids[params.user_id]
    const result = await as(maintainer).post(at, params)
    expect([result.status, result.body]).toEqual([status, answer])
  })

  it('returns 400 for a level below the inherited one', async () => {
    const { status, body } = await as(owner).post(at, { user_id: owner.id, access_level: 30 })
    expect([status, body]).toEqual([
      400,
      {
        message: {
          access_level: [
            `should be greater than or equal to Owner inherited membership from group ${group.name}`,
          ],
        },
      },
    ])
  })

  it('is allowed for maintainers only', async () => {
    expect((await as(guest).post(at, { user_id: other.id, access_level: 10 })).status).toBe(403)
    expect((await as(stranger).post(at, { user_id: other.id, access_level: 10 })).status).toBe(403)
    expect((await as(null).post(at, { user_id: other.id, access_level: 10 })).status).toBe(401)
  })
})

describe('PUT /projects/:id/members/:user_id', () => {
  it('changes the level and expiry, and clears the expiry', async () => {
    const path = `${at}/${guest.id}`
    const raised = await as(maintainer).put(path, { access_level: 30, expires_at: '2099-01-01' })
    expect(raised.body).toMatchObject({ access_level: 30, expires_at: '2099-01-01' })
    expect((await as(maintainer).put(path, { access_level: 20 })).body.expires_at).toBe('2099-01-01')
    expect((await as(maintainer).put(path, { access_level: 20, expires_at: '' })).body.expires_at).toBeNull()
  })

  it('returns 403 above the caller’s own level', async () => {
    await as(root).post(at, { user_id: other.id, access_level: 50 })
    expect((await as(maintainer).put(`${at}/${guest.id}`, { access_level: 50 })).status).toBe(403)
    expect((await as(maintainer).put(`${at}/${other.id}`, { access_level: 30 })).status).toBe(403)
    expect((await as(owner).put(`${at}/${other.id}`, { access_level: 30 })).status).toBe(200)
  })

  it('returns 404 for a user who is not a member', async () => {
    expect((await as(owner).put(`${at}/${stranger.id}`, { access_level: 30 })).body).toEqual({
      message: '404 Not found',
    })
  })
})

describe('DELETE /projects/:id/members/:user_id', () => {
  it('removes a member, who then cannot see the private project', async () => {
    await as(owner).put(`/projects/${id}`, { visibility: 'private' })
    expect((await as(guest).get(`/projects/${id}`)).status).toBe(200)
    expect((await as(maintainer).delete(`${at}/${guest.id}`)).status).toBe(204)
    expect((await as(guest).get(`/projects/${id}`)).status).toBe(404)
    expect((await as(maintainer).delete(`${at}/${guest.id}`)).body).toEqual({ message: '404 Not found' })
  })

  it('lets a member leave, but not remove others', async () => {
    expect((await as(guest).delete(`${at}/${maintainer.id}`)).status).toBe(403)
    expect((await as(guest).delete(`${at}/${guest.id}`)).status).toBe(204)
  })

  it('keeps the owner of a personal namespace', async () => {
    const own = await make.project({ owner })
    await make.member('projects', own.id, other, 50)
    expect((await as(other).delete(`/projects/${own.id}/members/${owner.id}`)).status).toBe(403)
    expect(
      (await as(other).put(`/projects/${own.id}/members/${owner.id}`, { access_level: 10 })).status,
    ).toBe(403)
  })

  it('returns 412 when the member changed after If-Unmodified-Since', async () => {
    const headers = { 'if-unmodified-since': 'Tue, 01 Jan 2019 00:00:00 GMT' }
    expect((await as(owner).delete(`${at}/${guest.id}`, undefined, headers)).status).toBe(412)
  })
})

describe('the nightly cleanup', () => {
  it('deletes expired memberships and publishes events', async () => {
    const { removeExpired } = await import('../../../server/domains/members/service.ts')
    ctx().db.exec(
      'UPDATE members SET expires_at = ? WHERE project_id = ? AND user_id = ?',
      '2020-01-01',
      id,
      guest.id,
    )
    const received: [string, unknown][] = []
    const stop = ctx().events.watch((name, payload) => isOfSubscriber(name) || received.push([name, payload]))
    removeExpired(ctx())
    stop()
    expect(received).toEqual([
      ['member.removed', expect.objectContaining({ project_id: id, user_id: guest.id, cause: 'expired' })],
    ])
    expect(
      ctx().db.one('SELECT 1 FROM members WHERE project_id = ? AND user_id = ?', id, guest.id),
    ).toBeUndefined()
    await drain()
    const [event] = (await as(owner).get(`/projects/${id}/events?action=expired`)).body
    expect(event).toMatchObject({
      action_name: 'removed due to membership expiration from',
      author_username: 'guest',
    })
  })

  it('names the cause of a removal in the event', async () => {
    const causes: unknown[] = []
    const stop = ctx().events.watch(
      (name, payload) => name === 'member.removed' && causes.push((payload as { cause?: string }).cause),
    )
    await as(guest).delete(`${at}/${guest.id}`)
    await as(owner).delete(`${at}/${maintainer.id}?unassign_issuables=true`)
    stop()
    expect(causes).toEqual(['left', 'removed'])
  })
})
