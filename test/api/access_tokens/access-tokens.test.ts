import { describe, expect, it } from 'vitest'

import { world, type TestUser } from '../../support/world.ts'

const instance = await world()
const { as, make, root, drain } = instance
const owner = make.user({ username: 'owner' })
const maintainer = make.user({ username: 'maintainer' })
const developer = make.user({ username: 'developer' })
const stranger = make.user({ username: 'stranger' })
const group = await make.group({ owner })
const project = await make.project({ owner, namespace_id: group.id })
await make.member('groups', group.id, maintainer, 40)
await make.member('groups', group.id, developer, 30)

const params = { name: 'Robot', scopes: ['api'], access_level: 30 }
const withToken = (token: string): TestUser => ({ ...root, token })
const userRow = (id: number) =>
  instance.ctx().db.one<{ state: string }>('SELECT * FROM users WHERE id = ?', id)

const owners = [
  ['project', `/projects/${project.id}`, `project_${project.id}_bot`, `project${project.id}_bot`],
  ['group', `/groups/${group.id}`, `group_${group.id}_bot`, `group${group.id}_bot`],
] as const

describe.each(owners)('the access tokens of a %s', (kind, path, username, email) => {
  const at = `${path}/access_tokens`

  it('act as bots that are members', async () => {
    const { status, body } = await as(owner).post(at, { ...params, expires_at: '2090-01-01' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'Robot',
      revoked: false,
      created_at: expect.any(String),
      scopes: ['api'],
      user_id: expect.any(Number),
      last_used_at: null,
      active: true,
      expires_at: '2090-01-01',
      access_level: 30,
      token: expect.stringMatching(/^glpat-[\w-]{20}$/),
    })
    const bot = withToken(body.token)
    const me = (await as(bot).get('/user')).body
    expect(me).toMatchObject({ id: body.user_id, username, bot: true, name: 'Robot' })
    expect(me.email).toBe(`${email}@noreply.127.0.0.1`)
    expect(me).toMatchObject({ can_create_group: false, can_create_project: false, external: true })
    const members = (await as(owner).get(`${path}/members`)).body
    expect(members).toContainEqual(
      expect.objectContaining({ id: body.user_id, access_level: 30, expires_at: '2090-01-01' }),
    )
    expect((await as(bot).get(`/projects/${project.id}`)).status).toBe(200)
    const { token: _, ...shown } = body
    const found = (await as(owner).get(`${at}/${body.id}`)).body
    expect(found).toEqual({ ...shown, last_used_at: found.last_used_at })
    expect((await as(owner).get(at)).body).toContainEqual(found)
    const people = (await as(null).get(`/users?username=${username}&without_project_bots=true`)).body
    expect(people).toEqual([])
  })

  it('get generated names', async () => {
    const { body } = await as(owner).post(at, params)
    expect((await as(withToken(body.token)).get('/user')).body.username).toBe(`${username}1`)
    expect(body).toMatchObject({ expires_at: null })
    const plain = await as(owner).post(at, { name: 'Plain', scopes: ['read_api'] })
    expect(plain.body.access_level).toBe(40)
  })

  it('are deleted together with their bots', async () => {
    const { body } = await as(owner).post(at, params)
    const old = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' }
    expect((await as(owner).delete(`${at}/${body.id}`, undefined, old)).status).toBe(412)
    expect((await as(owner).delete(`${at}/${body.id}`)).status).toBe(204)
    expect((await as(withToken(body.token)).get('/user')).status).toBe(401)
    expect(userRow(body.user_id)).toBeUndefined()
    const notFound = { message: `404 ${kind} Access Token Not Found` }
    expect((await as(owner).get(`${at}/${body.id}`)).body).toEqual(notFound)
    expect((await as(owner).delete(`${at}/${body.id}`)).body).toEqual(notFound)
    expect((await as(owner).post(`${at}/${body.id}/rotate`)).body).toEqual(notFound)
    const members = (await as(owner).get(`${path}/members`)).body
    expect(members.map((member: { id: number }) => member.id)).not.toContain(body.user_id)
  })

  it('are rotated', async () => {
    const { body } = await as(owner).post(at, params)
    const { status, body: next } = await as(owner).post(`${at}/${body.id}/rotate`, {
      expires_at: '2090-02-03',
    })
    expect(status).toBe(200)
    expect(next).toMatchObject({
      user_id: body.user_id,
      access_level: 30,
      expires_at: '2090-02-03',
      scopes: ['api'],
    })
    expect(next.token).not.toBe(body.token)
    expect((await as(withToken(next.token)).get('/user')).status).toBe(200)
    const members = (await as(owner).get(`${path}/members/${body.user_id}`)).body
    expect(members.expires_at).toBe('2090-02-03')
    expect((await as(owner).post(`${at}/${body.id}/rotate`)).body).toEqual({
      message: '400 Bad request - Token already revoked',
    })
    const past = await as(owner).post(`${at}/${next.id}/rotate`, { expires_at: '2020-01-01' })
    expect(past.status).toBe(400)
  })

  it('stay members until the new token expires if they rotate it themselves', async () => {
    const { body } = await as(owner).post(at, { ...params, expires_at: '2090-01-01' })
    const rotated = await as(withToken(body.token)).post('/personal_access_tokens/self/rotate', {
      expires_at: '2091-01-01',
    })
    expect(rotated.status).toBe(200)
    await drain()
    const member = (await as(owner).get(`${path}/members/${body.user_id}`)).body
    expect(member.expires_at).toBe('2091-01-01')
  })

  it('are deleted after their own token is revoked', async () => {
    const { body } = await as(owner).post(at, params)
    expect((await as(withToken(body.token)).delete('/personal_access_tokens/self')).status).toBe(204)
    await drain()
    expect(userRow(body.user_id)).toBeUndefined()
  })

  it('are refused with invalid values', async () => {
    const post = async (more: object, who = owner) => {
      const { status, body } = await as(who).post(at, { ...params, ...more })
      return [status, body.message ?? body]
    }
    const denied = `400 Bad request - User does not have permission to create ${kind} access token`
    expect(await post({}, developer)).toEqual([400, denied])
    expect(await post({ scopes: ['sudo'] })).toEqual([400, { error: 'scopes does not have a valid value' }])
    expect(await post({ scopes: [] })).toEqual([400, { scopes: ["can't be blank"] }])
    expect(await post({ name: '' })).toEqual([400, { name: ["can't be blank"] }])
    expect(await post({ access_level: 35 })).toEqual([
      400,
      { error: 'access_level does not have a valid value' },
    ])
    expect(await post({ expires_at: '2020-01-01' })).toEqual([400, { expires_at: ["can't be in the past"] }])
    expect((await as(owner).post(at, {})).body).toEqual({ error: 'name is missing, scopes is missing' })
    const { body } = await as(owner).post(at, { ...params, access_level: 50 })
    expect(await post({}, withToken(body.token))).toEqual([400, denied])
    expect((await as(developer).get(at)).body).toEqual({ message: '401 Unauthorized' })
    expect((await as(developer).get(`${at}/${body.id}`)).status).toBe(401)
    expect((await as(developer).post(`${at}/${body.id}/rotate`)).status).toBe(401)
    expect((await as(developer).delete(`${at}/${body.id}`)).status).toBe(400)
    for (const who of [stranger, null]) expect((await as(who).get(at)).status).toBe(404)
    expect(await post({ name: 'x'.repeat(256) })).toEqual([
      400,
      { error: expect.stringMatching(/^name is too long/) },
    ])
  })
})

