import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
let ada: TestUser
let eve: TestUser
beforeAll(async () => {
  w = await world()
  ada = w.make.user({ username: 'ada_l' })
  eve = w.make.user({ username: 'adaml', external: true })
})

const usernames = (answer: { body: { username: string }[] }): string[] =>
  answer.body.map((user) => user.username)
let count = 0
const person = (more: object = {}) => ({
  name: 'Somebody',
  username: `somebody${++count}`,
  email: `somebody${count}@example.test`,
  password: 'long enough',
  ...more,
})

describe('GET /user', () => {
  it('returns the caller, with more fields for administrators', async () => {
    const { body } = await w.as(ada).get('/user')
    expect(body).toMatchObject({
      username: 'ada_l',
      email: 'ada_l@example.test',
      state: 'active',
      web_url: `${w.url}/ada_l`,
    })
    expect(body).not.toHaveProperty('is_admin')
    expect((await w.as(w.root).get('/user')).body).toMatchObject({ id: 1, is_admin: true })
    expect((await w.as(null).get('/user')).status).toBe(401)
  })

  it('returns a change at once', async () => {
    const etag = (await w.as(ada).get('/user')).headers.get('etag')!
    await w.as(w.root).put(`/users/${ada.id}`, { bio: 'Mathematician' })
    const answer = await w.as(ada).get('/user', { 'if-none-match': etag })
    expect([answer.status, answer.body.bio]).toEqual([200, 'Mathematician'])
  })
})

describe('GET /users', () => {
  it('returns one user by name to anonymous callers', async () => {
    const answer = await w.as(null).get('/users')
    expect([answer.status, answer.body]).toEqual([
      403,
      { message: '403 Forbidden - Not authorized to access /api/v4/users' },
    ])
    expect((await w.as(null).get('/users?username=')).status).toBe(403)
    expect((await w.as(null).get('/users?search=ada')).status).toBe(403)
    const found = await w.as(null).get('/users?username=ADA_L')
    expect(found.body).toEqual([expect.objectContaining({ username: 'ada_l' })])
    expect(Object.keys(found.body[0]).toSorted()).toEqual([
      'avatar_url',
      'id',
      'name',
      'state',
      'username',
      'web_url',
    ])
  })

  it('finds wildcard characters literally, in names and user names', async () => {
    expect(usernames(await w.as(ada).get('/users?search=ada'))).toEqual(['adaml', 'ada_l'])
    expect(usernames(await w.as(ada).get('/users?search=ADA_'))).toEqual(['ada_l'])
    expect(usernames(await w.as(ada).get('/users?search=%25'))).toEqual([])
    expect(usernames(await w.as(ada).get('/users?search=%5C'))).toEqual([])
  })

  it('finds whole private addresses for administrators only', async () => {
    expect(usernames(await w.as(w.root).get('/users?search=ada_l%40exam'))).toEqual([])
    expect(usernames(await w.as(w.root).get('/users?search=ADA_l%40example.test'))).toEqual(['ada_l'])
    expect(usernames(await w.as(eve).get('/users?search=ada_l%40example.test'))).toEqual([])
  })

  it('returns the exact match first', async () => {
    w.make.user({ username: 'zoe' })
    w.make.user({ username: 'zoe2' })
    expect(usernames(await w.as(w.root).get('/users?search=zoe'))[0]).toBe('zoe')
  })

  it('applies filters', async () => {
    const has = async (query: string, name: string): Promise<boolean> =>
      usernames(await w.as(w.root).get(`/users?per_page=100&${query}`)).includes(name)
    expect([await has('external=true', 'adaml'), await has('external=true', 'ada_l')]).toEqual([true, false])
    expect([await has('exclude_external=1', 'adaml'), await has('exclude_external=1', 'ada_l')]).toEqual([
      false,
      true,
    ])
    expect([await has('admins=true', 'root'), await has('admins=true', 'ada_l')]).toEqual([true, false])
    expect([
      await has('created_before=2000-01-01', 'root'),
      await has('created_after=2000-01-01', 'root'),
    ]).toEqual([false, true])
    const deletedUser = w.make.user()
    w.ctx().db.exec("UPDATE users SET state = 'blocked' WHERE id = ?", deletedUser.id)
    expect([
      await has('blocked=true', deletedUser.username),
      await has('active=true', deletedUser.username),
    ]).toEqual([true, false])
  })

  it('is ordered by parameters of administrators', async () => {
    const names = usernames(await w.as(w.root).get('/users?order_by=username&sort=asc&per_page=100'))
    expect(names).toEqual(names.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)))
  })

  it('ignores parameters of administrators for other callers', async () => {
    const { body } = await w.as(ada).get('/users?admins=true&order_by=name')
    expect(body.length).toBeGreaterThan(1)
    expect(JSON.stringify(body)).not.toMatch(/email|is_admin|sign_in/)
  })
})

describe('GET /users/:id', () => {
  it('returns a user, with more fields for administrators', async () => {
    expect((await w.as(eve).get(`/users/${ada.id}`)).body).not.toHaveProperty('email')
    expect((await w.as(w.root).get(`/users/${ada.id}`)).body).toMatchObject({
      email: 'ada_l@example.test',
      sign_in_count: 0,
      is_admin: false,
    })
  })
  it('leaves out the dates of a private profile', async () => {
    const hidden = w.make.user()
    await w.as(w.root).put(`/users/${hidden.id}`, { private_profile: true })
    expect((await w.as(ada).get(`/users/${hidden.id}`)).body).not.toHaveProperty('created_at')
    await w.as(w.root).put(`/users/${hidden.id}`, { private_profile: false })
    expect((await w.as(ada).get(`/users/${hidden.id}`)).body).toHaveProperty('created_at')
  })
  it.each([
    ['/users/999999', 404, { message: '404 User Not Found' }],
    ['/users/x', 400, { error: 'id is invalid' }],
    ['/users/0', 400, { error: 'id does not have a valid value' }],
    ['/users/1%2F2', 400, { error: 'id is invalid' }],
  ])('%s is %i', async (path, status, body) => {
    expect(await w.as(ada).get(path)).toMatchObject({ status, body })
  })
  it('returns 403 to anonymous callers', async () => {
    expect(await w.as(null).get('/users/1')).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - Not authorized!' },
    })
  })
})

