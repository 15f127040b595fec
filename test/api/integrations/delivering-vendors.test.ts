import { describe, expect, it } from 'vitest'

import { CATALOGUE } from '../../../server/domains/integrations/catalogue/index.ts'
import { VENDORS } from '../../../server/domains/integrations/delivering/vendors/index.ts'
import type { Kind } from '../../../server/domains/webhooks/index.ts'
import { NEW, OLD, samples, scene } from './scene.ts'

const s = await scene()
const { page, deliver, only, there } = s
const { push, issue, mergeRequest, pipeline, commit, NOTHING } = samples(s)
const HOOK = { webhook: `${there.url}/in`, branches_to_be_notified: 'all' }
const SECRET = { username: 'forge', password: 'pass-word' }
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

const [first, second] = [`${page}/-/commit/${OLD}`, `${page}/-/commit/${NEW}`]
const compare = `${page}/-/compare/${OLD}...${NEW}`
const line = `Ann Example (ann) pushed to branch [main](${page}/-/commits/main) of [Reef / Kelp](${page}) ([Compare changes](${compare}))`
const commits =
  `[1a2b3c4d](${first}): Fix \\[a\\] \\| \\*b\\* - Bob \\<b\\>\n` +
  `[5e6f7a8b](${second}): Second - Bob \\<b\\>`
const chatLine = `Ann Example (ann) pushed to branch <${page}/-/commits/main|main> of <${page}|Reef / Kelp> (<${compare}|Compare changes>)`
const chatCommits =
  `<${first}|1a2b3c4d>: Fix [a] | *b* - Bob &lt;b&gt;\n` + `<${second}|5e6f7a8b>: Second - Bob &lt;b&gt;`

interface Expected {
  method?: string
  path: string
  headers?: object
  /** An object is expected as JSON, and a string as text. */
  body: unknown
}

