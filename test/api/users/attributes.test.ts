import { beforeAll, describe, expect, it } from 'vitest'

import { world, type World } from '../../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})

let count = 0
const person = (more: object = {}) => ({
  name: 'Somebody',
  username: `person${++count}`,
  email: `person${count}@example.test`,
  force_random_password: true,
  ...more,
})
const create = (more: object = {}) => w.as(w.root).post('/users', person(more))
const change = (id: number, body: object) => w.as(w.root).put(`/users/${id}`, body)

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const picture = (bytes: Buffer = PNG, name = 'me.png') => new File([new Uint8Array(bytes)], name)

describe('the attributes of a user', () => {
  it('are stored when the user is created', async () => {
    const params = {
      bio: 'b',
      location: 'l',
      organization: 'o',
      job_title: 'j',
      linkedin: 'li',
      skype: 's',
      twitter: 't',
      website_url: 'https://example.test/me',
      pronouns: 'they/them',
      theme_id: 3,
      color_scheme_id: 2,
      private_profile: true,
      external: true,
      can_create_group: false,
      projects_limit: 7,
      note: 'n',
      shared_runners_minutes_limit: 0,
      extra_shared_runners_minutes_limit: 5,
    }
    const { status, body } = await create({
      ...params,
      admin: true,
      auditor: true,
      view_diffs_file_by_file: true,
    })
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ ...params, is_admin: true, is_auditor: true, work_information: 'j at o' }),
    ])
  })

  it('are updated one by one, and cleared by null', async () => {
    const { body } = await create({
      bio: 'b',
      note: 'n',
      private_profile: true,
      shared_runners_minutes_limit: 3,
    })
    const cleared = await change(body.id, {
      bio: null,
      note: null,
      private_profile: null,
      shared_runners_minutes_limit: null,
    })
    expect(cleared.body).toMatchObject({
      bio: '',
      note: null,
      private_profile: false,
      shared_runners_minutes_limit: null,
      name: 'Somebody',
    })
  })

  it.each([
    [{ website_url: 'javascript:alert(1)' }, { message: { website_url: ['is not a valid URL'] } }],
    [{ website_url: 'http://' }, { message: { website_url: ['is not a valid URL'] } }],
    [{ theme_id: 99 }, { error: 'theme_id does not have a valid value' }],
    [{ pronouns: 'x'.repeat(51) }, { error: 'pronouns is too long (maximum is 50 characters)' }],
    [{ name: ' ' }, { message: { name: ["can't be blank"] } }],
    [
      { public_email: 'nobody@example.test' },
      { message: { public_email: ['must be an email you have verified'] } },
    ],
    [
      { commit_email: 'nobody@example.test' },
      { message: { commit_email: ['must be an email you have verified'] } },
    ],
    [{ provider: 'x' }, { error: 'extern_uid, provider provide all or none of parameters' }],
    [{ avatar: 'text' }, { error: 'avatar is invalid' }],
  ])('are refused: %j', async (more, body) => {
    const before = count + 1
    expect(await create(more)).toMatchObject({ status: 400, body })
    expect((await w.as(w.root).get(`/users?username=person${before}`)).body).toEqual([])
    expect(await change(w.root.id, more)).toMatchObject({ status: 400, body })
  })

  it('have defaults from the settings', async () => {
    const settings = (body: object) => w.as(w.root).put('/application/settings', body)
    await settings({
      default_projects_limit: 4,
      can_create_group: false,
      user_default_external: true,
      user_default_internal_regex: '@inside\\.test$',
      user_defaults_to_private_profile: true,
    })
    expect((await create()).body).toMatchObject({
      projects_limit: 4,
      can_create_group: false,
      external: true,
      private_profile: true,
    })
    expect((await create({ email: 'x@inside.test' })).body.external).toBe(false)
    expect((await create({ external: false, private_profile: false })).body).toMatchObject({
      external: false,
      private_profile: false,
    })
    expect((await settings({ user_default_internal_regex: '(' })).body).toEqual({
      message: { user_default_internal_regex: ['is not a valid RE2 syntax'] },
    })
    await settings({
      default_projects_limit: 100_000,
      can_create_group: true,
      user_default_external: false,
      user_default_internal_regex: null,
      user_defaults_to_private_profile: false,
    })
  })
})

