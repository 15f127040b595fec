import { describe, expect, it } from 'vitest'

import { serve } from '../webhooks/receiver.ts'
import { NEW, OLD, samples, scene } from './scene.ts'

const s = await scene()
const { page, deliver, only, log } = s
const { push, mergeRequest, commit } = samples(s)

interface JiraRequest {
  method: string
  path: string
  authorization: string | undefined
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

const requests: JiraRequest[] = []
/** The issues of this Jira, with their comments and whether they are resolved. */
const issues: Record<string, { comments: string[]; resolution: object | null }> = {}

/** A small Jira server: issues, comments, links and transitions. */
const jira = await serve((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const { method = '', url: path = '', headers } = request
    const text = Buffer.concat(parts).toString()
    requests.push({
      method,
      path,
      authorization: headers.authorization,
      body: text === '' ? null : JSON.parse(text),
    })
    const [, key = '', rest = ''] = /\/rest\/api\/2\/issue\/([^/?]+)\/?([^?]*)/.exec(path) ?? []
    const found = issues[key]
    const answer = (status: number, body: object = {}) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (!found) return answer(404)
    if (method === 'POST' && rest === 'comment') found.comments.push(JSON.parse(text).body)
    if (method === 'POST') return answer(201)
    if (rest === 'transitions') return answer(200, { transitions: TRANSITIONS })
    const comments = found.comments.map((body) => ({ body }))
    return answer(200, { fields: { resolution: found.resolution, comment: { comments } } })
  })
})

const category = (key: string) => ({ statusCategory: { key } })
const TRANSITIONS = [
  { id: '11', to: category('indeterminate') },
  { id: '31', to: category('done') },
  { id: '41', to: category('done') },
]

const ACCOUNT = { url: `${jira.url}/jira`, username: 'bot@example.test', password: 'jira-pass' }
/** Sets up Jira with these issues, and clears the received requests. */
async function fresh(keys: readonly string[], settings: object = {}): Promise<void> {
  for (const key of Object.keys(issues)) delete issues[key]
  for (const key of keys) issues[key] = { comments: [], resolution: null }
  await only('jira', { ...ACCOUNT, ...settings })
}
/** Returns the requests that change data in Jira for an event. */
async function requestsFor(...event: Parameters<typeof deliver>): Promise<[string, unknown][]> {
  requests.length = 0
  await deliver(...event)
  return requests
    .filter((request) => request.method === 'POST')
    .map((request) => [request.path.split('/issue/')[1]!, request.body])
}
const commits = (...messages: string[]) => push({ commits: messages.map((message) => commit(NEW, message)) })

