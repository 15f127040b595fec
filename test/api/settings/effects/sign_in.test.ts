import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { openSession } from '../../../../server/domains/auth/index.ts'
import { userById } from '../../../../server/domains/users/index.ts'
import { frozenClock } from '../../../../server/lib/clock.ts'
import { browser, cookieOf, signIn } from '../../../support/browser-session.ts'
import { world, type TestUser, type World } from '../../../support/world.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
const DAY = 86_400_000
let w: World
const rendererDir = mkdtempSync(join(tmpdir(), 'deskforge-window-'))
mkdirSync(rendererDir, { recursive: true })
writeFileSync(join(rendererDir, 'index.html'), '<title>Window</title>')
beforeAll(async () => {
  w = await world({ clock, rendererDir })
})
afterAll(() => rmSync(rendererDir, { recursive: true, force: true }))
afterEach(() => {
  w.ctx().db.exec("UPDATE application_settings SET changes = '{}'")
  clock.advance(60_000)
})
const set = async (changes: object) => {
  const { status, text } = await w.as(w.root).put('/application/settings', changes)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
}
const enter = (more: object = {}) =>
  w.as(null).post('/-/session', { login: 'root', password: w.root.password, ...more })
const basic = (user: TestUser, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user.username}:${password}`).toString('base64')}`,
})
/** Opens a session of root from another address. */
const from = (ip: string) => openSession(w.ctx(), userById(w.ctx().db, 1)!, { ip, user_agent: 'test' })

describe('signing in', () => {
  it('password_authentication_enabled_for_web: disables sign-in with a password', async () => {
    await set({ password_authentication_enabled_for_web: false })
    expect((await enter()).status).toBe(403)
    const { instance } = (await w.as(null).get('/-/session')).body
    expect([instance.password_sign_in, instance.sign_up_enabled]).toEqual([false, false])
  })

  it('password_authentication_enabled_for_git: allows only tokens for git', async () => {
    const project = await w.make.project()
    const path = `!/${project.path_with_namespace}.git/info/refs?service=git-upload-pack`
    const statuses = async () => [
      (await w.as(null).get(path, basic(w.root, w.root.password))).status,
      (await w.as(null).get(path, basic(w.root, w.root.token))).status,
    ]
    expect(await statuses()).toEqual([200, 200])
    await set({ password_authentication_enabled_for_git: false })
    expect(await statuses()).toEqual([401, 200])
  })

  it('session_expire_delay: ends an unused session', async () => {
    await set({ session_expire_delay: 30 })
    const window = await signIn(w)
    clock.advance(30 * 60_000 - 1)
    expect((await window.get('/user')).status).toBe(200)
    clock.advance(1)
    expect((await window.get('/user')).status).toBe(401)
    expect((await enter()).headers.getSetCookie()[0]).toContain('Max-Age=1800')
  })

  it('remember_me_enabled: allows sessions of two weeks', async () => {
    await set({ session_expire_delay: 60 })
    const answer = await enter({ remember_me: true })
    expect([answer.body.instance.remember_me, answer.headers.getSetCookie()[0]]).toEqual([
      true,
      expect.stringContaining('Max-Age=1209600'),
    ])
    const window = browser(w, cookieOf(answer), answer.body.csrf_token)
    clock.advance(13 * DAY)
    expect((await window.get('/user')).status).toBe(200)
    w.ctx().bookkeeping.flush()
    clock.advance(13 * DAY)
    expect((await window.get('/user')).status).toBe(200)
    await set({ remember_me_enabled: false })
    const next = await enter({ remember_me: true })
    expect([next.body.instance.remember_me, next.headers.getSetCookie()[0]]).toEqual([
      false,
      expect.stringContaining('Max-Age=3600'),
    ])
    clock.advance(61 * 60_000)
    expect((await browser(w, cookieOf(next), '').get('/user')).status).toBe(401)
  })

  it('notify_on_unknown_sign_in: sends an email about an unknown address', async () => {
    const mails = () =>
      w
        .ctx()
        .db.many<{ text: string }>("SELECT text FROM mails WHERE subject LIKE '%sign-in from new location'")
    await signIn(w)
    await signIn(w)
    await w.drain()
    expect(mails()).toEqual([])
    from('192.0.2.7')
    from('192.0.2.7')
    await w.drain()
    expect(mails()).toEqual([{ text: expect.stringContaining('192.0.2.7') }])
    await set({ notify_on_unknown_sign_in: false })
    from('192.0.2.8')
    await w.drain()
    expect(mails()).toHaveLength(1)
  })

  it('unique_ips_limit_enabled: limits the IP addresses of an account', async () => {
    const user = w.make.user()
    const project = await w.make.project({ owner: user })
    const path = `!/${project.path_with_namespace}.git/info/refs?service=git-upload-pack`
    const statusAt = (host: string, target: string, headers: Record<string, string>) =>
      fetch(w.url.replace('127.0.0.1', host) + target, { headers }).then(({ status }) => status)
    const api = (host: string) => statusAt(host, '/api/v4/user', { 'private-token': user.token })
    const other = await elsewhere(w.url, user.token)
    expect([await api('127.0.0.1'), await other()]).toEqual([200, 200])
    await set({
      unique_ips_limit_enabled: true,
      unique_ips_limit_per_user: 1,
      unique_ips_limit_time_window: 600,
    })
    expect(await api('127.0.0.1')).toBe(200)
    expect(await other()).toBe(403)
    expect((await w.as(null).get(path, basic(user, user.token))).status).toBe(200)
    clock.advance(600_000)
    expect(await other()).toBe(200)
    expect(await api('127.0.0.1')).toBe(403)
    expect((await w.as(null).get(path, basic(user, user.token))).status).toBe(403)
    await set({ unique_ips_limit_per_user: 2 })
    expect([await api('127.0.0.1'), await other()]).toEqual([200, 200])
  })

  const proved = { settings: ['unique_ips_limit_per_user', 'unique_ips_limit_time_window'] }
  it('from a limited number of addresses is covered by the test above', async () => {
    const { body } = await w.as(w.root).get('/application/settings')
    expect(proved.settings.map((name) => body[name])).toEqual([10, 3600])
  })

  it('admin_mode: administrators enter their password again', async () => {
    await set({ admin_mode: true })
    const window = await signIn(w)
    const state = await window.get('/-/session')
    expect([state.body.admin_mode, state.body.user.is_admin]).toEqual(['asleep', undefined])
    expect((await window.get('/application/settings')).status).toBe(403)
    expect((await window.post('/-/session/admin', { password: 'wrong' })).status).toBe(401)
    const woken = await window.post('/-/session/admin', { password: w.root.password })
    expect([woken.status, woken.body.admin_mode, woken.body.user.is_admin]).toEqual([201, 'active', true])
    expect((await window.get('/application/settings')).status).toBe(200)
    expect((await (await signIn(w)).get('/application/settings')).status).toBe(403)
    expect((await window.delete('/-/session/admin')).body.admin_mode).toBe('asleep')
    expect((await window.get('/application/settings')).status).toBe(403)
    await window.post('/-/session/admin', { password: w.root.password })
    clock.advance(6 * 3_600_000)
    expect((await window.get('/application/settings')).status).toBe(403)
    // Tokens require the scope `admin_mode`.
    const token = w.make.token(w.root, ['api', 'sudo'])
    expect((await w.as({ ...w.root, token }).get('/application/settings')).status).toBe(403)
    expect((await w.as({ ...w.root, token }).get('/user?sudo=root')).status).toBe(403)
    const strong = w.make.token(w.root, ['api', 'admin_mode'])
    expect((await w.as({ ...w.root, token: strong }).get('/application/settings')).status).toBe(200)
    const nobody = w.make.user()
    expect((await w.as(nobody).post('/-/session/admin', { password: 'x' })).status).toBe(403)
    await set({ admin_mode: false })
    expect((await window.get('/-/session')).body.admin_mode).toBe('none')
    expect((await window.get('/application/settings')).status).toBe(200)
  })
})