describe('the password', () => {
  it('follows the rules of the settings and returns all errors at once', async () => {
    const settings = (body: object) => w.as(w.root).put('/application/settings', body)
    const rules = ['number', 'symbol', 'uppercase', 'lowercase'].map((name) => `password_${name}_required`)
    await settings(Object.fromEntries(rules.map((name) => [name, true])))
    expect((await create({ force_random_password: false, password: '        ' })).body).toEqual({
      message: {
        password: [
          'must contain at least one number',
          'must contain at least one lowercase letter',
          'must contain at least one uppercase letter',
          'must contain at least one symbol',
        ],
      },
    })
    expect((await create({ force_random_password: false, password: 'Aa1!Aa1!' })).status).toBe(201)
    expect((await create()).status).toBe(201)
    await settings(Object.fromEntries(rules.map((name) => [name, false])))
  })

  it('that an administrator sets must be changed at the next sign-in', async () => {
    const { body } = await create()
    const token = w.make.token({ id: body.id, username: '', token: '', password: '' }, ['api'])
    const own = w.as({ id: body.id, username: '', password: '', token })
    expect((await own.get('/user')).status).toBe(200)
    expect((await change(body.id, { password: 'a new password' })).status).toBe(200)
    const refused = await own.get('/user')
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringMatching(/^403 Forbidden - Your password expired\./),
    ])
    expect((await change(body.id, { password: 'short' })).body).toEqual({
      message: { password: ['is too short (minimum is 8 characters)'] },
    })
  })
})

describe('the email address', () => {
  it('must be confirmed, unless confirmation is skipped', async () => {
    const { body } = await create()
    const [old, next] = [body.email, 'next@example.test']
    expect((await change(body.id, { email: next })).body.email).toBe(old)
    const row = w.ctx().db.one<{ unconfirmed_email: string }>('SELECT * FROM users WHERE id = ?', body.id)!
    expect(row.unconfirmed_email).toBe(next)
    expect((await change(body.id, { email: next, skip_reconfirmation: true })).body.email).toBe(next)
    expect((await create({ email: old })).status).toBe(201)
  })

  it('is swapped with a confirmed secondary one', async () => {
    const { body } = await create()
    const add = (email: string, skip_confirmation: boolean) =>
      w.as(w.root).post(`/users/${body.id}/emails`, { email, skip_confirmation })
    await add('proved@example.test', true)
    await add('unproved@example.test', false)
    expect((await change(body.id, { email: 'unproved@example.test' })).body.email).toBe(body.email)
    expect((await change(body.id, { email: 'PROVED@example.test' })).body.email).toBe('PROVED@example.test')
    const { body: others } = await w.as(w.root).get(`/users/${body.id}/emails`)
    expect(others.map((email: { email: string }) => email.email)).toEqual([
      'unproved@example.test',
      body.email,
    ])
  })

  it('returns an error for a primary or secondary address of another user', async () => {
    const [first, other] = [(await create()).body, (await create()).body]
    await w.as(w.root).post(`/users/${first.id}/emails`, { email: 'mine@example.test' })
    for (const email of [first.email.toUpperCase(), 'mine@example.test']) {
      const conflict = { status: 409, body: { message: 'Email has already been taken' } }
      expect(await change(other.id, { email })).toMatchObject(conflict)
      expect(await create({ email })).toMatchObject(conflict)
    }
  })

  it('is confirmed at creation, unless the settings require a confirmation', async () => {
    expect((await create()).body.confirmed_at).not.toBeNull()
    await w.as(w.root).put('/application/settings', { send_user_confirmation_email: true })
    expect((await create()).body.confirmed_at).toBeNull()
    expect((await create({ skip_confirmation: true })).body.confirmed_at).not.toBeNull()
    await w.as(w.root).put('/application/settings', { send_user_confirmation_email: false })
  })

  it('for commits can be the private one, which follows the user name', async () => {
    const { body } = await create()
    const host = `users.noreply.${new URL(w.url).hostname}`
    const hidden = await change(body.id, { commit_email: '_private' })
    expect(hidden.body.commit_email).toBe(`${body.id}-${body.username}@${host}`)
    const renamed = await change(body.id, { username: `${body.username}-too` })
    expect(renamed.body.commit_email).toBe(`${body.id}-${body.username}-too@${host}`)
    expect((await change(body.id, { commit_email: '' })).body.commit_email).toBe(body.email)
    const own = await change(body.id, { commit_email: body.email, public_email: body.email })
    expect(own.body).toMatchObject({ commit_email: body.email, public_email: body.email })
  })
})

describe('accounts at sign-in providers', () => {
  it('are listed and replaced, and belong to one user', async () => {
    const [first, other] = [(await create({ provider: 'p', extern_uid: '1' })).body, (await create()).body]
    expect(first.identities).toEqual([{ provider: 'p', extern_uid: '1' }])
    expect((await change(first.id, { provider: 'p', extern_uid: '2' })).body.identities).toEqual([
      { provider: 'p', extern_uid: '2' },
    ])
    const taken = { status: 400, body: { message: { 'identities.extern_uid': ['has already been taken'] } } }
    expect(await change(other.id, { provider: 'p', extern_uid: '2' })).toMatchObject(taken)
    expect(await create({ provider: 'p', extern_uid: '2' })).toMatchObject(taken)
    expect((await w.as(w.root).delete(`/users/${first.id}/identities/p`)).status).toBe(204)
    expect(await w.as(w.root).delete(`/users/${first.id}/identities/p`)).toMatchObject({
      status: 404,
      body: { message: '404 Identity Not Found' },
    })
    expect((await change(other.id, { provider: 'p', extern_uid: '2' })).status).toBe(200)
    const nobody = w.make.user()
    expect((await w.as(nobody).delete(`/users/${other.id}/identities/p`)).status).toBe(403)
  })
})

