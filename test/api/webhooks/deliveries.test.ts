import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeEach, describe, expect, it } from 'vitest'

import { record } from '../../../server/domains/webhooks/index.ts'
import { removeOld } from '../../../server/domains/webhooks/deliveries/jobs.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import type { HookEvent } from '../../../server/domains/webhooks/index.ts'
import { world } from '../../support/world.ts'
import { watchEvents } from '../repository/fill.ts'
import { receiver, serve } from './receiver.ts'

const clock = frozenClock('2026-11-20T10:00:00.000Z')
const here = await world({ clock })
const root = here.as(here.root)
await root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
const outer = await here.make.group()
const inner = await here.make.group({ parent_id: outer.id })
const project = await here.make.project({ namespace_id: inner.id })
const there = await receiver()

const HOOKS = `/projects/${project.id}/hooks`
const PUSH = { object_kind: 'push', ref: 'refs/heads/main', commits: [{ id: 'a' }], total_commits_count: 1 }

async function hook(more: object = {}, at = HOOKS) {
  const made = await root.post(at, { url: `${there.url}/hook`, ...more })
  expect(made.status, made.text).toBe(201)
  return made.body as { id: number }
}

/** Records an event and runs the resulting jobs. */
async function happens(
  event: Partial<HookEvent> = {},
  cause?: { uuid: string; chained: boolean },
): Promise<number> {
  const ctx = here.ctx()
  const id = record(
    cause ? { ...ctx, cause } : ctx,
    { kind: 'push', project_id: project.id, ref: 'main', payload: PUSH, ...event },
    1,
  )
  await here.drain()
  return id
}

const log = async (id: number, at = HOOKS, query = '') => (await root.get(`${at}/${id}/events${query}`)).body

beforeEach(async () => {
  for (const at of [HOOKS, `/groups/${outer.id}/hooks`, `/groups/${inner.id}/hooks`, '/hooks'])
    for (const { id } of (await root.get(at)).body) await root.delete(`${at}/${id}`)
  there.requests.length = 0
  there.answer = {}
  clock.advance(3_600_000)
})

