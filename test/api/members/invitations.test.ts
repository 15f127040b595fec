import { beforeEach, describe, expect, it } from 'vitest'

import { acceptInvitations } from '../../../server/domains/members/service-invitations.ts'
import { removeExpired } from '../../../server/domains/members/service.ts'
import { UserUpdated } from '../../../server/domains/users/events.ts'
import { publish } from '../../../server/events/publish.ts'
import { world } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const { as, root, make, ctx, drain } = await world()
const owner = make.user({ username: 'owner' })
const maintainer = make.user({ username: 'maintainer' })
const guest = make.user({ username: 'guest' })
const other = make.user({ username: 'other' })
const stranger = make.user({ username: 'stranger' })

describe.each(['projects', 'groups'] as const)('invitations to %s', (kind) => {
  let id = 0
  let at = ''
  let members = ''
  beforeEach(async () => {
    const group = await make.group({ owner })
    id = kind === 'groups' ? group.id : (await make.project({ owner, namespace_id: group.id })).id
    at = `/${kind}/${id}/invitations`
    members = `/${kind}/${id}/members`
    await make.member(kind, id, guest, 10)
  })

  it('are listed until they are accepted', async () => {
    const { status, body } = await as(owner).post(at, {
      email: 'new@example.test, more@example.test',
      access_level: 30,
      expires_at: '2099-01-02',
    })
    expect([status, body]).toEqual([201, { status: 'success' }])
    const list = await as(owner).get(at)
    expect(list.body).toEqual([
      {
        access_level: 30,
        created_at: expect.any(String),
        expires_at: '2099-01-02',
        invite_email: 'new@example.test',
        invite_token: expect.stringMatching(/^.{20}$/),
        user_name: null,
        created_by_name: 'OWNER',
      },
      expect.objectContaining({ invite_email: 'more@example.test' }),
    ])
    expect(list.headers.get('x-total')).toBe('2')
    expect((await as(owner).get(`${at}?query=NEW@example.test`)).body).toHaveLength(1)
    expect((await as(owner).get(`${at}?query=new`)).body).toEqual([])
  })

  it('add users with an account at once', async () => {
    const params = { email: 'other@example.test', user_id: String(stranger.id), access_level: 20 }
    expect((await as(owner).post(at, params)).body).toEqual({ status: 'success' })
    expect((await as(owner).get(`${members}/${other.id}`)).body.access_level).toBe(20)
    expect((await as(owner).get(`${members}/${stranger.id}`)).body.access_level).toBe(20)
    expect((await as(owner).get(at)).body).toEqual([])
  })

  it('are accepted when an account with the address is created', async () => {
    const name = `late${kind}`
    await as(owner).post(at, { email: `${name}@example.test`, access_level: 30, expires_at: '2099-01-02' })
    const late = make.user({ username: name })
    await drain()
    expect((await as(owner).get(`${members}/${late.id}`)).body).toMatchObject({
      access_level: 30,
      expires_at: '2099-01-02',
      created_by: { username: 'owner' },
    })
    expect((await as(owner).get(at)).body).toEqual([])
    expect((await as(late).get(`/${kind}/${id}`)).status).toBe(200)
  })

  it('wait for the address to be confirmed', async () => {
    const unsure = make.user()
    ctx().db.exec('UPDATE users SET confirmed_at = NULL WHERE id = ?', unsure.id)
    await as(owner).post(at, { email: `${unsure.username}@example.test`, access_level: 30 })
    expect((await as(owner).get(`${members}/${unsure.id}`)).status).toBe(404)
    ctx().db.exec('UPDATE users SET confirmed_at = ? WHERE id = ?', ctx().now, unsure.id)
    publish(ctx(), UserUpdated, { user_id: unsure.id, changed: ['confirmed_at'], actor_id: null })
    await drain()
    expect((await as(owner).get(`${members}/${unsure.id}`)).body.access_level).toBe(30)
  })

  it('do not lower the level of a user who became a member meanwhile', async () => {
    const both = make.user()
    ctx().db.exec('UPDATE users SET confirmed_at = NULL WHERE id = ?', both.id)
    await as(owner).post(at, { email: `${both.username}@example.test`, access_level: 10 })
    await make.member(kind, id, both, 40)
    ctx().db.exec('UPDATE users SET confirmed_at = ? WHERE id = ?', ctx().now, both.id)
    acceptInvitations(ctx(), both.id)
    expect((await as(owner).get(`${members}/${both.id}`)).body.access_level).toBe(40)
    expect((await as(owner).get(at)).body).toEqual([])
  })

  it('return an error for each refused address', async () => {
    await as(owner).post(at, { email: 'twice@example.test', access_level: 10 })
    const params = {
      email: 'twice@example.test,nonsense,guest@example.test',
      user_id: '4711',
      access_level: 20,
    }
    const { status, body } = await as(owner).post(at, params)
    expect([status, body]).toEqual([
      201,
      {
        status: 'error',
        message: {
          'twice@example.test': 'Invite email has already been taken',
          nonsense: 'Invite email is invalid',
          'guest@example.test': 'User already exists in source',
          4711: 'User not found',
        },
      },
    ])
    const past = await as(owner).post(at, {
      email: 'past@example.test',
      access_level: 20,
      expires_at: '2020-01-01',
    })
    expect(past.body.message).toEqual({ 'past@example.test': 'Expires at cannot be a date in the past' })
  })

  const refused: [string, object, number, object][] = [
    [
      'nobody',
      { access_level: 20 },
      400,
      { error: 'email, user_id are missing, at least one parameter must be provided' },
    ],
    ['no level', { email: 'a@b.test' }, 400, { error: 'access_level is missing' }],
    [
      'a bad level',
      { email: 'a@b.test', access_level: 15 },
      400,
      { error: 'access_level does not have a valid value' },
    ],
    ['bad ids', { user_id: 'x', access_level: 20 }, 400, { error: 'user_id is invalid' }],
    [
      'a bad day',
      { email: 'a@b.test', access_level: 20, expires_at: 'x' },
      400,
      { error: 'expires_at is invalid' },
    ],
    [
      'too many',
      { email: Array.from({ length: 101 }, (_, at) => `u${at}@b.test`).join(), access_level: 20 },
      400,
      { message: 'Too many users specified (limit is 100)' },
    ],
  ]
  it.each(refused)('return an error for %s', async (_name, params, status, body) => {
    const answer = await as(owner).post(at, params)
    expect([answer.status, answer.body]).toEqual([status, body])
  })

  it('can be updated and withdrawn', async () => {
    await as(owner).post(at, { email: 'who@example.test', access_level: 10 })
    const path = `${at}/who%40example.test`
    const { status, body } = await as(owner).put(path, { access_level: 30, expires_at: '2099-01-02' })
    expect([status, body.access_level, body.expires_at]).toEqual([200, 30, '2099-01-02'])
    expect((await as(owner).put(path, { expires_at: null })).body).toMatchObject({
      access_level: 30,
      expires_at: null,
    })
    expect((await as(owner).put(path, {})).body).toEqual({
      error: 'access_level, expires_at are missing, at least one parameter must be provided',
    })
    expect((await as(owner).put(path, { expires_at: '2020-01-01' })).body).toEqual({
      message: { expires_at: ['cannot be a date in the past'] },
    })
    const missing = await as(owner).put(`${at}/none%40example.test`, { access_level: 10 })
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Not found' }])
    expect((await as(owner).delete(path)).status).toBe(204)
    expect((await as(owner).delete(path)).status).toBe(404)
    expect((await as(owner).get(at)).body).toEqual([])
  })

  it('are allowed for managers only', async () => {
    const params = { email: 'a@b.test', access_level: 10 }
    expect((await as(guest).get(at)).status).toBe(403)
    expect((await as(guest).post(at, params)).status).toBe(403)
    expect((await as(guest).delete(`${at}/x`)).status).toBe(403)
    expect((await as(stranger).get(at)).status).toBe(404)
    expect((await as(null).post(at, params)).status).toBe(401)
  })

  it('are deleted when they have expired', async () => {
    await as(owner).post(at, { email: 'over@example.test', access_level: 10, expires_at: '2099-01-02' })
    ctx().db.exec("UPDATE invitations SET expires_at = '2020-01-01'")
    expect((await as(owner).get(at)).body).toEqual([])
    removeExpired(ctx())
    expect(ctx().db.many('SELECT 1 FROM invitations')).toEqual([])
  })

  it('publish events', async () => {
    const received: string[] = []
    const stop = ctx().events.watch((name) => isOfSubscriber(name) || received.push(name))
    await as(owner).post(at, { email: 'invited@example.test', access_level: 10 })
    await as(owner).delete(`${at}/invited%40example.test`)
    stop()
    expect(received).toEqual(['member.invited', 'member.invitation_withdrawn'])
  })
})