/** The expected requests for a push with two commits, for every integration that listens to pushes. */
const PUSHES: [slug: string, settings: object, expected: Expected][] = [
  [
    'mattermost',
    { ...HOOK, username: 'Forge', channel: 'town' },
    {
      path: '/in',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        payload: JSON.stringify({
          text: chatLine,
          attachments: [{ color: '#334455', text: chatCommits, mrkdwn_in: ['text'] }],
          fallback: chatLine,
          username: 'Forge',
          channel: 'town',
        }),
      }).toString(),
    },
  ],
  [
    'discord',
    HOOK,
    {
      path: '/in',
      body: {
        embeds: [
          {
            author: { name: 'Ann Example (ann)', icon_url: 'https://pics.example/ann.png' },
            description: `${line}\n${commits}`,
            color: 16_543_014,
            timestamp: '2026-03-01T10:00:00.000Z',
          },
        ],
      },
    },
  ],
  [
    'microsoft-teams',
    HOOK,
    {
      path: '/in',
      body: {
        '@type': 'MessageCard',
        '@context': 'https://schema.org/extensions',
        title: 'Reef / Kelp',
        summary: 'Ann Example (ann) pushed to branch main of Reef / Kelp (Compare changes)',
        sections: [
          {
            activityTitle: 'Ann Example (ann) pushed to branch',
            activitySubtitle: `in [Reef / Kelp](${page})`,
            activityText: `[Compare changes](${compare})`,
            activityImage: 'https://pics.example/ann.png',
          },
          { title: 'Details', text: commits.replace('\n', '\n\n') },
        ],
      },
    },
  ],
  [
    'hangouts-chat',
    { ...HOOK, webhook: `${there.url}/in?key=k&token=t` },
    {
      path: '/in?key=k&token=t&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD',
      body: {
        text: `${chatLine}\n${chatCommits.replaceAll('&lt;', '‹').replaceAll('&gt;', '›')}`,
        thread: { threadKey: 'reef/kelp push refs/heads/main' },
      },
    },
  ],
  ['webex-teams', HOOK, { path: '/in', body: { markdown: line } }],
  ['pumble', HOOK, { path: '/in', body: { text: line } }],
  ['unify-circuit', HOOK, { path: '/in', body: { subject: 'Reef / Kelp', text: line, markdown: true } }],
  [
    'telegram',
    { token: '123:abc', room: '-100', thread: 7, branches_to_be_notified: 'all' },
    {
      path: '/api.telegram.org/bot123:abc/sendMessage',
      body: { chat_id: '-100', message_thread_id: 7, text: line, parse_mode: 'markdown' },
    },
  ],
  [
    'campfire',
    { token: 'fire-token', subdomain: 'reef', room: '42' },
    {
      path: '/reef.campfirenow.com/room/42/speak.json',
      headers: { authorization: basic('fire-token', 'X') },
      body: {
        message: {
          type: 'TextMessage',
          body: `[Reef / Kelp] Ann Example pushed 2 commits to main. ${compare}`,
        },
      },
    },
  ],
  [
    'pushover',
    { api_key: 'app-key', user_key: 'user-key', priority: 2, sound: 'bike' },
    {
      path: '/api.pushover.net/1/messages.json',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        token: 'app-key',
        user: 'user-key',
        sound: 'bike',
        priority: '2',
        retry: '60',
        expire: '3600',
        title: 'Reef / Kelp',
        message: 'Ann Example pushed 2 commits to main.\n• Fix [a] | *b*\n• Second',
        url: compare,
        url_title: 'See Reef / Kelp',
      }).toString(),
    },
  ],
  [
    'assembla',
    { token: 'key&key', subdomain: 'space' },
    {
      path: '/atlas.assembla.com/spaces/space/github_tool?secret_key=key%26key',
      body: { payload: push() },
    },
  ],
  [
    'flowdock',
    { token: 'flow-token' },
    {
      path: '/api.flowdock.com/v1/messages',
      body: {
        flow_token: 'flow-token',
        event: 'activity',
        author: { name: 'Ann Example', avatar: 'https://pics.example/ann.png' },
        title: 'Ann Example pushed 2 commits to main',
        external_thread_id: 'Reef / Kelp:refs/heads/main',
        thread: {
          title: 'Reef / Kelp: main',
          body: `<ul><li><a href="${first}">1a2b3c4d</a> Fix [a] | *b*</li><li><a href="${second}">5e6f7a8b</a> Second</li></ul>`,
          external_url: compare,
        },
        tags: ['main'],
      },
    },
  ],
  [
    'jenkins',
    { ...SECRET, jenkins_url: `${there.url}/jenkins/`, project_name: 'reef/kelp forest' },
    {
      path: '/jenkins/project/reef/kelp%20forest',
      headers: {
        authorization: basic('forge', 'pass-word'),
        'x-gitlab-event': 'Push Hook',
        'x-gitlab-instance': s.w.url,
        'content-type': 'application/json',
      },
      body: push(),
    },
  ],
  [
    'drone-ci',
    { token: 'drone-token', drone_url: there.url },
    {
      path: '/hook?owner=reef&name=kelp&access_token=drone-token',
      headers: { 'x-gitlab-event': 'Push Hook' },
      body: push(),
    },
  ],
  [
    'buildkite',
    { token: 'hook-part:status-part', project_url: 'https://buildkite.com/reef/kelp' },
    {
      path: '/webhook.buildkite.com/deliver/hook-part',
      headers: { 'x-gitlab-event': 'Push Hook' },
      body: push(),
    },
  ],
  [
    'teamcity',
    { ...SECRET, teamcity_url: there.url, build_type: 'Reef_"Kelp"' },
    {
      path: '/httpAuth/app/rest/buildQueue',
      headers: { authorization: basic('forge', 'pass-word'), 'content-type': 'application/xml' },
      body: '<build branchName="main"><buildType id="Reef_&quot;Kelp&quot;"/></build>',
    },
  ],
  [
    'bamboo',
    { ...SECRET, bamboo_url: `${there.url}/bamboo`, build_key: 'REEF-KELP' },
    {
      method: 'GET',
      path: '/bamboo/updateAndBuild.action?buildKey=REEF-KELP&os_authType=basic',
      headers: { authorization: basic('forge', 'pass-word') },
      body: '',
    },
  ],
  [
    'packagist',
    { username: 'ann', token: 'pack-token' },
    {
      path: '/packagist.org/api/update-package?username=ann&apiToken=pack-token',
      headers: { 'x-gitlab-event': 'Push Hook' },
      body: push(),
    },
  ],
]

async function expectRequest(kind: Kind, payload: object, expected: Expected): Promise<void> {
  const requests = await deliver(kind, payload)
  const { method = 'POST', path, headers = {}, body } = expected
  expect(requests).toHaveLength(1)
  const isText = typeof body === 'string'
  expect({ ...requests[0], body: isText ? requests[0]!.body : JSON.parse(requests[0]!.body) }).toEqual({
    method,
    path,
    headers: expect.objectContaining({ 'user-agent': expect.stringContaining('/'), ...headers }),
    body,
  })
}