describe('a delivery', () => {
  it('has the recorded event and the headers of the contract', async () => {
    const uuid = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
    const { id } = await hook({
      url: there.url.replace('//', '//me:p%40ss-word@') + '/in/{room}?a=b#part',
      token: 'secret token\u00e9',
      url_variables: [{ key: 'room', value: 'cellar' }],
      custom_headers: [{ key: 'X-Mine', value: 'my own' }],
    })
    const publishedEvents = watchEvents(here, 'hook.delivery_ended')
    await happens({}, { uuid, chained: false })
    expect(there.requests).toHaveLength(1)
    const [request] = there.requests
    expect(request).toMatchObject({
      method: 'POST',
      path: '/in/cellar?a=b',
      headers: {
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^\w+\/\d+\.\d+/),
        'x-gitlab-event': 'Push Hook',
        'x-gitlab-event-uuid': uuid,
        'x-gitlab-instance': here.url,
        'x-gitlab-webhook-uuid': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'x-mine': 'my own',
        authorization: `Basic ${Buffer.from('me:p@ss-word').toString('base64')}`,
      },
    })
    expect(Buffer.from(request!.headers['x-gitlab-token'] as string, 'latin1').toString()).toBe(
      'secret token\u00e9',
    )
    expect(JSON.parse(request!.body)).toEqual(PUSH)
    expect(publishedEvents).toEqual([
      { project_id: project.id, delivery_id: expect.any(Number), hook_id: id, is_ok: true },
    ])
  })

  it('is logged without secrets, even if the response repeats them', async () => {
    const { id } = await hook({
      url: `${there.url}/{room}`,
      token: 'top-secret',
      url_variables: [{ key: 'room', value: 'cellar' }],
      custom_headers: [{ key: 'X-Mine', value: 'abc' }],
    })
    there.answer = {
      status: 202,
      headers: { 'X-Echo': 'top-secret', Server: 'here' },
      body: 'for cellar: top-secret',
    }
    await happens()
    const [entry] = await log(id)
    expect(entry).toMatchObject({
      url: `${there.url}/{room}`,
      trigger: 'push_hooks',
      request_headers: { 'X-Gitlab-Event': 'Push Hook', 'X-Gitlab-Token': '[MASKED]', 'X-Mine': '[MASKED]' },
      request_data: PUSH,
      response_headers: { 'X-Echo': '[MASKED]', Server: 'here' },
      response_body: 'for [MASKED]: [MASKED]',
      response_status: '202',
      execution_duration: expect.any(Number),
      error: null,
      attempt: 1,
    })
  })

  it('uses the template of the webhook', async () => {
    const template =
      '{"text": "{{ author.name }}: {{ title }}", "count": {{ count }}, "all": {{author}}, "none": {{no}}}'
    await hook({ custom_webhook_template: template })
    await happens({ payload: { title: 'Say "hi"\n\\o/', count: 3, author: { name: 'Ann' } } })
    expect(JSON.parse(there.requests[0]!.body)).toEqual({
      text: 'Ann: Say "hi"\n\\o/',
      count: 3,
      all: { name: 'Ann' },
      none: null,
    })
  })

  it('has the unchanged event when the template’s result is too large', async () => {
    await hook({ custom_webhook_template: `[${Array(150).fill('{{text}}').join()}]` })
    const payload = { text: 'x'.repeat(100_000) }
    await happens({ payload })
    expect(JSON.parse(there.requests[0]!.body)).toEqual(payload)
  })

  it('is not sent when it is too large', async () => {
    const { id } = await hook()
    await happens({ payload: { text: 'x'.repeat(25 * 1024 * 1024) } })
    clock.advance(3_600_000)
    await here.drain()
    expect(there.requests).toEqual([])
    const rows = here.ctx().db.many('SELECT error, attempt FROM deliveries WHERE hook_id = ?', id)
    expect(rows).toEqual([{ error: 'Nothing was sent: the message is larger than 25 MiB.', attempt: 1 }])
  })

  it('follows the order of events', async () => {
    await hook()
    const ctx = here.ctx()
    for (let number = 0; number < 12; number++)
      record(ctx, { kind: 'push', project_id: project.id, ref: 'main', payload: { number } }, 1)
    await here.drain()
    expect(there.requests.map((request) => JSON.parse(request.body).number)).toEqual([...Array(12).keys()])
  })

  it('stays in the log for two days', async () => {
    const { id } = await hook()
    await happens()
    clock.advance(2 * 86_400_000 - 1000)
    await removeOld(here.ctx())
    expect(await log(id)).toHaveLength(1)
    clock.advance(2000)
    await removeOld(here.ctx())
    expect(await log(id)).toEqual([])
    clock.advance(86_400_000)
    await removeOld(here.ctx())
    expect(here.ctx().db.many('SELECT id FROM hook_events')).toEqual([])
  })
})

