import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
let ada: TestUser
let bea: TestUser
beforeAll(async () => {
  w = await world()
  ada = w.make.user({ username: 'ada' })
  bea = w.make.user({ username: 'bea' })
})

describe('secondary email addresses', () => {
  it('are added, listed, returned and deleted', async () => {
    const own = w.as(ada)
    expect((await own.get('/user/emails')).body).toEqual([])
    const { status, body } = await own.post('/user/emails', { email: 'ada@two.test' })
    expect([status, body]).toEqual([201, { id: body.id, email: 'ada@two.test', confirmed_at: null }])
    expect((await own.get(`/user/emails/${body.id}`)).body).toEqual(body)
    expect((await own.get('/user/emails')).body).toEqual([body])
    expect((await w.as(w.root).get(`/users/${ada.id}/emails`)).body).toEqual([body])
    expect((await w.as(bea).get(`/user/emails/${body.id}`)).body).toEqual({ message: '404 Email Not Found' })
    expect((await w.as(bea).delete(`/user/emails/${body.id}`)).status).toBe(404)
    expect((await own.delete(`/user/emails/${body.id}`)).status).toBe(204)
    expect((await own.delete(`/user/emails/${body.id}`)).body).toEqual({ message: '404 Email Not Found' })
  })

  it('return 400 for invalid addresses and addresses in use', async () => {
    const taken = { status: 400, body: { message: { email: ['has already been taken'] } } }
    for (const email of ['bea@example.test', 'ADA@example.test'])
      expect(await w.as(ada).post('/user/emails', { email })).toMatchObject(taken)
    await w.as(bea).post('/user/emails', { email: 'bea@two.test' })
    expect(await w.as(ada).post('/user/emails', { email: 'Bea@two.test' })).toMatchObject(taken)
    expect((await w.as(ada).post('/user/emails', { email: 'nothing' })).body).toEqual({
      message: { email: ['is invalid'] },
    })
    expect((await w.as(ada).post('/user/emails', {})).body).toEqual({ error: 'email is missing' })
    expect((await w.as(null).get('/user/emails')).status).toBe(401)
  })

  it('of other users are visible to administrators only', async () => {
    expect((await w.as(ada).get(`/users/${ada.id}/emails`)).status).toBe(403)
    expect((await w.as(ada).post(`/users/${ada.id}/emails`, { email: 'x@y.test' })).status).toBe(403)
    const proved = await w
      .as(w.root)
      .post(`/users/${ada.id}/emails`, { email: 'ada@three.test', skip_confirmation: true })
    expect(proved.body.confirmed_at).not.toBeNull()
    expect((await w.as(w.root).post('/users/999999/emails', { email: 'x@y.test' })).body).toEqual({
      message: '404 User Not Found',
    })
    expect((await w.as(w.root).delete(`/users/${bea.id}/emails/${proved.body.id}`)).status).toBe(404)
    expect((await w.as(w.root).delete(`/users/${ada.id}/emails/${proved.body.id}`)).status).toBe(204)
  })

  it('are confirmed with a link from an administrator', async () => {
    const { body } = await w.as(ada).post('/user/emails', { email: 'ada@four.test' })
    const at = `/-/admin/users/${ada.id}/emails/${body.id}/confirmation`
    expect((await w.as(ada).post(at)).status).toBe(403)
    const link = await w.as(w.root).post(at)
    expect(link.status).toBe(201)
    expect((await w.as(null).post('/-/confirmation', { token: link.body.token })).status).toBe(204)
    expect((await w.as(ada).get(`/user/emails/${body.id}`)).body.confirmed_at).not.toBeNull()
    expect((await w.as(w.root).post(at)).status).toBe(409)
    expect((await w.as(w.root).post(`/-/admin/users/${ada.id}/emails/999999/confirmation`)).status).toBe(404)
  })

  it('reset the settings that used them when they are deleted', async () => {
    const email = 'bea@five.test'
    const { body } = await w.as(w.root).post(`/users/${bea.id}/emails`, { email, skip_confirmation: true })
    await w.as(bea).put('/-/profile', { public_email: email, commit_email: email })
    expect((await w.as(bea).get('/user')).body).toMatchObject({ public_email: email, commit_email: email })
    await w.as(bea).delete(`/user/emails/${body.id}`)
    expect((await w.as(bea).get('/user')).body).toMatchObject({
      public_email: '',
      commit_email: 'bea@example.test',
    })
  })
})