describe('POST /users', () => {
  it('creates a user with a namespace, and publishes an event', async () => {
    w.jobs()
    const account = person({
      admin: true,
      external: true,
      projects_limit: 3,
      bio: 'b',
      can_create_group: false,
      note: 'n',
    })
    const { status, body } = await w.as(w.root).post('/users', account)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      username: account.username,
      is_admin: true,
      external: true,
      projects_limit: 3,
      bio: 'b',
      can_create_group: false,
      note: 'n',
      state: 'active',
      created_by: { id: 1 },
    })
    expect((await w.as(w.root).get(`/namespaces/${body.namespace_id}`)).body).toMatchObject({
      kind: 'user',
      full_path: account.username,
    })
    expect(
      (await w.as(null).post('/-/session', { login: account.username, password: account.password })).status,
    ).toBe(201)
  })

  it('creates a user with a random password', async () => {
    for (const way of [{ force_random_password: true }, { reset_password: true }]) {
      const { password: _, ...fields } = person(way)
      expect((await w.as(w.root).post('/users', fields)).status).toBe(201)
      expect((await w.as(null).post('/-/session', { login: fields.username, password: '' })).status).toBe(401)
    }
  })

  it.each([
    [
      { password: undefined },
      {
        error:
          'password, reset_password, force_random_password are missing, at least one parameter must be provided',
      },
    ],
    [{ reset_password: false, password: undefined }, { error: 'password is missing' }],
    [{ email: undefined, name: undefined }, { error: 'email is missing, name is missing' }],
    [{ password: 'short' }, { message: { password: ['is too short (minimum is 8 characters)'] } }],
    [{ username: 'no way' }, { message: { username: [expect.any(String)] } }],
    [{ username: 'x'.repeat(256) }, { error: 'username is too long (maximum is 255 characters)' }],
    [{ username: 'a\0b' }, { error: 'username is invalid' }],
    [{ projects_limit: -1 }, { error: 'projects_limit does not have a valid value' }],
    [{ admin: 'perhaps' }, { error: 'admin is invalid' }],
  ])('refuses %j', async (more, body) => {
    expect(await w.as(w.root).post('/users', person(more))).toMatchObject({ status: 400, body })
  })

  it('returns 409 for names and addresses in use, and stores nothing', async () => {
    expect(await w.as(w.root).post('/users', person({ username: 'ROOT' }))).toMatchObject({
      status: 409,
      body: { message: 'Username has already been taken' },
    })
    expect(await w.as(w.root).post('/users', person({ email: 'ada_l@example.test' }))).toMatchObject({
      status: 409,
      body: { message: 'Email has already been taken' },
    })
    const both = person()
    const answers = await Promise.all([both, both].map((fields) => w.as(w.root).post('/users', fields)))
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 409])
  })

  it('is allowed for administrators only', async () => {
    expect((await w.as(ada).post('/users', person())).status).toBe(403)
    expect((await w.as(null).post('/users', person())).status).toBe(401)
  })
})

describe('PUT /users/:id', () => {
  it('updates only the given fields', async () => {
    const user = w.make.user()
    const put = (body: object) => w.as(w.root).put(`/users/${user.id}`, body)
    expect((await put({ name: 'New', note: 'n' })).body).toMatchObject({
      name: 'New',
      note: 'n',
      username: user.username,
    })
    expect((await put({ note: null })).body).toMatchObject({ name: 'New', note: null })
    expect((await put({ admin: true })).body.is_admin).toBe(true)
    expect((await w.as(user).get('/application/settings')).status).toBe(200)
    expect((await put({ admin: false })).body.is_admin).toBe(false)
    expect((await w.as(user).get('/application/settings')).status).toBe(403)
  })

  it('renames the namespace with the user', async () => {
    const user = w.make.user()
    const project = await w.make.project({ owner: user })
    await w.as(w.root).put(`/users/${user.id}`, { username: 'renamed', name: 'Renamed' })
    expect((await w.as(user).get('/namespaces/renamed')).body).toMatchObject({
      kind: 'user',
      name: 'Renamed',
    })
    expect((await w.as(user).get(`/projects/${project.id}`)).body.path_with_namespace).toBe(
      `renamed/${project.path}`,
    )
    const group = await w.make.group()
    expect((await w.as(w.root).put(`/users/${user.id}`, { username: group.path })).status).toBe(409)
    expect((await w.as(user).get('/user')).body.username).toBe('renamed')
  })

  it('returns 400 for invalid values', async () => {
    const put = (id: number | string, body: object) => w.as(w.root).put(`/users/${id}`, body)
    expect((await put(999_999, { name: 'x' })).body).toEqual({ message: '404 User Not Found' })
    expect((await put(ada.id, { username: 'ROOT' })).status).toBe(409)
    expect((await put(ada.id, { username: 'ADA_L' })).status).toBe(200)
    expect((await put(ada.id, { email: 'no' })).body).toEqual({ message: { email: ['is invalid'] } })
    expect((await w.as(ada).put(`/users/${ada.id}`, { name: 'x' })).status).toBe(403)
  })
})