describe('the webhooks that get an event', () => {
  it('are those of the project, its parent groups and the instance with the flag', async () => {
    await hook({ url: `${there.url}/project` })
    await hook({ url: `${there.url}/silent`, push_events: false, issues_events: true })
    await hook({ url: `${there.url}/inner` }, `/groups/${inner.id}/hooks`)
    await hook({ url: `${there.url}/outer` }, `/groups/${outer.id}/hooks`)
    await hook({ url: `${there.url}/instance`, push_events: true }, '/hooks')
    await hook({ url: `${there.url}/deaf` }, '/hooks')
    await happens()
    const received = Object.fromEntries(there.requests.map((request) => [request.path, request]))
    expect(Object.keys(received).toSorted()).toEqual(['/inner', '/instance', '/outer', '/project'])
    expect(received['/outer']!.headers['x-gitlab-event']).toBe('Push Hook')
    expect(received['/instance']!.headers['x-gitlab-event']).toBe('System Hook')
    // System hooks get no commits.
    expect(JSON.parse(received['/instance']!.body)).toEqual({ ...PUSH, commits: [] })
    there.requests.length = 0
    await happens({ kind: 'confidential_issue', payload: {} })
    expect(there.requests).toEqual([])
    await happens({ kind: 'issue', payload: {} })
    expect(there.requests.map((request) => request.path)).toEqual(['/silent'])
    there.requests.length = 0
    const everywhere = { kind: 'system', payload: { event_name: 'user_create' } } as const
    record(here.ctx(), everywhere, 1)
    await here.drain()
    expect(there.requests.map((request) => request.path).toSorted()).toEqual(['/deaf', '/instance'])
  })

  it('have a matching branch filter', async () => {
    const filters = {
      wildcard: { push_events_branch_filter: 'feature/*-x' },
      regex: { push_events_branch_filter: '^(main|release-\\d+)$', branch_filter_strategy: 'regex' },
      // `all_branches` ignores the filter.
      all: { push_events_branch_filter: 'nothing', branch_filter_strategy: 'all_branches' },
    }
    for (const [name, filter] of Object.entries(filters))
      await hook({ url: `${there.url}/${name}`, tag_push_events: true, ...filter })
    const hooksFor = async (ref: string, kind: 'push' | 'tag_push' = 'push') => {
      there.requests.length = 0
      await happens({ ref, kind })
      return there.requests.map((request) => request.path.slice(1)).toSorted()
    }
    expect(await hooksFor('feature/a/b-x')).toEqual(['all', 'wildcard'])
    expect(await hooksFor('feature/a.x')).toEqual(['all'])
    expect(await hooksFor('release-12')).toEqual(['all', 'regex'])
    expect(await hooksFor('main2')).toEqual(['all'])
    expect(await hooksFor('v1', 'tag_push')).toEqual(['all', 'regex', 'wildcard'])
  })

  it('did not trigger it themselves', async () => {
    const uuid = '11111111-2222-4333-8444-555555555555'
    const { id } = await hook()
    await happens({}, { uuid, chained: false })
    await happens({}, { uuid, chained: true })
    expect(there.requests).toHaveLength(1)
    const other = await hook()
    await happens({}, { uuid, chained: true })
    expect(there.requests).toHaveLength(2)
    expect(await log(other.id)).toHaveLength(1)
    expect(await log(id)).toHaveLength(1)
    // A request with this header belongs to the chain.
    await happens({}, { uuid: '11111111-2222-4333-8444-666666666666', chained: true })
    expect(there.requests).toHaveLength(4)
  })

  it('did not trigger it through an API call with the event uuid', async () => {
    let received = 0
    const echo = await serve(async (request, response) => {
      received++
      const headers = {
        'private-token': here.root.token,
        'x-gitlab-event-uuid': String(request.headers['x-gitlab-event-uuid']),
      }
      await fetch(`${here.url}/api/v4/projects/${project.id}/issues?title=Echo`, { method: 'POST', headers })
      response.end()
    })
    await hook({ url: echo.url, push_events: false, issues_events: true })
    await root.post(`/projects/${project.id}/issues`, { title: 'Call' })
    await here.drain()
    expect(received).toBe(1)
    expect((await root.get(`/projects/${project.id}/issues`)).body).toHaveLength(2)
  })

  it('are none in silent mode', async () => {
    const { id } = await hook()
    await root.put('/application/settings', { silent_mode_enabled: true })
    await happens()
    const tried = await root.post(`/hooks/${(await hook({}, '/hooks')).id}`)
    expect(tried.status).toBe(201)
    await root.put('/application/settings', { silent_mode_enabled: false })
    await happens()
    expect(there.requests).toHaveLength(1)
    expect(await log(id)).toHaveLength(1)
  })

  it('get remaining events after a restart', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'deskforge-restart-'))
    const before = await world({ dataDir })
    const as = before.as(before.root)
    await as.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
    const { id } = await before.make.project()
    await as.post(`/projects/${id}/hooks`, { url: there.url })
    record(before.ctx(), { kind: 'push', project_id: id, ref: 'main', payload: { left: 'over' } }, 1)
    await before.instance.close()
    const after = await world({ dataDir })
    await after.drain()
    expect(there.requests.map((request) => request.body)).toEqual(['{"left":"over"}'])
    await after.drain()
    expect(there.requests).toHaveLength(1)
  })

  it('get an event once, even if the job runs twice', async () => {
    await hook()
    const { db } = here.ctx()
    const { last } = db.one<{ last: number }>('SELECT max(id) AS last FROM jobs')!
    await happens()
    // Simulates a crash before the results of the jobs were stored.
    const { changes } = db.exec(`UPDATE jobs SET state = 'ready' WHERE id > ?`, last)
    expect(changes).toBe(2)
    await here.drain()
    expect(there.requests).toHaveLength(1)
  })
})