describe('the status', () => {
  const NONE = { emoji: null, message: null, availability: null, message_html: null, clear_status_at: null }

  it('has only null fields before it is set', async () => {
    expect((await w.as(ada).get('/user/status')).body).toEqual(NONE)
    expect((await w.as(null).get(`/users/${ada.id}/status`)).body).toEqual(NONE)
    expect((await w.as(null).get('/users/nobody/status')).body).toEqual({ message: '404 User Not Found' })
    expect((await w.as(null).get('/users/999999/status')).status).toBe(404)
    expect((await w.as(null).put('/user/status', { message: 'x' })).status).toBe(401)
  })

  it('is replaced by PUT and updated by PATCH', async () => {
    const own = w.as(ada)
    const set = await own.put('/user/status', { message: 'At <lunch>', availability: 'busy' })
    expect([set.status, set.body]).toEqual([
      200,
      {
        emoji: 'speech_balloon',
        message: 'At <lunch>',
        availability: 'busy',
        message_html: 'At &lt;lunch&gt;',
        clear_status_at: null,
      },
    ])
    const patched = await own.patch('/user/status', { emoji: 'coffee' })
    expect(patched.body).toMatchObject({ emoji: 'coffee', message: 'At <lunch>', availability: 'busy' })
    expect((await w.as(null).get('/users/ADA/status')).body).toEqual(patched.body)
    const replaced = await own.put('/user/status', { emoji: 'tea' })
    expect(replaced.body).toMatchObject({ emoji: 'tea', message: null, availability: 'not_set' })
    expect((await own.put('/user/status', {})).body).toEqual(NONE)
    expect((await own.get('/user/status')).body).toEqual(NONE)
  })

  it.each([
    [{ emoji: 'no emoji!' }, { message: { emoji: ['is not a valid emoji name'] } }],
    [{ message: 'x'.repeat(101) }, { message: { message: ['is too long (maximum is 100 characters)'] } }],
    [{ availability: 'away' }, { error: 'availability does not have a valid value' }],
    [{ clear_status_after: '2_days' }, { error: 'clear_status_after does not have a valid value' }],
  ])('is refused: %j', async (params, body) => {
    expect(await w.as(ada).put('/user/status', params)).toMatchObject({ status: 400, body })
    expect((await w.as(ada).get('/user/status')).body).toEqual(NONE)
  })

  it('accepts the longest message, and expires', async () => {
    const set = await w
      .as(ada)
      .put('/user/status', { message: '🦆'.repeat(100), clear_status_after: '30_minutes' })
    const minutes = (Date.parse(set.body.clear_status_at) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(28)
    expect(minutes).toBeLessThanOrEqual(30)
    w.ctx().db.exec("UPDATE user_statuses SET clear_at = '2020-01-01T00:00:00.000Z'")
    expect((await w.as(ada).get('/user/status')).body).toEqual(NONE)
  })
})

describe('preferences', () => {
  it('are returned and updated', async () => {
    expect((await w.as(ada).get('/user/preferences')).body).toEqual({
      id: ada.id,
      user_id: ada.id,
      view_diffs_file_by_file: false,
      show_whitespace_in_diffs: true,
      pass_user_identities_to_ci_jwt: false,
    })
    const changed = await w.as(ada).put('/user/preferences', { view_diffs_file_by_file: true })
    expect([
      changed.status,
      changed.body.view_diffs_file_by_file,
      changed.body.show_whitespace_in_diffs,
    ]).toEqual([200, true, true])
    expect((await w.as(ada).put('/user/preferences', {})).body).toEqual({
      error:
        'view_diffs_file_by_file, show_whitespace_in_diffs, pass_user_identities_to_ci_jwt are missing, at least one parameter must be provided',
    })
    expect((await w.as(null).get('/user/preferences')).status).toBe(401)
  })
})

describe('following', () => {
  it('is shown to both users', async () => {
    const answer = await w.as(ada).post(`/users/${bea.id}/follow`)
    expect([answer.status, answer.body.username]).toEqual([201, 'bea'])
    expect((await w.as(ada).post(`/users/${bea.id}/follow`)).status).toBe(304)
    expect((await w.as(ada).get(`/users/${bea.id}`)).body).toMatchObject({
      followers: 1,
      following: 0,
      is_followed: true,
    })
    expect((await w.as(w.root).get(`/users/${bea.id}`)).body.is_followed).toBe(false)
    expect((await w.as(ada).get('/user')).body.following).toBe(1)
    expect((await w.as(ada).get(`/users/${bea.id}/followers`)).body).toEqual([
      expect.objectContaining({ id: ada.id }),
    ])
    expect((await w.as(bea).get(`/users/${ada.id}/following`)).body).toEqual([
      expect.objectContaining({ id: bea.id }),
    ])
    expect((await w.as(ada).post(`/users/${bea.id}/unfollow`)).status).toBe(201)
    expect((await w.as(ada).post(`/users/${bea.id}/unfollow`)).status).toBe(304)
    expect((await w.as(ada).get(`/users/${bea.id}/followers`)).body).toEqual([])
  })

  it('returns an error for oneself, for unknown users and for anonymous callers', async () => {
    expect((await w.as(ada).post(`/users/${ada.id}/follow`)).status).toBe(400)
    expect((await w.as(ada).post('/users/999999/follow')).body).toEqual({ message: '404 User Not Found' })
    expect((await w.as(null).post(`/users/${ada.id}/follow`)).status).toBe(401)
    expect((await w.as(null).get(`/users/${ada.id}/followers`)).status).toBe(403)
  })

  it('is limited to 300 users', async () => {
    const [eager, last] = [w.make.user(), w.make.user()]
    const { db, now } = w.ctx()
    db.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
       INSERT INTO users (username, name, email, created_at, updated_at) SELECT 'c' || i, 'C', 'c' || i || '@x.test', ?, ? FROM n`,
      now,
      now,
    )
    db.exec("INSERT INTO user_follows SELECT ?, id, ? FROM users WHERE email LIKE '%@x.test'", eager.id, now)
    const answer = await w.as(eager).post(`/users/${last.id}/follow`)
    expect([answer.status, answer.body.message]).toEqual([
      400,
      expect.stringContaining('more than 300 users'),
    ])
  })

  it('is hidden for a private profile', async () => {
    const shy = w.make.user()
    await w.as(shy).put('/-/profile', { private_profile: true })
    expect((await w.as(ada).get(`/users/${shy.id}/followers`)).status).toBe(404)
    expect((await w.as(shy).get(`/users/${shy.id}/followers`)).status).toBe(200)
    expect((await w.as(w.root).get(`/users/${shy.id}/following`)).status).toBe(200)
    const seen = (await w.as(ada).get(`/users/${shy.id}`)).body
    for (const field of ['created_at', 'followers', 'following', 'is_followed'])
      expect(seen).not.toHaveProperty(field)
    expect((await w.as(shy).get(`/users/${shy.id}`)).body).toHaveProperty('created_at')
  })
})

describe('PUT /-/profile', () => {
  it('updates the fields that users may set', async () => {
    const answer = await w.as(ada).put('/-/profile', {
      name: 'Ada L.',
      bio: 'Mathematician',
      organization: 'Engine',
      timezone: 'Europe/Zurich',
    })
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({
        name: 'Ada L.',
        bio: 'Mathematician',
        work_information: 'Engine',
        timezone: 'Europe/Zurich',
        unconfirmed_email: null,
      }),
    ])
    expect((await w.as(bea).get(`/users/${ada.id}`)).body.local_time).toMatch(/^\d{1,2}:\d\d [AP]M$/)
    expect((await w.as(ada).put('/-/profile', { timezone: null })).body.local_time).toBeNull()
    expect((await w.as(ada).get('/-/profile')).body.timezone).toBeNull()
  })

  it('renames the namespace with the user', async () => {
    const user = w.make.user()
    expect((await w.as(user).put('/-/profile', { username: 'elsewhere' })).status).toBe(200)
    expect((await w.as(user).get('/namespaces/elsewhere')).status).toBe(200)
    expect((await w.as(user).put('/-/profile', { username: 'root' })).status).toBe(409)
  })

  it('requires confirmation of a new address, and respects the allowed domains', async () => {
    const waiting = await w.as(ada).put('/-/profile', { email: 'ada@new.test' })
    expect(waiting.body).toMatchObject({ email: 'ada@example.test', unconfirmed_email: 'ada@new.test' })
    await w
      .as(w.root)
      .put('/application/settings', { domain_denylist: ['*.bad'], domain_denylist_enabled: true })
    expect((await w.as(ada).put('/-/profile', { email: 'ada@very.bad' })).body).toEqual({
      message: { email: [expect.stringContaining('is not allowed for sign-up')] },
    })
    await w.as(w.root).put('/application/settings', {
      domain_denylist_enabled: false,
      email_restrictions_enabled: true,
      email_restrictions: 'new\\.test$',
    })
    expect((await w.as(ada).put('/-/profile', { email: 'ada2@new.test' })).status).toBe(400)
    await w.as(w.root).put('/application/settings', { email_restrictions_enabled: false })
  })

  it('ignores fields that only administrators may set', async () => {
    const before = (await w.as(w.root).get(`/users/${ada.id}`)).body
    await w.as(ada).put('/-/profile', { id: bea.id, admin: true, projects_limit: 1, note: 'x', bio: 'mine' })
    const after = (await w.as(w.root).get(`/users/${ada.id}`)).body
    for (const name of ['is_admin', 'projects_limit', 'note']) expect(after[name]).toEqual(before[name])
    expect(after.bio).toBe('mine')
    expect((await w.as(null).put('/-/profile', { bio: 'x' })).status).toBe(401)
    expect((await w.as(ada).put('/-/profile', { timezone: 'Moon/Base' })).body).toEqual({
      message: { timezone: ['is not a valid time zone'] },
    })
  })
})

describe('GET /avatar', () => {
  it('returns the picture of a public address', async () => {
    const query = '/avatar?email=bea%40example.test'
    expect((await w.as(null).get(query)).body).toEqual({ avatar_url: null })
    w.ctx().db.exec("UPDATE users SET avatar = 'b.png' WHERE id = ?", bea.id)
    expect((await w.as(null).get(query)).body).toEqual({ avatar_url: null })
    await w.as(bea).put('/-/profile', { public_email: 'bea@example.test' })
    expect((await w.as(null).get(query)).body).toEqual({
      avatar_url: `${w.url}/uploads/-/system/user/avatar/${bea.id}/b.png`,
    })
    expect((await w.as(null).get('/avatar')).body).toEqual({ error: 'email is missing' })
  })

  it('uses the avatar service of the settings, and returns 403 when profiles are not public', async () => {
    const settings = (body: object) => w.as(w.root).put('/application/settings', body)
    await settings({ gravatar_enabled: true })
    const { avatar_url } = (await w.as(null).get('/avatar?email=Who%40example.test&size=40')).body
    expect(avatar_url).toMatch(/^https:\/\/[^/]+\/avatar\/[0-9a-f]{32}\?s=40&d=identicon$/)
    await settings({ gravatar_enabled: false, restricted_visibility_levels: ['public'] })
    expect((await w.as(null).get('/avatar?email=x%40y.test')).status).toBe(403)
    expect((await w.as(ada).get('/avatar?email=x%40y.test')).status).toBe(200)
    await settings({ restricted_visibility_levels: [] })
  })
})

describe('PUT /user/:user_id/credit_card_validation', () => {
  it('returns 404 to everyone, because only the hosted service has it', async () => {
    for (const caller of [null, ada, w.root]) {
      const body = { credit_card_validated_at: '2023-01-01T00:00:00Z' }
      const { status, body: answer } = await w.as(caller).put(`/user/${bea.id}/credit_card_validation`, body)
      expect([status, answer]).toEqual([404, { error: '404 Not Found' }])
    }
  })
})