describe('pages before and after sign-in', () => {
  it('home_page_url: redirects anonymous visitors of the start page', async () => {
    const ask = (path: string, cookie = '') => w.as(null).get(`!${path}`, { accept: 'text/html', cookie })
    expect((await ask('/')).status).toBe(200)
    await set({ home_page_url: 'https://about.test/us' })
    const redirect = await ask('/')
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, 'https://about.test/us'])
    expect((await ask('/users/sign_in')).status).toBe(200)
    expect((await ask('/', (await signIn(w)).cookie)).status).toBe(200)
    expect((await ask('/', '_service_session=wrong')).status).toBe(302)
    await set({ home_page_url: `${w.url}/` })
    expect((await ask('/')).status).toBe(200)
  })

  const texts = [
    { setting: 'sign_in_text', value: 'Welcome *here*' },
    { setting: 'after_sign_up_text', value: 'Thank you' },
    { setting: 'after_sign_out_path', value: 'https://about.test/bye' },
  ]
  it.each(texts)('$setting is shown by the window before sign-in', async ({ setting, value }) => {
    await set({ [setting]: value })
    expect((await w.as(null).get('/-/session')).body.instance[setting]).toBe(value)
  })
})

/** Returns a function that requests the user of a token from another loopback address. */
async function elsewhere(url: string, token: string): Promise<() => Promise<number>> {
  const { request } = await import('node:http')
  const { hostname, port } = new URL(url)
  return () =>
    new Promise((resolve, reject) => {
      const headers = { 'private-token': token }
      const options = { hostname, port, localAddress: '127.0.0.2', path: '/api/v4/user', headers }
      request(options, (answer) => {
        answer.resume()
        resolve(answer.statusCode!)
      })
        .on('error', reject)
        .end()
    })
}
