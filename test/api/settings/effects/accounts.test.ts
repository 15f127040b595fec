import { afterEach, beforeAll, describe, expect, it } from 'vitest'

import { deactivateDormant, deleteUnconfirmed } from '../../../../server/domains/accounts/states/service.ts'
import { frozenClock } from '../../../../server/lib/clock.ts'
import { browser, cookieOf, signIn } from '../../../support/browser-session.ts'
import { world, type TestUser, type World } from '../../../support/world.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
const DAY = 86_400_000
let w: World
let count = 0
beforeAll(async () => {
  w = await world({ clock })
})
afterEach(() => {
  w.ctx().db.exec("UPDATE application_settings SET changes = '{}'")
  clock.advance(60_000)
})
const set = async (changes: object) => {
  const { status, text } = await w.as(w.root).put('/application/settings', changes)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
}
const person = (more: object = {}) => ({
  name: 'New',
  username: `new${++count}`,
  email: `new${count}@example.test`,
  password: 'Long enough 1!',
  ...more,
})
const register = (more: object = {}) => w.as(null).post('/-/registration', person(more))
const enter = (user: { username: string; password: string }) =>
  w.as(null).post('/-/session', { login: user.username, password: user.password })
const open = { require_admin_approval_after_user_signup: false }
const userNamed = async (username: string) => (await w.as(w.root).get(`/users?username=${username}`)).body[0]
const mailsTo = (address: string) =>
  w
    .ctx()
    .db.many<{ subject: string; text: string }>(
      'SELECT subject, text FROM mails WHERE recipients = ? ORDER BY id',
      JSON.stringify([address]),
    )