describe('a receiver that fails', () => {
  const status = async (id: number) => (await root.get(`${HOOKS}/${id}`)).body

  it('with 500 gets two retries with the same key', async () => {
    const { id } = await hook()
    there.answer = { status: 500 }
    await happens()
    expect(there.requests).toHaveLength(1)
    clock.advance(10_000)
    await here.drain()
    expect(there.requests).toHaveLength(2)
    clock.advance(59_000)
    await here.drain()
    expect(there.requests).toHaveLength(2)
    clock.advance(1000)
    await here.drain()
    clock.advance(3_600_000)
    await here.drain()
    expect(there.requests).toHaveLength(3)
    expect(new Set(there.requests.map((request) => request.headers['idempotency-key'])).size).toBe(1)
    expect(new Set(there.requests.map((request) => request.headers['x-gitlab-event-uuid'])).size).toBe(1)
    expect((await log(id)).map((delivery: { attempt: number }) => delivery.attempt)).toEqual([3, 2, 1])
    expect(here.ctx().db.one('SELECT recent_failures FROM web_hooks WHERE id = ?', id)).toEqual({
      recent_failures: 1,
    })
  })

  it('with 500 is disabled temporarily after four events, each time longer', async () => {
    const { id } = await hook()
    there.answer = { status: 500 }
    for (let count = 0; count < 3; count++) await happens()
    expect(await status(id)).toMatchObject({ alert_status: 'executable', disabled_until: null })
    const publishedEvents = watchEvents(here, 'hook.changed')
    await happens()
    const minute = (count: number) => new Date(clock.now() + count * 60_000).toISOString()
    expect(await status(id)).toMatchObject({
      alert_status: 'temporarily_disabled',
      disabled_until: minute(1),
    })
    expect(publishedEvents).toEqual([
      { project_id: project.id, hook_id: id, action: 'updated', actor_id: null },
    ])
    const before = there.requests.length
    await happens()
    expect(there.requests).toHaveLength(before)
    clock.advance(60_000)
    expect((await status(id)).alert_status).toBe('executable')
    await happens()
    expect(await status(id)).toMatchObject({
      alert_status: 'temporarily_disabled',
      disabled_until: minute(2),
    })
    for (let count = 0; count < 12; count++) {
      clock.advance(25 * 3_600_000)
      await happens()
    }
    expect((await status(id)).disabled_until).toBe(minute(24 * 60))
    clock.advance(25 * 3_600_000)
    there.answer = {}
    await happens()
    expect(await status(id)).toMatchObject({ alert_status: 'executable', disabled_until: null })
  })

  it('with 410 is disabled after four events, until it is updated or a test succeeds', async () => {
    const { id } = await hook()
    there.answer = { status: 410 }
    for (let count = 0; count < 6; count++) await happens()
    expect(there.requests).toHaveLength(4)
    expect(await status(id)).toMatchObject({ alert_status: 'disabled', disabled_until: null })
    clock.advance(30 * 86_400_000)
    await happens()
    expect(there.requests).toHaveLength(4)
    expect((await root.put(`${HOOKS}/${id}`, { issues_events: true })).body.alert_status).toBe('executable')
    for (let count = 0; count < 4; count++) await happens()
    expect((await status(id)).alert_status).toBe('disabled')
    there.answer = { status: 302 }
    const [last] = await log(id)
    const again = await root.post(`${HOOKS}/${id}/events/${last.id}/resend`)
    expect(again).toMatchObject({ status: 201, body: { response_status: 302 } })
    expect((await status(id)).alert_status).toBe('executable')
  })
})