describe('the picture', () => {
  const form = (fields: Record<string, string | File>) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.append(name, value)
    return body
  }

  it('is uploaded by a form, served and removed', async () => {
    const { force_random_password: _, ...fields } = person()
    const made = await w
      .as(w.root)
      .post('/users', form({ ...fields, force_random_password: 'true', avatar: picture() }))
    expect(made.status).toBe(201)
    expect(made.body.avatar_url).toBe(`${w.url}/uploads/-/system/user/avatar/${made.body.id}/me.png`)
    const served = await w.as(null).get(`!/uploads/-/system/user/avatar/${made.body.id}/me.png`)
    expect(served.status).toBe(200)
    const changed = await w
      .as(w.root)
      .put(`/users/${made.body.id}`, form({ avatar: picture(PNG, 'new.png') }))
    expect(changed.body.avatar_url).toMatch(/new\.png$/)
    expect((await w.as(w.root).put(`/users/${made.body.id}`, form({ avatar: '' }))).body.avatar_url).toMatch(
      /\/-\/avatars\/\d+\/\p{L}\.svg$/u,
    )
  })

  it('stays when another field is invalid', async () => {
    const { body } = await create()
    const put = (fields: Record<string, string | File>) => w.as(w.root).put(`/users/${body.id}`, form(fields))
    const { avatar_url } = (await put({ avatar: picture() })).body
    expect((await put({ avatar: picture(PNG, 'b.png'), public_email: 'no@one.test' })).status).toBe(400)
    expect((await w.as(null).get(`!${new URL(avatar_url).pathname}`)).status).toBe(200)
  })

  it('returns 400 for another file, and no user is created', async () => {
    const { force_random_password: _, ...fields } = person()
    const bad = picture(Buffer.from('no picture'))
    const answer = await w
      .as(w.root)
      .post('/users', form({ ...fields, force_random_password: 'true', avatar: bad }))
    expect([answer.status, Object.keys(answer.body.message)]).toEqual([400, ['avatar']])
    expect((await w.as(w.root).get(`/users?username=${fields.username}`)).body).toEqual([])
  })
})

describe('the user name', () => {
  it('renames the project paths, and the old paths redirect', async () => {
    const user = w.make.user()
    const project = await w.make.project({ owner: user, visibility: 'public' })
    await change(user.id, { username: `${user.username}-new` })
    const old = encodeURIComponent(`${user.username}/${project.path}`)
    const moved = await w.as(user).get(`/projects/${old}`)
    expect([moved.status, moved.headers.get('location')]).toEqual([
      301,
      `${w.url}/api/v4/projects/${project.id}`,
    ])
    expect((await w.as(user).put(`/projects/${old}`, { description: 'x' })).status).toBe(405)
    // The old name is free. A new user with this name replaces the redirect.
    const heir = await create({ username: user.username })
    expect((await w.as(w.root).get(`/namespaces/${user.username}`)).body.id).toBe(heir.body.namespace_id)
  })
})

describe('the limit of projects', () => {
  it('applies to projects of the personal namespace', async () => {
    const user = w.make.user()
    await change(user.id, { projects_limit: 1 })
    expect((await w.as(user).post('/projects', { name: 'first' })).status).toBe(201)
    const second = await w.as(user).post('/projects', { name: 'second' })
    expect(second.status).toBeGreaterThanOrEqual(400)
    expect(second.text).toContain(
      'Your project limit is 1 projects! Please contact your administrator to increase it',
    )
    await change(user.id, { projects_limit: 0 })
    expect((await w.as(user).get('/user')).body.can_create_project).toBe(false)
  })
})

describe('the only administrator', () => {
  it('cannot be demoted', async () => {
    w.ctx().db.exec('UPDATE users SET is_admin = 0 WHERE id <> ?', w.root.id)
    expect(await change(w.root.id, { admin: false, name: 'x' })).toMatchObject({
      status: 400,
      body: { message: { admin: ['cannot be taken from the only administrator'] } },
    })
    const other = w.make.user({ admin: true })
    expect((await w.as(other).put(`/users/${w.root.id}`, { admin: false })).body.is_admin).toBe(false)
    expect((await w.as(other).put(`/users/${w.root.id}`, { admin: true })).body.is_admin).toBe(true)
    await change(other.id, { admin: false })
  })
})
