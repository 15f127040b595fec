import { beforeAll, describe, expect, it } from 'vitest'

import { StartupError } from '../../../server/index.ts'
import { signIn } from '../../support/browser-session.ts'
import { world, type World } from '../../support/world.ts'

const WEAK = { message: { password: ['must not contain commonly used combinations of words and letters'] } }
const ADA = { name: 'Ada Lovelace', username: 'countess', email: 'augusta@example.test' }

let w: World

beforeAll(async () => {
  w = await world()
})

const create = (password: string, more: object = {}) =>
  w.as(w.root).post('/users', { ...ADA, skip_confirmation: true, password, ...more })

describe('a weak password', () => {
  it.each([
    ['one of the list', 'password'],
    ['one of digits', '12345678'],
    ['whatever its case', 'PassWord'],
    ['with signs around it', '!!football7'],
    ['in wide letters', 'ｐａｓｓｗｏｒｄ'],
    ['the user name', 'countess'],
    ['the user name in something longer', 'the countess of kent'],
    ['the name', 'ada lovelace'],
    ['the name in one word', 'xx-adalovelace-xx'],
    ['a part of the name', '2 enchanted lovelace machines'],
    ['the address', 'augusta@example.test'],
    ['the address before the @', 'from augusta with joy'],
    ['the name of the product', 'my deskforge 2026'],
  ])('is refused: %s', async (_why, password) => {
    const answer = await create(password)
    expect([answer.status, answer.body]).toEqual([400, WEAK])
  })

  it('returns only the errors that apply', async () => {
    // Parts of a name with three letters are allowed, and so are the names of other users.
    const { status, body } = await create('adamant grace hopper')
    expect(status).toBe(201)
    expect(
      (await w.as(null).post('/-/session', { login: ADA.username, password: 'adamant grace hopper' })).status,
    ).toBe(201)
    expect((await w.as(w.root).delete(`/users/${body.id}?hard_delete=true`)).status).toBe(204)
  })

  it('is not checked when a random password is requested', async () => {
    const random = { force_random_password: true, password: 'password' }
    const names = { username: 'random', email: 'random@example.test' }
    expect((await create('password', { ...random, ...names })).status).toBe(201)
  })
})

describe('every way to set a password', () => {
  it('checks passwords that an administrator sets, also for a new name in the same request', async () => {
    const user = w.make.user({ username: 'grace' })
    const change = (params: object) => w.as(w.root).put(`/users/${user.id}`, params)
    expect(await change({ password: 'letmein1' })).toMatchObject({ status: 400, body: WEAK })
    expect(await change({ password: 'here is grace again' })).toMatchObject({ status: 400, body: WEAK })
    const renamed = { username: 'hopper', password: 'here is a hopper' }
    expect(await change(renamed)).toMatchObject({ status: 400, body: WEAK })
    expect((await change({ password: 'cobol and compilers' })).status).toBe(200)
  })

  it('checks passwords of sign-ups', async () => {
    const person = { name: 'Otto', username: 'otto', email: 'otto@example.test', password: 'qwertyuiop' }
    expect(await w.as(null).post('/-/registration', person)).toMatchObject({ status: 400, body: WEAK })
  })

  it('checks passwords of signed-in users and of reset links', async () => {
    const window = await signIn(w)
    const params = { current_password: w.root.password, password: 'administrator' }
    expect(await window.put('/-/profile/password', params)).toMatchObject({ status: 400, body: WEAK })
    const link = await w.as(w.root).post('/-/admin/users/1/password_reset')
    expect(link.status).toBe(201)
    const reset = { token: link.body.token, password: 'iloveyou' }
    expect(await w.as(null).post('/-/password_reset', reset)).toMatchObject({ status: 400, body: WEAK })
    // The link is still valid after a refused password.
    const strong = { ...reset, password: w.root.password }
    expect((await w.as(null).post('/-/password_reset', strong)).status).toBe(204)
  })

  it('checks the password of the first run', async () => {
    const fresh = await world({ rootPassword: undefined as never, rootToken: undefined as never })
    const answer = await fresh.as(null).post('/-/first_run', { ...ADA, password: 'password' })
    expect([answer.status, answer.body]).toEqual([400, WEAK])
    expect((await fresh.as(null).get('/-/session')).body.first_run).toBe(true)
  })

  it('checks the password of the start option', async () => {
    const started = world({ rootPassword: '12345678' })
    await expect(started).rejects.toThrow(StartupError)
    await expect(started).rejects.toThrow(
      'The password given for root must not contain commonly used combinations of words and letters.',
    )
  })
})
