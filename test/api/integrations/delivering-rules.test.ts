import { createServer } from 'node:net'

import { describe, expect, it } from 'vitest'

import { record } from '../../../server/domains/webhooks/index.ts'
import { listen, serve } from '../webhooks/receiver.ts'
import { samples, scene } from './scene.ts'

const s = await scene({ hookTimeoutMs: 1000 })
const { w, page, deliver, only, there, log } = s
const { push, issue, mergeRequest, noteOn, pipeline, deployment, wikiPage, labels, NOTHING } = samples(s)
const root = w.as(w.root)
const HOOK = { webhook: `${there.url}/in` }
const ref = (name: string) => push({ ref: name })
/** Returns how many messages an event causes. */
const count = async (...event: Parameters<typeof deliver>) => (await deliver(...event)).length
/** Returns the channels of the messages that an event causes. */
const channels = async (...event: Parameters<typeof deliver>) =>
  (await deliver(...event)).map(
    (request) => JSON.parse(new URLSearchParams(request.body).get('payload')!).channel,
  )

describe('A chat gets messages', () => {
  it('for its events only, and not for plain updates', async () => {
    await only('slack', { ...HOOK, push_events: false, branches_to_be_notified: 'all' })
    expect(await count('push', push())).toBe(0)
    expect(await count('tag_push', ref('refs/tags/v1'))).toBe(1)
    expect(await count('deployment', deployment())).toBe(0)
    expect(await count('issue', issue({ action: 'update' }))).toBe(0)
    expect(await count('merge_request', mergeRequest({ action: 'update' }))).toBe(0)
    expect(await count('note', noteOn({ issue: { iid: 3, title: 'Leak' } }))).toBe(1)
    expect(await count('wiki_page', wikiPage())).toBe(1)
    expect(await count('job', { object_kind: 'build' })).toBe(0)
  })

  it('not after it is deactivated, and not from other projects', async () => {
    await only('slack', HOOK)
    await root.delete(`/projects/${s.project.id}/integrations/slack`)
    expect(await count('push', push())).toBe(0)
    await only('slack', HOOK)
    const other = await w.make.project()
    record(w.ctx(), { kind: 'push', project_id: other.id, payload: push() }, null)
    await w.drain()
    expect(there.requests).toEqual([])
  })

  it.each([
    ['all', ['main', 'safe', 'free']],
    ['default', ['main']],
    ['protected', ['safe']],
    ['default_and_protected', ['main', 'safe']],
  ])('about the chosen branches (%s)', async (choice, chosen) => {
    await root.delete(`/projects/${s.project.id}/protected_branches/main`)
    await root.post(`/projects/${s.project.id}/protected_branches`, { name: 'sa*' })
    await only('slack', {
      ...HOOK,
      branches_to_be_notified: choice,
      deployment_events: true,
      notify_only_broken_pipelines: false,
    })
    for (const name of ['main', 'safe', 'free']) {
      const expected = Number(chosen.includes(name))
      expect([name, await count('push', ref(`refs/heads/${name}`))]).toEqual([name, expected])
      expect([name, await count('pipeline', pipeline({ ref: name }))]).toEqual([name, expected])
      expect([name, await count('deployment', deployment({ ref: name }))]).toEqual([name, expected])
    }
    expect(await count('tag_push', ref('refs/tags/free'))).toBe(1)
    expect(await count('pipeline', pipeline({ ref: 'free', tag: true }))).toBe(1)
  })

  it('for finished pipelines, and for successful ones on request', async () => {
    const counts = async () => [
      await count('pipeline', pipeline({ status: 'running' })),
      await count('pipeline', pipeline({ status: 'success' })),
      await count('pipeline', pipeline({ status: 'canceled' })),
      await count('pipeline', pipeline({ status: 'failed' })),
    ]
    await only('slack', HOOK)
    expect(await counts()).toEqual([0, 0, 0, 1])
    await only('slack', { ...HOOK, notify_only_broken_pipelines: false })
    expect(await counts()).toEqual([0, 1, 0, 1])
  })

  it.each([
    ['~bug,~"needs docs"', 'match_any', [0, 1, 1, 1]],
    ['bug, needs docs', 'match_all', [0, 0, 0, 1]],
    ['~bug', 'match_all', [0, 1, 0, 1]],
    ['', 'match_any', [1, 1, 1, 1]],
  ])('about issues and merge requests with the labels %j, %s', async (filter, behavior, expected) => {
    await only('slack', {
      ...HOOK,
      labels_to_be_notified: filter,
      labels_to_be_notified_behavior: behavior,
    })
    const titles = [[], ['bug'], ['needs docs', 'x'], ['bug', 'needs docs']]
    const counts = async (event: (names: string[]) => Parameters<typeof deliver>) => {
      const counts: number[] = []
      for (const names of titles) counts.push(await count(...event(names)))
      return counts
    }
    expect(await counts((names) => ['issue', issue({}, ...names)])).toEqual(expected)
    const subject = (names: string[]) => ({ iid: 4, title: 'Seal', labels: labels(...names) })
    expect(await counts((names) => ['note', noteOn({ merge_request: subject(names) })])).toEqual(expected)
    expect(await count('push', push())).toBe(1)
    // A subject without labels does not match a filter by labels.
    const snippet = noteOn({ snippet: { id: 5, title: 'Bit' } })
    expect(await count('note', snippet)).toBe(filter === '' ? 1 : 0)
  })

  it('in the channels of the event, otherwise in the default channel', async () => {
    await only('slack', {
      ...HOOK,
      channel: 'all',
      push_channel: '#a, #b ,#a',
      issue_channel: 'issues',
      confidential_note_channel: 'hush',
      note_channel: 'notes',
    })
    expect(await channels('push', push())).toEqual(['#a', '#b'])
    expect(await channels('issue', issue())).toEqual(['issues'])
    expect(await channels('confidential_issue', issue())).toEqual(['issues'])
    const note = noteOn({ issue: { iid: 3, title: 'Leak' } })
    expect(await channels('note', note)).toEqual(['notes'])
    expect(await channels('confidential_note', note)).toEqual(['hush'])
    expect(await channels('merge_request', mergeRequest())).toEqual(['all'])
    await only('slack', HOOK)
    expect(await channels('push', push())).toEqual([undefined])
  })
})