describe('Jira', () => {
  it('gets a comment and a link for commits that mention issues', async () => {
    await fresh(['KELP-1', 'KELP-2'])
    const url = `${page}/-/commit/${NEW}`
    const received = await requestsFor('push', commits('See KELP-1, lower kelp-2, GONE-5 and [x] {y}'))
    expect(received).toEqual([
      [
        'KELP-1/comment',
        {
          body:
            `Ann Example mentioned this issue in [a commit|${url}] of [Reef / Kelp|${page}] on branch main:\n` +
            String.raw`{quote}See KELP-1, lower kelp-2, GONE-5 and \[x\] \{y\}{quote}`,
        },
      ],
      [
        'KELP-1/remotelink',
        {
          globalId: `${s.w.url} ${url}`,
          relationship: 'mentioned on',
          object: {
            url,
            title: 'Commit - See KELP-1, lower kelp-2, GONE-5 and [x] {y}',
            icon: { title: 'Deskforge', url16x16: `${s.w.url}/favicon.ico` },
          },
        },
      ],
    ])
    expect(requests[0]).toMatchObject({
      path: '/jira/rest/api/2/issue/KELP-1?fields=comment,resolution',
      authorization: `Basic ${Buffer.from('bot@example.test:jira-pass').toString('base64')}`,
    })
    expect(log().map((entry) => [entry.method, entry.response_status, entry.error])).toEqual([
      ['GET', null, 'Jira answered 404.'],
      ['POST', 201, null],
      ['POST', 201, null],
    ])
    expect(JSON.stringify(log())).not.toContain('jira-pass')
    // The same commit on another branch causes no second comment.
    expect(await requestsFor('push', { ...commits('See KELP-1'), ref: 'refs/heads/other' })).toEqual([])
  })

  it('gets comments when merge requests start to mention issues', async () => {
    await fresh(['KELP-1', 'KELP-2'])
    const request = (action: string, over: object = {}, changes: object = {}) =>
      mergeRequest({ action, description: 'For KELP-1', ...over }, changes)
    const paths = async (...event: Parameters<typeof request>) =>
      (await requestsFor('merge_request', request(...event))).map(([path]) => path)
    expect(await paths('open')).toEqual(['KELP-1/comment', 'KELP-1/remotelink'])
    expect(issues['KELP-1']!.comments[0]).toContain(`[merge request !4|${page}/-/merge_requests/4]`)
    expect(await paths('approved')).toEqual([])
    expect(await paths('update', {}, { labels: { previous: [], current: [] } })).toEqual([])
    const more = { title: 'Seal KELP-2' }
    expect(await paths('update', more, { title: { previous: 'Seal', current: 'Seal KELP-2' } })).toEqual([
      'KELP-2/comment',
      'KELP-2/remotelink',
    ])
  })

  it('applies transitions for closing words on the default branch', async () => {
    await fresh(['KELP-1', 'KELP-2', 'KELP-3'], { jira_issue_transition_id: '21, 31' })
    const moves = async (...event: Parameters<typeof deliver>) =>
      (await requestsFor(...event)).filter(([path]) => path.endsWith('transitions'))
    const closing = commits('Fixes KELP-1 and KELP-2, for KELP-3')
    expect(await moves('push', { ...closing, ref: 'refs/heads/other' })).toEqual([])
    expect(await moves('push', closing)).toEqual(
      ['KELP-1', 'KELP-2'].flatMap((key) => [
        [`${key}/transitions`, { transition: { id: '21' } }],
        [`${key}/transitions`, { transition: { id: '31' } }],
      ]),
    )
    issues['KELP-1']!.resolution = { name: 'Done' }
    expect(await moves('push', commits('Closes KELP-1'))).toEqual([])
    const merged = { action: 'merge', state: 'merged', description: 'Resolves: KELP-3' }
    expect(await moves('merge_request', mergeRequest({ ...merged, target_branch: 'old' }))).toEqual([])
    expect(await moves('merge_request', mergeRequest(merged))).toHaveLength(2)
  })

  it('finds the transition to done itself on request', async () => {
    await fresh(['KELP-1'], { jira_issue_transition_automatic: true, jira_auth_type: 1 })
    const received = await requestsFor('push', commits('Closes KELP-1'))
    expect(received.at(-1)).toEqual(['KELP-1/transitions', { transition: { id: '31' } }])
    expect(requests[0]!.authorization).toBe('Bearer jira-pass')
  })

  it('gets no comments when they are disabled', async () => {
    await fresh(['KELP-1'], { comment_on_event_enabled: false })
    expect((await requestsFor('push', commits('See KELP-1'))).map(([path]) => path)).toEqual([
      'KELP-1/remotelink',
    ])
    await fresh(['KELP-1'], { commit_events: false })
    expect(await requestsFor('push', commits('See KELP-1'))).toEqual([])
  })

  it('accepts keys of a configured form', async () => {
    await fresh(['ab_7', 'KELP-1'], { jira_issue_regex: '[a-z]+_[0-9]+', jira_issue_prefix: 'J#' })
    const requests = await requestsFor('push', commits('See J#ab_7, ab_7 and KELP-1'))
    expect(requests.map(([path]) => path)).toEqual(['ab_7/comment', 'ab_7/remotelink'])
  })

  it('may answer with invalid data, or not at all', async () => {
    const odd = await serve((_request, response) => response.end('<html>'))
    await only('jira', { ...ACCOUNT, url: odd.url })
    await deliver('push', commits('See KELP-1'))
    expect(log()).toMatchObject([
      { method: 'GET', error: expect.stringMatching(/^Jira could not be reached: /) },
    ])
    odd.server.close()
    odd.server.closeAllConnections()
    await deliver('push', commits('See KELP-1', `x ${OLD}`))
    expect(log()[0]!.error).toMatch(/ECONNREFUSED/)
  })
})
