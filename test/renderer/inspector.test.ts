import { describe, expect, it } from 'vitest'

import { staleAfter } from '../../renderer/api/live-reach.ts'
import { chainOf, type ChainNode } from '../../renderer/views/workbench/inspector/chain.ts'
import { samplesOf } from '../../renderer/views/workbench/inspector/copy-as.ts'
import type { RequestInFull } from '../../renderer/views/workbench/inspector/requests.ts'
import { linesOf } from '../../renderer/views/workbench/inspector/timing.ts'

const job = (id: number | null, name: string, more: Partial<RequestInFull['jobs'][number]> = {}) => ({
  id,
  name,
  state: 'done' as const,
  events: [],
  job: null,
  at_ms: 1,
  duration_ms: 1,
  attempts: 1,
  error: null,
  statement_count: 0,
  statement_ms: 0,
  git_count: 0,
  git_ms: 0,
  ...more,
})
const event = (id: number, name: string, from: number | null = null) => ({
  id,
  name,
  payload: '{}',
  job: from,
  at_ms: 1,
})
const delivery = {
  id: 7,
  hook_id: 3,
  integration_id: null,
  project_id: 1,
  group_id: null,
  is_ok: true,
  job: 11,
  at_ms: 5,
}

const request: RequestInFull = {
  id: 1,
  request_id: 'r',
  time: '2026-01-01T00:00:00.000Z',
  method: 'POST',
  target: '/api/v4/projects/1/issues?a=b&private_token=[masked]',
  route: 'POST /projects/:id/issues',
  actor: null,
  credential: 'none',
  client: 'c',
  user_agent: null,
  ip: '127.0.0.1',
  status: 201,
  duration_ms: 10,
  is_cached: false,
  statement_count: 1,
  git_count: 1,
  event_count: 2,
  job_count: 3,
  hints: [],
  steps: [
    { step: 'authenticate', at_ms: 0, duration_ms: 1 },
    { step: 'run', at_ms: 1, duration_ms: 7 },
  ],
  request_headers: {},
  request_body: {
    text: `{"title":"it's","on":true,"none":null,"list":[1]}`,
    size: 1,
    is_cut: false,
    note: null,
  },
  answer_headers: {},
  answer_body: { text: null, size: 0, is_cut: false, note: 'none' },
  statement_ms: 2,
  statements: [{ sql: 'SELECT 1', at_ms: 2, duration_ms: 2 }],
  git_ms: 20,
  git: [
    { operation: 'x', command: 'log', repository: null, code: 0, at_ms: 5, duration_ms: 15, queued_ms: 0 },
  ],
  events: [
    event(1, 'issue.created'),
    event(2, 'hook_event.recorded', 10),
    event(3, 'hook.delivery_ended', 11),
  ],
  jobs: [
    job(10, 'event:webhooks.record', { events: [1] }),
    job(11, 'event:webhooks.deliver', { events: [2] }),
    job(null, 'later', { state: 'waiting' }),
  ],
  deliveries: [delivery],
}

const drawn = (nodes: readonly ChainNode[], depth = 0): string[] =>
  nodes.flatMap((node) => [`${'  '.repeat(depth)}${node.key}`, ...drawn(node.children, depth + 1)])

it('the window draws the chain as a tree that contains every event, job and delivery once', () => {
  expect(drawn(chainOf(request))).toEqual([
    'event 1',
    '  job 10',
    '    event 2',
    '      job 11',
    '        delivery 7',
    'job later 0',
  ])
})

it('the window draws times to scale, also for commands that ran longer than the request', () => {
  const lines = linesOf(request)
  expect(lines.map(({ label }) => label)).toEqual(['Authenticate', 'Run', 'Rest', 'Statements', 'Git'])
  expect(lines[1]!.bars[0]).toMatchObject({ start: 5, width: 35 })
  expect(lines[4]!.bars[0]).toMatchObject({ start: 25, width: 75 })
  for (const { bars } of lines)
    for (const { start, width } of bars) expect(start + width).toBeLessThanOrEqual(100.5)
})

describe('code samples', () => {
  const codes = Object.fromEntries(
    samplesOf(request, 'http://forge.test').map(({ name, code }) => [name, code]),
  )

  it('contain a curl command with shell quoting', () => {
    expect(codes['curl']).toBe(
      [
        "curl --request POST 'http://forge.test/api/v4/projects/1/issues?a=b&private_token=SECRET'",
        '--header "PRIVATE-TOKEN: $TOKEN"',
        "--header 'Content-Type: application/json'",
        `--data '{"title":"it'\\''s","on":true,"none":null,"list":[1]}'`,
      ].join(' \\\n  '),
    )
  })

  it('contain Python with Python literals', () => {
    expect(codes['python-gitlab']).toContain(
      'gl.http_request("post", "/projects/1/issues", query_data={"a": "b", "private_token": "SECRET"}, ' +
        'post_data={"title": "it\'s", "on": True, "none": None, "list": [1]})',
    )
  })

  it('contain gitbeaker and Go', () => {
    expect(codes['gitbeaker']).toContain('api.Projects.requester.post("projects/1/issues", {')
    expect(codes['Go']).toContain(
      'client.NewRequest("POST", "projects/1/issues?a=b&private_token=SECRET", body, nil)',
    )
  })

  it('contain only curl for URLs outside of the API', () => {
    const other = samplesOf({ ...request, target: '/-/session' }, 'http://forge.test')
    expect(other.map(({ name }) => name)).toEqual(['curl'])
  })
})

it('the window loads the inspector again after its event, and nothing else', () => {
  const cached = ['GET /-/workbench/inspector', 'GET /-/workbench/inspector/requests', 'GET /projects'].map(
    (endpoint) => ({ endpoint, params: {}, data: undefined }),
  )
  expect(
    staleAfter({ name: 'inspector.changed', last_request: 4 }, cached).map(({ endpoint }) => endpoint),
  ).toEqual(['GET /-/workbench/inspector', 'GET /-/workbench/inspector/requests'])
})