describe('signing up', () => {
  it('signup_enabled: disables sign-up, but not the creation of users by administrators', async () => {
    await set({ signup_enabled: false })
    expect((await register()).status).toBe(403)
    expect((await w.as(null).get('/-/session')).body.instance.sign_up_enabled).toBe(false)
    expect((await w.as(w.root).post('/users', person())).status).toBe(201)
    await set({ signup_enabled: true, password_authentication_enabled_for_web: false })
    expect((await register()).status).toBe(403)
  })

  it('require_admin_approval_after_user_signup: new accounts wait for approval', async () => {
    const waiting = person()
    await w.as(null).post('/-/registration', waiting)
    const { id, state } = await userNamed(waiting.username)
    expect([state, (await enter(waiting)).status]).toEqual(['blocked_pending_approval', 403])
    await w.as(w.root).post(`/users/${id}/approve`)
    expect((await enter(waiting)).status).toBe(201)
    await set(open)
    expect((await register()).body.user.state).toBe('active')
  })

  it('domain_allowlist: restricts sign-up by domain, as does the denylist, but not administrators', async () => {
    await set({ domain_allowlist_raw: 'good.test; *.also.test' })
    const refused = await register()
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: { email: ['is not allowed for sign-up. Please use another address.'] } },
    ])
    expect((await register({ email: `a${count}@sub.also.test` })).status).toBe(201)
    expect((await w.as(w.root).post('/users', person())).status).toBe(201)
  })

  it('domain_denylist: refuses its domains while it is enabled', async () => {
    expect((await w.as(w.root).put('/application/settings', { domain_denylist_enabled: true })).status).toBe(
      400,
    )
    await set({ domain_denylist_enabled: true, domain_denylist: ['*.test'] })
    expect((await register()).status).toBe(400)
    await set({ domain_denylist_enabled: false })
    expect((await register()).status).toBe(201)
  })

  it('email_restrictions: refuses addresses that match while it is enabled', async () => {
    await set({ email_restrictions_enabled: true, email_restrictions: '^new\\d+@example' })
    expect((await register()).status).toBe(400)
    expect((await register({ email: `old${count}@example.test` })).status).toBe(201)
    await set({ email_restrictions_enabled: false })
    expect((await register()).status).toBe(201)
  })

  it('email_confirmation_setting: hard requires a confirmed address, soft requires one after three days', async () => {
    await set({
      ...open,
      email_confirmation_setting: 'hard',
      smtp_enabled: true,
      smtp_address: 'mail.invalid',
    })
    const hard = person()
    const answer = await w.as(null).post('/-/registration', hard)
    expect([answer.status, answer.body.user, answer.body.message]).toEqual([
      201,
      null,
      expect.stringContaining('confirmed first'),
    ])
    expect((await enter(hard)).body.message).toContain('confirm your email address')
    await w.drain()
    const [mail] = mailsTo(hard.email)
    expect(mail?.subject).toBe('Confirmation instructions')
    const token = /token=([\w-]+)/.exec(mail!.text)![1]
    expect((await w.as(null).post('/-/confirmation', { token })).status).toBe(204)
    expect((await enter(hard)).status).toBe(201)

    await set({ email_confirmation_setting: 'soft' })
    const soft = person()
    expect((await w.as(null).post('/-/registration', soft)).body.user.username).toBe(soft.username)
    clock.advance(3 * DAY - 60_000)
    expect((await enter(soft)).status).toBe(201)
    clock.advance(60_000)
    expect((await enter(soft)).status).toBe(403)
  })

  it('send_user_confirmation_email: is the deprecated form of hard, also for users that administrators create', async () => {
    await set({ ...open, send_user_confirmation_email: true })
    const account = person()
    await w.as(w.root).post('/users', account)
    expect((await enter(account)).status).toBe(403)
    const skipped = person({ skip_confirmation: true })
    await w.as(w.root).post('/users', skipped)
    expect((await enter(skipped)).status).toBe(201)
  })

  it('delete_unconfirmed_users: deletes users who neither confirmed nor signed in, after some days', async () => {
    await set({
      ...open,
      email_confirmation_setting: 'hard',
      delete_unconfirmed_users: true,
      unconfirmed_users_delete_after_days: 5,
    })
    const account = person()
    await w.as(null).post('/-/registration', account)
    clock.advance(5 * DAY - 1)
    deleteUnconfirmed(w.ctx())
    await w.drain()
    expect(await userNamed(account.username)).toMatchObject({ state: 'active' })
    clock.advance(1)
    deleteUnconfirmed(w.ctx())
    await w.drain()
    expect(await userNamed(account.username)).toBeUndefined()
    expect(await userNamed('root')).toMatchObject({ state: 'active' })
  })

  it('unconfirmed_users_delete_after_days: is covered by the test above', async () => {
    const { body } = await w.as(w.root).get('/application/settings')
    expect(body.unconfirmed_users_delete_after_days).toBe(7)
  })

  it('invisible_captcha_enabled: refuses sign-ups that fill in invisible fields', async () => {
    await set({ ...open, invisible_captcha_enabled: true })
    const robot = person({ firstname: 'R', lastname: '' })
    const answer = await w.as(null).post('/-/registration', robot)
    expect([answer.status, answer.body.user, answer.headers.getSetCookie()]).toEqual([201, null, []])
    expect(await userNamed(robot.username)).toBeUndefined()
    expect((await register({ firstname: '', lastname: '' })).body.user.state).toBe('active')
    await set({ invisible_captcha_enabled: false })
    expect((await register({ firstname: 'R' })).body.user.state).toBe('active')
  })

  it('enforce_terms: blocks the API, git and the window until the terms are accepted', async () => {
    await set({ ...open, enforce_terms: true, terms: 'Be kind.' })
    const answer = await register()
    expect([answer.body.duty, answer.body.terms]).toEqual(['accept_terms', 'Be kind.'])
    const user = w.make.user()
    const refused = await w.as(user).get('/user')
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining(`(@${user.username}) must accept the Terms of Service`),
    ])
    const git = await w.as(null).get('!/a/b.git/info/refs?service=git-upload-pack', {
      authorization: `Basic ${Buffer.from(`x:${user.token}`).toString('base64')}`,
    })
    expect([git.status, git.text]).toEqual([403, expect.stringContaining('must accept the Terms of Service')])
    const window = browser(w, cookieOf(answer), answer.body.csrf_token)
    expect((await window.get('/user')).status).toBe(403)
    expect((await window.post('/-/terms/acceptance', {})).body.duty).toBeNull()
    expect((await window.get('/user')).status).toBe(200)
  })
})