describe('A failed delivery', () => {
  it('is logged, is not retried, and does not affect other integrations', async () => {
    await only('slack', HOOK)
    there.answer = { status: 500, body: 'no' }
    expect(await count('push', push())).toBe(1)
    there.answer = {}
    expect(log()).toMatchObject([{ response_status: 500, error: null, url: `${there.url}/…` }])
    s.clock.advance(3_600_000)
    await w.drain()
    expect(there.requests).toEqual([])
    expect(await count('push', push())).toBe(1)
    expect(log()).toMatchObject([{ response_status: 200 }, { response_status: 500 }])
  })

  it('ends at the time limit when a receiver hangs', async () => {
    const { url } = await serve(() => undefined)
    await only('slack', { webhook: `${url}/x` })
    expect(await count('push', push())).toBe(0)
    expect(log()).toMatchObject([
      { response_status: null, error: 'There was no complete answer within 1 second.' },
    ])
  })

  it('is logged for blocked addresses and in silent mode', async () => {
    await only('slack', HOOK)
    const set = (values: object) => root.put('/application/settings', values)
    await set({ allow_local_requests_from_web_hooks_and_services: false })
    expect(await count('push', push())).toBe(0)
    expect(log()[0]!.error).toMatch(/^Requests to the local network are not allowed/)
    await set({ allow_local_requests_from_web_hooks_and_services: true, silent_mode_enabled: true })
    expect(await count('push', push())).toBe(0)
    expect(log()[0]!.error).toBe('Nothing was sent: the instance is in silent mode.')
    await only('irker', { recipients: 'irc://irc.example/reef' })
    await deliver('push', push())
    expect(log()[0]!.error).toBe('Nothing was sent: the instance is in silent mode.')
    await set({ silent_mode_enabled: false })
  })
})

