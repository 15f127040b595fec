import { beforeAll, describe, expect, it } from 'vitest'

import { browser, cookieOf } from '../../support/browser-session.ts'
import { world, type World } from '../../support/world.ts'

const PERSON = {
  name: 'Ada Lovelace',
  username: 'ada',
  email: 'ada@example.test',
  password: 'analytical engine',
}

describe('an instance without a root password', () => {
  let w: World
  beforeAll(async () => {
    w = await world({ rootPassword: undefined as never, rootToken: undefined as never })
  })

  it('reports that the first run is open, with suggestions', async () => {
    expect((await w.as(null).get('/-/session')).body.first_run).toBe(true)
    const { status, body } = await w.as(null).get('/-/first_run')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      data_dir: w.dataDir,
      url: w.url,
      git_version: expect.stringMatching(/^2\.\d+/),
    })
    expect(body.data_dir_bytes_free).toBeGreaterThan(0)
    expect(body.username).toMatch(/^[\w.-]+$/)
    expect(w.instance.ownerSession()).toBeUndefined()
  })

  it('refuses sign-ins before that', async () => {
    for (const password of ['', 'root', 'password'])
      expect((await w.as(null).post('/-/session', { login: 'root', password })).status).toBe(401)
  })

  it('refuses invalid values, and stays open', async () => {
    const post = (more: object) => w.as(null).post('/-/first_run', { ...PERSON, ...more })
    expect((await w.as(null).post('/-/first_run', {})).body.error).toBe(
      'name is missing, username is missing, email is missing, password is missing',
    )
    expect((await post({ password: 'short' })).body).toEqual({
      message: { password: ['is too short (minimum is 8 characters)'] },
    })
    expect((await post({ username: 'api', email: 'x', name: ' ' })).body.message).toMatchObject({
      username: [expect.any(String)],
      email: ['is invalid'],
      name: ["can't be blank"],
    })
    expect((await w.as(null).get('/-/session')).body.first_run).toBe(true)
  })

  it('is set up once, even if two windows answer at the same time', async () => {
    const answers = await Promise.all(
      [PERSON, { ...PERSON, username: 'eve' }].map((person) => w.as(null).post('/-/first_run', person)),
    )
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 409])
    const { body, ...answer } = answers.find((answer) => answer.status === 201)!
    expect(body).toMatchObject({
      first_run: false,
      user: { id: 1, is_admin: true, name: 'Ada Lovelace' },
      token: { name: 'First token', scopes: expect.arrayContaining(['api']) },
    })
    const { username } = body.user
    expect((await w.as({ ...w.root, token: body.token.token }).get('/user')).body.username).toBe(username)
    const window = browser(w, cookieOf({ ...answer, body }), body.csrf_token)
    expect((await window.get(`/namespaces/${username}`)).body).toMatchObject({
      kind: 'user',
      full_path: username,
      name: 'Ada Lovelace',
    })
    expect((await w.as(null).get('/-/first_run')).status).toBe(409)
    expect((await w.as(null).post('/-/first_run', PERSON)).body).toEqual({
      message: 'This instance is already set up.',
    })
    expect((await w.as(null).post('/-/session', { login: username, password: PERSON.password })).status).toBe(
      201,
    )
    const own = w.instance.ownerSession()!
    expect((await w.as(null).get('/user', { cookie: `${own.name}=${own.cookie}` })).body.username).toBe(
      username,
    )
  })
})

describe('an instance with a root password', () => {
  it('is set up from the start', async () => {
    const w = await world()
    expect((await w.as(null).get('/-/session')).body.first_run).toBe(false)
    expect((await w.as(null).post('/-/first_run', PERSON)).status).toBe(409)
    expect((await w.as(null).post('/-/session', { login: 'root', password: w.root.password })).status).toBe(
      201,
    )
    expect((await w.as(w.root).get('/personal_access_tokens/self')).body).toMatchObject({
      name: 'start',
      active: true,
      expires_at: null,
    })
  })

  it('reports an invalid password', async () => {
    await expect(world({ rootPassword: 'short' })).rejects.toThrow(
      'The password given for root is too short (minimum is 8 characters).',
    )
  })
})