describe('A push is sent to', () => {
  it.each(PUSHES)('%s', async (slug, settings, expected) => {
    await only(slug, settings)
    await expectRequest('push', push(), expected)
    const [entry] = s.log()
    expect(entry).toMatchObject({ response_status: 200, error: null })
    // The log contains no secret.
    const values = settings as Record<string, string>
    const secrets = CATALOGUE.get(slug)!.fields.filter((field) => field.is_secret && values[field.name])
    const leaked = secrets.filter(({ name }) => JSON.stringify(entry).includes(values[name]!))
    expect(leaked).toEqual([])
  })

  it('every integration with events', () => {
    const listening = [...CATALOGUE.values()]
      .filter((integration) => integration.events.length > 0 && !integration.is_foreign)
      .map((integration) => integration.slug)
    // A monitoring server gets only read requests.
    expect(listening.filter((slug) => !VENDORS.has(slug))).toEqual(['mock-ci'])
  })
})

describe('Cards and lines of other events', () => {
  const job = { id: 1, stage: 'test', name: 'unit', status: 'failed', allow_failure: false }

  it('are those of pipelines in Discord, Teams and Google Chat', async () => {
    const summary = `[Reef / Kelp](${page}): Pipeline [#12](${page}/-/pipelines/12) of branch [main](${page}/-/commits/main) by Ann Example (ann) has failed in 02:05`
    await only('discord', { ...HOOK, webhook: `${there.url}/d`, pipeline_channel: `${there.url}/pipelines` })
    const [discord] = await deliver('pipeline', pipeline({}, [job]))
    expect(discord!.path).toBe('/pipelines')
    expect(JSON.parse(discord!.body).embeds[0].description).toBe(
      [
        summary,
        `Branch: [main](${page}/-/commits/main)`,
        `Commit: [Second](${second})`,
        `Failed stage: [test](${page}/-/pipelines/12/failures)`,
        `Failed job: [unit](${page}/-/jobs/1)`,
      ].join('\n'),
    )
    await only('microsoft-teams', HOOK)
    const [teams] = await deliver('pipeline', pipeline({}, [job]))
    const card = JSON.parse(teams!.body)
    expect(card.sections[0].activityText).toBe('in 02:05')
    expect(card.sections[1]).toEqual({
      title: 'Details',
      facts: [
        { name: 'Branch', value: `[main](${page}/-/commits/main)` },
        { name: 'Commit', value: `[Second](${second})` },
        { name: 'Failed stage', value: `[test](${page}/-/pipelines/12/failures)` },
        { name: 'Failed job', value: `[unit](${page}/-/jobs/1)` },
      ],
    })
    await only('hangouts-chat', HOOK)
    const [google] = await deliver('issue', issue())
    expect(JSON.parse(google!.body)).toEqual({
      text: [
        `[<${page}|Reef / Kelp>] Issue <${page}/-/issues/3|#3 Leak & ‹co›> opened by Ann Example (ann)`,
        `<${page}/-/issues/3|#3 Leak & ‹co›>`,
        'See *this* <https://x.example/a|page> ‹!channel›',
      ].join('\n'),
      thread: { threadKey: 'reef/kelp issue 3' },
    })
  })

  it('are cut at the vendor’s limit', async () => {
    await only('discord', HOOK)
    const [request] = await deliver('issue', issue({ description: 'é'.repeat(9000) }))
    const [embed] = JSON.parse(request!.body).embeds
    expect(embed.description).toHaveLength(4096)
    expect(embed.description.endsWith('é…')).toBe(true)
    await only('pushover', { api_key: 'a-key', user_key: 'u-key', priority: 0 })
    const many = Array.from({ length: 20 }, (_, n) => commit(OLD, `${n}`.repeat(100)))
    const [notice] = await deliver('push', push({ commits: many, total_commits_count: 30 }))
    const form = new URLSearchParams(notice!.body)
    expect([form.get('message')!.length, form.has('retry'), form.has('device')]).toEqual([1024, false, false])
  })
})

describe('Build servers', () => {
  it('get open merge requests with their branch, and no deleted refs', async () => {
    await only('teamcity', { ...SECRET, teamcity_url: there.url, build_type: 'B' })
    const [request] = await deliver('merge_request', mergeRequest())
    expect(request!.body).toBe('<build branchName="seal &amp; &lt;it&gt;"><buildType id="B"/></build>')
    expect(await deliver('merge_request', mergeRequest({ state: 'merged', action: 'merge' }))).toEqual([])
    expect(await deliver('push', push({ after: NOTHING, commits: [] }))).toEqual([])
    await only('drone-ci', { token: 'drone-token', drone_url: there.url })
    const [drone] = await deliver('merge_request', mergeRequest())
    expect(drone!.headers['x-gitlab-event']).toBe('Merge Request Hook')
    const [tag] = await deliver('tag_push', push({ ref: 'refs/tags/v1', before: NOTHING }))
    expect(tag!.headers['x-gitlab-event']).toBe('Tag Push Hook')
    expect(await deliver('tag_push', push({ ref: 'refs/tags/v1', after: NOTHING }))).toEqual([])
  })
})