describe('irker', () => {
  it('gets lines of JSON for channels', async () => {
    let received = ''
    const port = await listen(
      createServer((socket) => {
        socket.on('data', (part) => (received += part.toString()))
        socket.on('end', () => socket.end())
      }),
    )
    const settings = {
      recipients: 'kelp irc://other.example:7000/reef',
      default_irc_uri: 'irc://irc.example/',
      server_host: '127.0.0.1',
      server_port: port,
    }
    await only('irker', settings)
    const four = [...push().commits, ...push().commits]
    await deliver('push', push({ commits: four, total_commits_count: 9 }))
    const lines = () =>
      received
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { to: string[]; privmsg: string })
    const to = ['irc://irc.example/kelp', 'irc://other.example:7000/reef']
    expect(lines()).toEqual(
      [
        expect.stringMatching(/^\[Reef \/ Kelp\] Ann Example pushed 9 commits to main: http/),
        'Reef / Kelp/main 1a2b3c4d Bob <b>: Fix [a] | *b*',
        'Reef / Kelp/main 5e6f7a8b Bob <b>: Second',
        'Reef / Kelp/main 1a2b3c4d Bob <b>: Fix [a] | *b*',
        '… and 6 commits more',
      ].map((privmsg) => ({ to, privmsg })),
    )
    expect(log()).toMatchObject([{ url: `irker://127.0.0.1:${port}`, error: null, response_status: null }])
    received = ''
    await only('irker', { ...settings, colorize_messages: true })
    await deliver('push', push({ after: NOTHING, commits: [] }))
    expect(lines()).toEqual([
      { to, privmsg: '[\u000306Reef / Kelp\u000f] \u000303Ann Example removed branch main\u000f' },
    ])
  })

  it('is logged as failed when it is unreachable', async () => {
    await only('irker', { recipients: 'irc://irc.example/reef', server_host: '127.0.0.1', server_port: 1 })
    await deliver('push', push())
    expect(log()[0]!.error).toMatch(/^The daemon could not be reached: .*ECONNREFUSED/)
  })
})

describe('The test of an integration', () => {
  const test = async (slug: string) =>
    (await root.post(`/-/projects/${s.project.id}/integrations/${slug}/test`)).body

  it('sends the latest event, regardless of filters', async () => {
    await only('slack', { ...HOOK, branches_to_be_notified: 'protected' })
    expect(await test('slack')).toEqual({ is_ok: true, message: 'The service answered 200.' })
    const { text } = JSON.parse(new URLSearchParams(there.requests.splice(0)[0]!.body).get('payload')!)
    expect(text).toContain(`<${page}|Reef / Kelp>`)
    expect(w.ctx().db.one('SELECT is_test, event_id FROM deliveries ORDER BY id DESC')).toEqual({
      is_test: true,
      event_id: null,
    })
    for (const status of [302, 404]) {
      there.answer = { status }
      const message = `The service answered ${status}.`
      expect(await test('slack')).toEqual({ is_ok: false, message })
    }
    there.answer = {}
  })

  it('reports when there is nothing to send', async () => {
    await only('datadog', { api_key: 'dog-key', api_url: there.url })
    expect((await test('datadog')).is_ok).toBe(false)
    await only('external-wiki', { external_wiki_url: 'https://wiki.example' })
    expect(await test('external-wiki')).toEqual({
      is_ok: true,
      message: 'There is nothing to test: this integration sends nothing.',
    })
  })

  it('sends a harmless request if the vendor has one', async () => {
    there.answer = { body: '{"serverTitle":"Reef Jira","version":"9.1"}' }
    await only('jira', { url: there.url, username: 'u', password: 'jira-pass' })
    expect(await test('jira')).toEqual({ is_ok: true, message: 'Reef Jira 9.1 answered.' })
    expect(there.requests.splice(0).map((request) => request.path)).toEqual(['/rest/api/2/serverInfo'])
    there.answer = { status: 401 }
    expect(await test('jira')).toEqual({ is_ok: false, message: 'Jira answered 401.' })
    there.answer = {}
    await only('harbor', { url: there.url, project_name: 'a b', username: 'u', password: 'harbor-pass' })
    expect((await test('harbor')).is_ok).toBe(true)
    await only('prometheus', { api_url: there.url })
    expect((await test('prometheus')).is_ok).toBe(true)
    expect(there.requests.map((request) => request.path)).toEqual(['/api/v1/query?query=1'])
    await only('emails-on-push', { recipients: 'a@example.test' })
    expect(await test('emails-on-push')).toEqual({ is_ok: false, message: 'Sending mails is switched off.' })
  })
})
