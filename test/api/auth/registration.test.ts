import { beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { world, type World } from '../../support/world.ts'

let w: World
let count = 0
beforeAll(async () => {
  w = await world()
})
const person = (more: object = {}) => ({
  name: 'New',
  username: `new${++count}`,
  email: `new${count}@example.test`,
  password: 'long enough',
  ...more,
})
const settings = (changes: object) => w.as(w.root).put('/application/settings', changes)

describe('POST /-/registration', () => {
  beforeEach(() => {
    w.ctx().db.exec("UPDATE application_settings SET changes = '{}'")
  })

  it('creates an account that waits for approval', async () => {
    const account = person()
    const answer = await w.as(null).post('/-/registration', account)
    expect([answer.status, answer.body.user, answer.body.csrf_token, answer.headers.getSetCookie()]).toEqual([
      201,
      null,
      null,
      [],
    ])
    expect(answer.body.message).toBeTypeOf('string')
    const again = await w.as(null).post('/-/session', { login: account.username, password: account.password })
    expect([again.status, again.body.message]).toEqual([403, expect.stringContaining('pending approval')])
  })

  it('signs in at once if no approval is required', async () => {
    await settings({ require_admin_approval_after_user_signup: false })
    const account = person()
    const answer = await w.as(null).post('/-/registration', account)
    expect([answer.status, answer.body.user.username, answer.body.user.is_admin]).toEqual([
      201,
      account.username,
      undefined,
    ])
    expect(answer.headers.getSetCookie()).toHaveLength(1)
    const admin = (await w.as(w.root).get(`/users?username=${account.username}`)).body[0]
    expect(admin).toMatchObject({ state: 'active', is_admin: false, external: false, can_create_group: true })
  })

  it('is closed if sign-up is disabled', async () => {
    await settings({ signup_enabled: false })
    expect((await w.as(null).post('/-/registration', person())).status).toBe(403)
    expect((await w.as(null).get('/-/session')).body.instance.sign_up_enabled).toBe(false)
  })

  it.each([
    [['example.test'], [], 201],
    [['*.test'], [], 201],
    [['EXAMPLE.test'], [], 201],
    [['other.test'], [], 400],
    [['example.te'], [], 400],
    [['xample.test'], [], 400],
    [[], ['example.test'], 400],
    [[], ['ex*.test'], 400],
    [[], ['other.test'], 201],
    [['*'], ['example.*'], 400],
  ])(
    'follows the lists of domains: allowed %j, refused %j → %i',
    async (domain_allowlist, domain_denylist, status) => {
      await settings({
        domain_allowlist,
        domain_denylist,
        domain_denylist_enabled: domain_denylist.length > 0,
      })
      const answer = await w.as(null).post('/-/registration', person())
      expect(answer.status).toBe(status)
    },
  )

  it('refuses a taken name or address, also the name of a group', async () => {
    expect((await w.as(null).post('/-/registration', person({ username: 'Root' }))).body).toEqual({
      message: 'Username has already been taken',
    })
    expect((await w.as(null).post('/-/registration', person({ email: 'ADMIN@example.com' }))).body).toEqual({
      message: 'Email has already been taken',
    })
    const group = await w.make.group()
    expect((await w.as(null).post('/-/registration', person({ username: group.path }))).status).toBe(409)
    expect((await w.as(w.root).get(`/users?username=${group.path}`)).body).toEqual([])
  })

  it.each([
    [{ username: 'a b' }, 'username'],
    [{ username: '..' }, 'username'],
    [{ username: 'admin' }, 'username'],
    [{ username: 'x.git' }, 'username'],
    [{ username: 'ü' }, 'username'],
    [{ email: 'x' }, 'email'],
    [{ email: 'a@b@c' }, 'email'],
    [{ email: 'a b@c' }, 'email'],
    [{ name: '  ' }, 'name'],
    [{ password: 'seven77' }, 'password'],
    [{ password: 'x'.repeat(200) }, 'password'],
  ])('refuses %j', async (more, field) => {
    const answer = await w.as(null).post('/-/registration', person(more))
    expect([answer.status, Object.keys(answer.body.message)]).toEqual([400, [field]])
  })

  it('gives no user more rights than the settings', async () => {
    await settings({
      require_admin_approval_after_user_signup: false,
      user_default_external: true,
      can_create_group: false,
      default_projects_limit: 3,
    })
    const account = person()
    await w.as(null).post('/-/registration', {
      ...account,
      admin: true,
      is_admin: true,
      projects_limit: 9,
      state: 'active',
    })
    expect((await w.as(w.root).get(`/users?username=${account.username}`)).body[0]).toMatchObject({
      is_admin: false,
      external: true,
      can_create_group: false,
      projects_limit: 3,
    })
  })
})