describe('access tokens', () => {
  it('have no higher level than their creator', async () => {
    const at = `/projects/${project.id}/access_tokens`
    expect((await as(maintainer).post(at, { ...params, access_level: 40 })).status).toBe(201)
    const above = await as(maintainer).post(at, { ...params, access_level: 50 })
    expect([above.status, above.body.message]).toEqual([400, expect.stringContaining('level')])
    expect((await as(maintainer).post(`/groups/${group.id}/access_tokens`, params)).status).toBe(400)
    expect((await as(root).post(at, { ...params, access_level: 50 })).status).toBe(201)
  })

  it('of another owner return 404', async () => {
    const { id } = (await as(owner).post(`/projects/${project.id}/access_tokens`, params)).body
    const other = await make.project({ owner })
    expect((await as(owner).get(`/projects/${other.id}/access_tokens/${id}`)).status).toBe(404)
    expect((await as(owner).get(`/groups/${group.id}/access_tokens/${id}`)).status).toBe(404)
    const own = await as(owner).get('/personal_access_tokens?per_page=100')
    expect(own.body.map((token: { id: number }) => token.id)).not.toContain(id)
  })

  it('are deleted with their project', async () => {
    const deletedProject = await make.project({ owner })
    const { body } = await as(owner).post(`/projects/${deletedProject.id}/access_tokens`, params)
    await as(owner).delete(`/projects/${deletedProject.id}`)
    await drain()
    expect((await as(withToken(body.token)).get('/user')).status).toBe(401)
    expect(userRow(body.user_id)).toBeUndefined()
  })

  it('leave the contributions of their bots to the ghost user', async () => {
    const made = await make.project({ owner, with: 'readme' })
    const { body } = await as(owner).post(`/projects/${made.id}/access_tokens`, params)
    const at = `/projects/${made.id}/repository/commits/main/comments`
    expect((await as(withToken(body.token)).post(at, { note: 'Beep' })).status).toBe(201)
    expect((await as(owner).delete(`/projects/${made.id}/access_tokens/${body.id}`)).status).toBe(204)
    expect(userRow(body.user_id)).toBeUndefined()
    expect((await as(owner).get(at)).body).toMatchObject([{ note: 'Beep', author: { name: 'Ghost User' } }])
  })

  it('are limited to their scopes', async () => {
    const at = `/projects/${project.id}`
    const { token } = (await as(owner).post(`${at}/access_tokens`, { ...params, scopes: ['read_api'] })).body
    expect((await as(withToken(token)).get(at)).status).toBe(200)
    expect((await as(withToken(token)).put(at, { description: 'x' })).body.error).toBe('insufficient_scope')
  })
})

it('maintainers cannot rotate the token of an owner', async () => {
  const at = `/projects/${project.id}/access_tokens`
  const { body } = await as(owner).post(at, { ...params, access_level: 50 })
  const refused = await as(maintainer).post(`${at}/${body.id}/rotate`)
  expect([refused.status, refused.body]).toEqual([
    400,
    {
      message:
        '400 Bad request - Access level of the token cannot be greater than the level of the user who rotates it',
    },
  ])
  expect((await as(withToken(body.token)).get('/user')).status).toBe(200)
  expect((await as(owner).post(`${at}/${body.id}/rotate`)).status).toBe(200)
})