describe('a maintainer of a project', () => {
  it('cannot create, update or withdraw invitations above their own level', async () => {
    const project = await make.project({ owner })
    await make.member('projects', project.id, maintainer, 40)
    const at = `/projects/${project.id}/invitations`
    expect((await as(maintainer).post(at, { email: 'a@b.test', access_level: 50 })).status).toBe(403)
    await as(owner).post(at, { email: 'a@b.test', access_level: 50 })
    expect((await as(maintainer).put(`${at}/a%40b.test`, { access_level: 10 })).status).toBe(403)
    expect((await as(maintainer).delete(`${at}/a%40b.test`)).status).toBe(403)
    const minimal = await as(owner).post(at, { email: 'b@b.test', access_level: 5 })
    expect(minimal.body.message).toEqual({ 'b@b.test': 'Access level is not included in the list' })
  })
})

describe('a secondary address', () => {
  it('accepts its invitations when it is confirmed', async () => {
    const group = await make.group({ owner })
    await as(owner).post(`/groups/${group.id}/invitations`, { email: 'second@else.test', access_level: 20 })
    const added = await as(root).post(`/users/${stranger.id}/emails`, {
      email: 'second@else.test',
      skip_confirmation: true,
    })
    expect(added.status).toBe(201)
    await drain()
    expect((await as(owner).get(`/groups/${group.id}/members/${stranger.id}`)).body.access_level).toBe(20)
  })

  it('accepts its invitations when the account is approved', async () => {
    const group = await make.group({ owner })
    const waiting = make.user()
    ctx().db.exec(
      "UPDATE users SET state = 'blocked_pending_approval', confirmed_at = NULL WHERE id = ?",
      waiting.id,
    )
    await as(owner).post(`/groups/${group.id}/invitations`, {
      email: `${waiting.username}@example.test`,
      access_level: 20,
    })
    ctx().db.exec('UPDATE users SET confirmed_at = ? WHERE id = ?', ctx().now, waiting.id)
    acceptInvitations(ctx(), waiting.id)
    const member = `/groups/${group.id}/members/${waiting.id}`
    expect((await as(owner).get(member)).status).toBe(404)
    expect((await as(root).post(`/users/${waiting.id}/approve`)).status).toBe(201)
    await drain()
    expect((await as(owner).get(member)).body.access_level).toBe(20)
  })
})
