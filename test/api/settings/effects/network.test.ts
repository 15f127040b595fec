import { afterEach, beforeAll, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../../server/lib/clock.ts'
import { ForbiddenDestination, Outbound } from '../../../../server/lib/outbound.ts'
import { browser, cookieOf, signIn } from '../../../support/browser-session.ts'
import { world, type TestUser, type World } from '../../../support/world.ts'
import { fill } from '../../repository/fill.ts'
import { receiver, type Receiver } from '../../webhooks/receiver.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
let w: World
let near: Receiver
let user: TestUser
let project: { id: number; path_with_namespace: string }
beforeAll(async () => {
  w = await world({ clock })
  near = await receiver()
  user = w.make.user()
  project = await w.make.project({ visibility: 'public' })
  fill(w, project, [{ files: { a: 'a\n' } }])
  await w.make.member('projects', project.id, user, 40)
})
afterEach(() => {
  w.ctx().db.exec("UPDATE application_settings SET changes = '{}'")
  near.requests.length = 0
})
const set = async (changes: object) => {
  const { status, text } = await w.as(w.root).put('/application/settings', changes)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
}

/** Sends a request. Returns `reached`, or `kept in` if it is refused. */
async function reach(url: string, purpose: 'any' | 'system_hook' | 'mail' = 'any'): Promise<string> {
  try {
    await w.ctx().outbound.fetch(url, { purpose })
    return 'reached'
  } catch (error) {
    if ((error as Error).cause instanceof ForbiddenDestination) return 'kept in'
    throw error
  }
}
const hook = (url: string) => w.as(w.root).post(`/projects/${project.id}/hooks`, { url })

describe('outbound requests', () => {
  it('allow_local_requests_from_web_hooks_and_services: allows requests to the local network', async () => {
    const refused = await hook(near.url)
    expect([refused.status, refused.body, await reach(near.url)]).toEqual([
      422,
      { error: 'Invalid url given' },
      'kept in',
    ])
    await set({ allow_local_requests_from_web_hooks_and_services: true })
    expect([(await hook(near.url)).status, await reach(near.url)]).toEqual([201, 'reached'])
  })

  it('allow_local_requests_from_system_hooks: applies to system hooks only', async () => {
    expect([await reach(near.url, 'system_hook'), await reach(near.url)]).toEqual(['reached', 'kept in'])
    await set({ allow_local_requests_from_system_hooks: false })
    expect(await reach(near.url, 'system_hook')).toBe('kept in')
    expect((await w.as(w.root).post('/hooks', { url: near.url })).status).toBe(422)
  })

  const exceptions = [
    { entry: '127.0.0.1', is: 'reached' },
    { entry: '127.0.0.0/8', is: 'reached' },
    { entry: 'localhost', is: 'kept in' },
    { entry: '127.0.0.1:PORT', is: 'reached' },
    { entry: '127.0.0.1:1', is: 'kept in' },
    { entry: '10.0.0.0/8', is: 'kept in' },
  ]
  it.each(exceptions)('outbound_local_requests_whitelist with $entry: $is', async ({ entry, is }) => {
    await set({ outbound_local_requests_whitelist: [entry.replace('PORT', String(near.port))] })
    expect(await reach(near.url)).toBe(is)
    expect((await hook(near.url)).status).toBe(is === 'reached' ? 201 : 422)
  })

  it('outbound_local_requests_whitelist: accepts host names', async () => {
    await set({ outbound_local_requests_allowlist_raw: `localhost:${near.port}\n10.1.1.1` })
    expect(await reach(`http://localhost:${near.port}/`)).toBe('reached')
    expect(await reach(near.url)).toBe('kept in')
  })

  it('deny_all_requests_except_allowed: refuses all other addresses, local or not', async () => {
    await set({
      deny_all_requests_except_allowed: true,
      allow_local_requests_from_web_hooks_and_services: true,
      outbound_local_requests_whitelist: ['192.0.2.0/24'],
    })
    expect([await reach(near.url), await reach(near.url, 'system_hook')]).toEqual(['kept in', 'kept in'])
    expect((await hook('http://93.184.216.34/')).status).toBe(422)
    expect((await hook('http://192.0.2.9/')).status).toBe(201)
    // The mail server is a setting, so it is always allowed.
    expect(await reach(near.url, 'mail')).toBe('reached')
    await set({ outbound_local_requests_whitelist: ['127.0.0.1'] })
    expect(await reach(near.url)).toBe('reached')
  })

  it('dns_rebinding_protection_enabled: connects to the checked address', async () => {
    // The policy changes between the lookup and the connection, like a name with a new address.
    const rebound = (pinsAddress: boolean) => {
      let checks = 0
      return new Outbound(() => ({ allowLocal: ++checks === 1, allowList: [], pinsAddress }))
    }
    for (const [isOn, is] of [
      [true, false],
      [false, true],
    ] as const) {
      const agent = rebound(isOn)
      const isReached = await agent.fetch(near.url).then(
        () => true,
        (error: Error) => !(error.cause instanceof ForbiddenDestination),
      )
      expect([isOn, isReached]).toEqual([isOn, is])
      await agent.close()
    }
    await set({
      dns_rebinding_protection_enabled: false,
      allow_local_requests_from_web_hooks_and_services: true,
    })
    expect(await reach(`http://localhost:${near.port}/`)).toBe('reached')
    await set({ allow_local_requests_from_web_hooks_and_services: false })
    expect(await reach(`http://localhost:${near.port}/`)).toBe('kept in')
  })

  it('silent_mode_enabled: sends no webhooks and no emails', async () => {
    await set({ allow_local_requests_from_web_hooks_and_services: true })
    const { id } = (await hook(near.url)).body
    await set({ silent_mode_enabled: true })
    await w.as(w.root).post(`/projects/${project.id}/hooks/${id}/test/push_events`)
    await w.drain()
    expect(near.requests).toEqual([])
    await set({ silent_mode_enabled: false })
    expect((await w.as(w.root).post(`/projects/${project.id}/hooks/${id}/test/push_events`)).status).toBe(201)
    await w.drain()
    expect(near.requests.map(({ method }) => method)).toEqual(['POST'])
  })
})

describe('maintenance', () => {
  const push = (who: TestUser) =>
    w.as(null).get(`!/${project.path_with_namespace}.git/info/refs?service=git-receive-pack`, {
      authorization: `Basic ${Buffer.from(`x:${who.token}`).toString('base64')}`,
    })

  it('maintenance_mode: refuses writes and pushes of everybody except administrators', async () => {
    const window = await signIn(w)
    await set({ maintenance_mode: true })
    const text = 'You cannot perform write operations on a read-only instance'
    for (const who of [user, null]) {
      const refused = await w.as(who).post(`/projects/${project.id}/issues`, { title: 'a' })
      expect([refused.status, refused.body]).toEqual([503, { message: text }])
    }
    expect((await w.as(user).get(`/projects/${project.id}/issues`)).status).toBe(200)
    const refused = await push(user)
    expect([refused.status, refused.text]).toEqual([503, `${text}\n`])
    expect((await push(w.root)).status).toBe(200)
    expect(
      (await w.as(null).get(`!/${project.path_with_namespace}.git/info/refs?service=git-upload-pack`)).status,
    ).toBe(200)
    expect((await w.as(w.root).post(`/projects/${project.id}/issues`, { title: 'a' })).status).toBe(201)
    expect((await window.post(`/projects/${project.id}/issues`, { title: 'b' })).status).toBe(201)
    // An administrator must be able to sign in to end the maintenance mode.
    const entered = await w.as(null).post('/-/session', { login: 'root', password: w.root.password })
    expect([entered.status, entered.body.instance.maintenance]).toEqual([201, text])
    const next = browser(w, cookieOf(entered), entered.body.csrf_token)
    expect((await next.put('/application/settings', { maintenance_mode: false })).status).toBe(200)
    expect((await w.as(user).post(`/projects/${project.id}/issues`, { title: 'c' })).status).toBe(201)
  })

  it('maintenance_mode: lets administrators enter admin mode', async () => {
    await set({ maintenance_mode: true, admin_mode: true })
    const window = await signIn(w)
    expect((await window.post(`/projects/${project.id}/issues`, { title: 'a' })).status).toBe(503)
    expect((await window.post('/-/session/admin', { password: w.root.password })).status).toBe(201)
    expect((await window.post(`/projects/${project.id}/issues`, { title: 'a' })).status).toBe(201)
  })

  it('maintenance_mode_message: is the message of the error', async () => {
    await set({ maintenance_mode: true, maintenance_mode_message: 'Back at noon.' })
    const refused = await w.as(user).post(`/projects/${project.id}/issues`, { title: 'a' })
    expect(refused.body).toEqual({ message: 'Back at noon.' })
    expect((await push(user)).text).toBe('Back at noon.\n')
    expect((await w.as(null).get('/-/session')).body.instance.maintenance).toBe('Back at noon.')
  })
})

describe('external authorization', () => {
  it('external_authorization_service_enabled: sends one request per project, and shows the reason', async () => {
    const service = await receiver({ status: 403, body: '{"reason":"Not for you."}' })
    const ask = () => w.as(user).get(`/projects/${project.id}`)
    expect((await ask()).status).toBe(200)
    expect((await ask()).status).toBe(200)
    await set({
      allow_local_requests_from_web_hooks_and_services: true,
      external_authorization_service_enabled: true,
      external_authorization_service_url: service.url,
      external_authorization_service_default_label: 'usual',
      external_authorization_service_timeout: 1,
    })
    const refused = await ask()
    expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden - Not for you.' }])
    expect([(await ask()).status, service.requests.length]).toEqual([403, 1])
    expect(JSON.parse(service.requests[0]!.body)).toEqual({
      user_identifier: `${user.username}@example.test`,
      project_classification_label: 'usual',
    })
    const git = await w
      .as(null)
      .get(`!/${project.path_with_namespace}.git/info/refs?service=git-upload-pack`, {
        authorization: `Basic ${Buffer.from(`x:${user.token}`).toString('base64')}`,
      })
    expect([git.status, git.text]).toEqual([403, 'Not for you.\n'])
    const raw = await w.as(user).get(`!/${project.path_with_namespace}/-/raw/main/a`)
    expect([raw.status, (await w.as(null).get(`/projects/${project.id}`)).status]).toEqual([403, 403])
    expect((await w.as(w.root).get(`/projects/${project.id}`)).status).toBe(200)
    service.answer = { status: 200 }
    expect((await ask()).status).toBe(403)
    await w.as(w.root).put(`/projects/${project.id}`, { external_authorization_classification_label: 'open' })
    expect((await ask()).status).toBe(200)
    expect(JSON.parse(service.requests.at(-1)!.body)).toMatchObject({ project_classification_label: 'open' })
    clock.advance(12 * 3_600_000)
    service.answer = { status: 500 }
    expect((await ask()).body).toEqual({
      message: '403 Forbidden - External authorization denied access to this project',
    })
    clock.advance(10_000)
    service.answer = { status: 200 }
    expect((await ask()).status).toBe(200)
  })

  it('external_authorization_service_timeout: denies access after the timeout', async () => {
    const { createServer } = await import('node:net')
    const { listen } = await import('../../webhooks/receiver.ts')
    const port = await listen(createServer(() => undefined))
    await set({
      allow_local_requests_from_web_hooks_and_services: true,
      external_authorization_service_enabled: true,
      external_authorization_service_url: `http://127.0.0.1:${port}`,
      external_authorization_service_default_label: 'usual',
      external_authorization_service_timeout: 0.1,
    })
    expect((await w.as(user).get(`/projects/${project.id}`)).status).toBe(403)
  })

  const proved = {
    settings: ['external_authorization_service_url', 'external_authorization_service_default_label'],
  }
  it('uses settings that the tests above cover', async () => {
    const { body } = await w.as(w.root).get('/application/settings')
    expect(proved.settings.map((name) => body[name])).toEqual([null, null])
  })
})