describe('Monitoring integrations', () => {
  it('get the payload with the names of the instance (Datadog)', async () => {
    await only('datadog', {
      api_key: 'dog-key',
      datadog_site: 'datadoghq.eu',
      datadog_service: 'forge',
      datadog_env: 'prod',
      datadog_tags: 'team:reef\nkind:kelp',
    })
    await expectRequest('pipeline', pipeline(), {
      path: `/webhook-intake.datadoghq.eu/api/v2/webhook?dd-api-key=dog-key&service=forge&env=prod&tags=${encodeURIComponent('team:reef,kind:kelp')}`,
      headers: { 'x-gitlab-event': 'Pipeline Hook' },
      body: pipeline(),
    })
    await only('datadog', { api_key: 'dog-key', api_url: `${there.url}/own` })
    const [job] = await deliver('job', { object_kind: 'build' })
    expect(job!.path).toBe('/own?dd-api-key=dog-key')
  })

  it.each([
    ['running', 'pending', 'Pipeline running'],
    ['success', 'success', 'Pipeline passed'],
    ['failed', 'failure', 'Pipeline failed'],
    ['canceled', 'error', 'Pipeline canceled'],
  ])('get a status of the commit (%s)', async (status, state, description) => {
    await only('github', { token: 'hub-token', repository_url: 'https://github.com/reef/kelp.git' })
    await expectRequest('pipeline', pipeline({ status, detailed_status: status }), {
      path: `/api.github.com/repos/reef/kelp/statuses/${NEW}`,
      headers: { authorization: 'Bearer hub-token' },
      body: { state, target_url: `${page}/-/pipelines/12`, description, context: 'ci/127.0.0.1' },
    })
  })

  it('get a status on a self-hosted server too, with a context for each branch', async () => {
    await only('github', { token: 'hub-token', repository_url: `${there.url}/r/k`, static_context: false })
    const [request] = await deliver('pipeline', pipeline())
    expect(request!.path).toBe(`/api/v3/repos/r/k/statuses/${NEW}`)
    expect(JSON.parse(request!.body).context).toBe('ci/127.0.0.1/main')
  })
})

describe('Tasks of other vendors', () => {
  const messages = (...all: string[]) => push({ commits: all.map((message) => commit(OLD, message)) })

  it('get comments from commits that mention them, and are completed (Asana)', async () => {
    await only('asana', { api_key: 'asana-token' })
    const message = 'Look at #12 and https://app.asana.com/0/34/56, closes #78 and #12'
    const requests = await deliver('push', messages(message, 'No task', 'Again fixes: #12'))
    const text = (message: string) =>
      `Ann Example pushed to branch main of Reef / Kelp ( ${first} ): ${message}`
    expect(
      requests.map((request) => [
        request.method,
        request.path.split('/1.0/')[1],
        JSON.parse(request.body).data,
      ]),
    ).toEqual([
      ['POST', 'tasks/12/stories', { text: text(message) }],
      ['POST', 'tasks/56/stories', { text: text(message) }],
      ['POST', 'tasks/78/stories', { text: text(message) }],
      ['PUT', 'tasks/78', { completed: true }],
      ['POST', 'tasks/12/stories', { text: text('Again fixes: #12') }],
      ['PUT', 'tasks/12', { completed: true }],
    ])
    expect(requests[0]!.headers.authorization).toBe('Bearer asana-token')
  })

  it('get commits that mention them, from chosen branches only (Pivotal Tracker)', async () => {
    await only('pivotaltracker', { token: 'pivotal-token', restrict_to_branch: 'main, stable' })
    const commits = messages('[finishes #123] Done', 'Fix #4 of ours', 'x [#5 #6]')
    const requests = await deliver('push', commits)
    expect(
      requests.map((request) => [request.path, request.headers['x-trackertoken'], JSON.parse(request.body)]),
    ).toEqual(
      ['[finishes #123] Done', 'x [#5 #6]'].map((message) => [
        '/www.pivotaltracker.com/services/v5/source_commits',
        'pivotal-token',
        { source_commit: { commit_id: OLD, author: 'Bob <b>', url: first, message } },
      ]),
    )
    expect(await deliver('push', { ...commits, ref: 'refs/heads/stable' })).toHaveLength(2)
    expect(await deliver('push', { ...commits, ref: 'refs/heads/other' })).toEqual([])
  })
})