describe('the log', () => {
  it('is filtered by status, with at most twenty entries a page', async () => {
    const { id } = await hook()
    for (const status of [200, 404, 503]) {
      there.answer = { status }
      await happens()
    }
    const statuses = async (query: string) =>
      (await log(id, HOOKS, query)).map((delivery: { response_status: string }) => delivery.response_status)
    expect(await statuses('')).toEqual(['503', '404', '200'])
    expect(await statuses('?status=404')).toEqual(['404'])
    expect(await statuses('?status=successful')).toEqual(['200'])
    expect(await statuses('?status=client_failure')).toEqual(['404'])
    expect(await statuses('?status=server_failure')).toEqual(['503'])
    expect(await statuses('?status=no_answer')).toEqual([])
    expect(await statuses('?per_page=1&page=2')).toEqual(['404'])
    expect((await root.get(`${HOOKS}/${id}/events?per_page=50`)).headers.get('x-per-page')).toBe('20')
    expect(await root.get(`${HOOKS}/${id}/events?status=good`)).toMatchObject({
      status: 400,
      body: { error: 'status does not have a valid value' },
    })
  })

  it('resends a delivery, and returns 422 without a response', async () => {
    const { id } = await hook()
    const uuid = 'aaaaaaaa-bbbb-4ccc-8ddd-000000000001'
    await happens({}, { uuid, chained: false })
    const [entry] = await log(id)
    expect((await root.post(`${HOOKS}/${id}/events/${entry.id}/resend`)).body).toEqual({
      response_status: 200,
    })
    const [first, second] = there.requests
    expect(second!.body).toBe(first!.body)
    for (const header of ['idempotency-key', 'x-gitlab-event-uuid', 'x-gitlab-event'])
      expect(second!.headers[header]).toBe(first!.headers[header])
    expect((await log(id))[0]).toMatchObject({ repeats_id: entry.id, request_data: PUSH })
    await root.put(`${HOOKS}/${id}`, { url: 'http://127.0.0.1:1/' })
    expect(await root.post(`${HOOKS}/${id}/events/${entry.id}/resend`)).toMatchObject({
      status: 422,
      body: { message: 'The port is reserved for another protocol.' },
    })
    expect((await root.post(`${HOOKS}/${id}/events/999999/resend`)).status).toBe(404)
    const other = await hook()
    expect((await root.post(`${HOOKS}/${other.id}/events/${entry.id}/resend`)).status).toBe(404)
  })

  it('returns 404 when the webhook is deleted during a resend', async () => {
    const { id } = await hook()
    await happens()
    const [entry] = await log(id)
    const remover = await serve((_request, response) => {
      void root.delete(`${HOOKS}/${id}`).then(() => response.end('thanks'))
    })
    await root.put(`${HOOKS}/${id}`, { url: remover.url })
    expect((await root.post(`${HOOKS}/${id}/events/${entry.id}/resend`)).status).toBe(404)
  })

  it('of a system hook contains its tests', async () => {
    const { id } = await hook({}, '/hooks')
    const tried = await root.post(`/hooks/${id}`)
    expect(tried).toMatchObject({
      status: 201,
      body: { event_name: 'project_create', name: 'Ruby', project_id: 1 },
    })
    expect(there.requests[0]!.headers['x-gitlab-event']).toBe('System Hook')
    expect(JSON.parse(there.requests[0]!.body)).toEqual(tried.body)
    const [entry] = await log(id, '/hooks')
    expect(entry).toMatchObject({ is_test: true, trigger: 'system_hooks', request_data: tried.body })
    expect((await root.post(`/hooks/${id}/events/${entry.id}/resend`)).status).toBe(201)
    expect(there.requests[1]!.body).toBe(there.requests[0]!.body)
  })
})