describe('passwords', () => {
  const rules = [
    {
      setting: 'password_number_required',
      password: 'no digit here!',
      text: 'must contain at least one number',
    },
    {
      setting: 'password_symbol_required',
      password: 'NoSymbol12345',
      text: 'must contain at least one symbol',
    },
    {
      setting: 'password_uppercase_required',
      password: 'all small 123!',
      text: 'must contain at least one uppercase letter',
    },
    {
      setting: 'password_lowercase_required',
      password: 'ALL LARGE 123!',
      text: 'must contain at least one lowercase letter',
    },
  ]
  it.each(rules)('$setting', async ({ setting, password, text }) => {
    expect((await w.as(w.root).post('/users', person({ password }))).status).toBe(201)
    await set({ ...open, [setting]: true })
    for (const answer of [
      await w.as(w.root).post('/users', person({ password })),
      await register({ password }),
    ])
      expect([answer.status, answer.body]).toEqual([400, { message: { password: [text] } }])
    expect((await register()).status).toBe(201)
  })

  it('minimum_password_length: is shown to the form, and applies to everybody', async () => {
    await set({ minimum_password_length: 20 })
    expect((await w.as(null).get('/-/session')).body.instance.minimum_password_length).toBe(20)
    for (const answer of [await w.as(w.root).post('/users', person()), await register()])
      expect(answer.body).toEqual({ message: { password: ['is too short (minimum is 20 characters)'] } })
  })

  it('max_login_attempts: locks an account for the time in the settings', async () => {
    await set({
      throttle_protected_paths_enabled: false,
      max_login_attempts: 2,
      failed_login_attempts_unlock_period_in_minutes: 3,
    })
    const account = person()
    await w.as(w.root).post('/users', account)
    const wrong = { ...account, password: 'wrong' }
    expect([(await enter(wrong)).status, (await enter(account)).status]).toEqual([401, 201])
    expect([(await enter(wrong)).status, (await enter(wrong)).status]).toEqual([401, 401])
    expect((await enter(account)).status).toBe(401)
    clock.advance(3 * 60_000 - 1)
    expect((await enter(account)).status).toBe(401)
    clock.advance(1)
    expect((await enter(account)).status).toBe(201)
  })

  it('failed_login_attempts_unlock_period_in_minutes: defaults to ten minutes', async () => {
    await set({ throttle_protected_paths_enabled: false, max_login_attempts: 1 })
    const account = person()
    await w.as(w.root).post('/users', account)
    await enter({ ...account, password: 'wrong' })
    clock.advance(9 * 60_000)
    expect((await enter(account)).status).toBe(401)
    clock.advance(60_000)
    expect((await enter(account)).status).toBe(201)
  })
})

describe('a new user', () => {
  const rows = [
    { setting: 'can_create_group', value: false, field: 'can_create_group', is: false },
    { setting: 'default_projects_limit', value: 3, field: 'projects_limit', is: 3 },
    { setting: 'user_default_external', value: true, field: 'external', is: true },
    { setting: 'user_defaults_to_private_profile', value: true, field: 'private_profile', is: true },
  ]
  it.each(rows)('$setting', async ({ setting, value, field, is }) => {
    const before = await w.as(w.root).post('/users', person())
    expect(before.body[field]).not.toBe(is)
    await set({ [setting]: value })
    expect((await w.as(w.root).post('/users', person())).body[field]).toBe(is)
    const account = person()
    await w.as(null).post('/-/registration', account)
    const { id } = await userNamed(account.username)
    expect((await w.as(w.root).get(`/users/${id}`)).body[field]).toBe(is)
  })

  it('user_default_internal_regex: exempts matching users from being external', async () => {
    await set({ user_default_external: true, user_default_internal_regex: '@inside\\.test$' })
    const inside = await w.as(w.root).post('/users', person({ email: `a${count}@inside.test` }))
    const outside = await w.as(w.root).post('/users', person())
    expect([inside.body.external, outside.body.external]).toEqual([false, true])
  })

  it('default_projects_limit: the error names it when it is reached', async () => {
    await set({ default_projects_limit: 1, can_create_group: false })
    const user = w.make.user()
    expect((await w.as(user).post('/projects', { name: 'one' })).status).toBe(201)
    const refused = await w.as(user).post('/projects', { name: 'two' })
    expect([refused.status, refused.body.error]).toEqual([
      403,
      ['Your project limit is 1 projects! Please contact your administrator to increase it'],
    ])
    expect((await w.as(user).post('/groups', { name: 'g', path: 'g-of-user' })).status).toBe(403)
  })
})

describe('accounts', () => {
  it('deactivate_dormant_users: deactivates dormant users and sends them an email', async () => {
    const away = w.make.user()
    const early = w.make.user()
    clock.advance(100 * DAY)
    await set({
      deactivate_dormant_users: true,
      deactivate_dormant_users_period: 101,
      user_deactivation_emails_enabled: true,
    })
    deactivateDormant(w.ctx())
    expect((await w.as(w.root).get(`/users/${away.id}`)).body.state).toBe('active')
    await set({ deactivate_dormant_users_period: 100 })
    deactivateDormant(w.ctx())
    await w.drain()
    expect((await w.as(w.root).get(`/users/${away.id}`)).body.state).toBe('deactivated')
    expect((await w.as(away).get('/user')).body.message).toContain('has been deactivated')
    expect(mailsTo(`${early.username}@example.test`).map(({ subject }) => subject)).toEqual([
      'Your account has been deactivated',
    ])
  })

  it('deactivate_dormant_users_period: the error names it when a deactivation is too early', async () => {
    const user = w.make.user()
    await w.as(user).get('/user')
    w.ctx().bookkeeping.flush()
    await set({ deactivate_dormant_users_period: 120 })
    expect((await w.as(w.root).post(`/users/${user.id}/deactivate`)).body.message).toContain('past 120 days')
  })

  it('user_deactivation_emails_enabled: disables the email', async () => {
    await set({ user_deactivation_emails_enabled: false })
    const user = w.make.user()
    expect((await w.as(w.root).post(`/users/${user.id}/deactivate`)).status).toBe(201)
    await w.drain()
    expect(mailsTo(`${user.username}@example.test`)).toEqual([])
  })

  it('updating_name_disabled_for_users: only administrators change names', async () => {
    const account = person({ skip_confirmation: true })
    await w.as(w.root).post('/users', account)
    await set({ updating_name_disabled_for_users: true })
    const window = await signIn(w, account.username, account.password)
    const changed = await window.put('/-/profile', { name: 'Other', bio: 'Hello' })
    expect([changed.status, changed.body.name, changed.body.bio]).toEqual([200, 'New', 'Hello'])
    const { id } = await userNamed(account.username)
    expect((await w.as(w.root).put(`/users/${id}`, { name: 'Third' })).body.name).toBe('Third')
    await set({ updating_name_disabled_for_users: false })
    expect((await window.put('/-/profile', { name: 'Other' })).body.name).toBe('Other')
  })

  it('gravatar_enabled: uses avatars of an external service', async () => {
    const ask = () => w.as(null).get('/avatar?email=a@example.test')
    expect((await ask()).body.avatar_url).toBeNull()
    await set({ gravatar_enabled: true })
    expect((await ask()).body.avatar_url).toMatch(
      /^https:\/\/www\.gravatar\.com\/avatar\/[0-9a-f]{32}\?s=80&d=identicon$/,
    )
  })

  it('commit_email_hostname: is the domain of private commit addresses', async () => {
    const account = person()
    await w.as(w.root).post('/users', account)
    await set({ commit_email_hostname: 'hidden.test' })
    const { id } = await userNamed(account.username)
    const changed = await w.as(w.root).put(`/users/${id}`, { commit_email: '_private' })
    expect(changed.body.commit_email).toBe(`${id}-${account.username}@hidden.test`)
  })

  it('user_oauth_applications: lets users register applications', async () => {
    const account = person()
    await w.as(w.root).post('/users', account)
    const window = await signIn(w, account.username, account.password)
    const app = { name: 'App', redirect_uri: 'https://app.test/back', scopes: 'read_user' }
    await set({ user_oauth_applications: false })
    expect((await window.post('/-/profile/applications', app)).status).toBe(403)
    await set({ user_oauth_applications: true })
    expect((await window.post('/-/profile/applications', app)).status).toBe(201)
  })

  it('disable_admin_oauth_scopes: administrators cannot authorize untrusted applications with their rights', async () => {
    const app = { name: 'App', redirect_uri: 'https://app.test/back', scopes: 'api read_user' }
    const make = async () => (await w.as(w.root).post('/applications', app)).body.application_id as string
    const [plain, trusted] = [await make(), await make()]
    w.ctx().db.exec('UPDATE oauth_applications SET trusted = 1 WHERE uid = ?', trusted)
    const user = person()
    await w.as(w.root).post('/users', user)
    const admin = await signIn(w)
    const other = await signIn(w, user.username, user.password)
    const ask = async (window: typeof admin, client_id: string, scope: string) => {
      const query = new URLSearchParams({
        client_id,
        scope,
        redirect_uri: 'https://app.test/back',
        response_type: 'code',
      })
      return JSON.stringify((await window.get(`/-/oauth/authorization?${query.toString()}`)).body)
    }
    await set({ disable_admin_oauth_scopes: true })
    expect(await ask(admin, plain, 'api')).toContain('access_denied')
    for (const shown of [
      await ask(admin, plain, 'read_user'),
      await ask(admin, trusted, 'api'),
      await ask(other, plain, 'api'),
    ])
      expect(shown).not.toContain('access_denied')
    await set({ disable_admin_oauth_scopes: false })
    expect(await ask(admin, plain, 'api')).not.toContain('access_denied')
  })

  it('restricted_visibility_levels: forbids public projects, groups, snippets and profiles', async () => {
    const user = w.make.user()
    const make = (who: TestUser) => [
      w.as(who).post('/projects', { name: `p${++count}`, visibility: 'public' }),
      w.as(who).post('/groups', { name: 'g', path: `g${++count}`, visibility: 'public' }),
      w.as(who).post('/snippets', {
        title: 's',
        visibility: 'public',
        files: [{ file_path: 'a', content: 'a' }],
      }),
    ]
    await set({ restricted_visibility_levels: ['public'] })
    const refused = await Promise.all(make(user))
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400])
    for (const { text } of refused) expect(text).toContain('restricted')
    expect((await Promise.all(make(w.root))).map(({ status }) => status)).toEqual([201, 201, 201])
    expect((await w.as(null).get('/users?username=root')).status).toBe(403)
    await set({ restricted_visibility_levels: [] })
    expect((await w.as(null).get('/users?username=root')).status).toBe(200)
  })
})
