import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { Difference } from './reading/compare.ts'
import { HINT_KINDS } from './reading/hints.ts'
import type { RequestView, SummaryView } from './reading/views.ts'

/** The state of the inspector. */
export interface InspectorState {
  readonly recording: boolean
  readonly kept: boolean
  readonly count: number
  readonly last_request: number
  readonly most: number
  readonly bytes: number
}

/** Whether the inspector records, and the number and size of its records. */
export const WorkbenchInspector = entity(
  'WorkbenchInspector',
  {
    recording: z.boolean(),
    kept: z.boolean().describe('Whether requests are also stored on disk'),
    count: z.int().describe('Recorded requests'),
    last_request: z.int().describe('The ID of the latest request; 0 without one'),
    most: z.int().describe('The maximum number of requests in memory'),
    bytes: z.int().describe('Estimated memory of the requests, without bodies'),
  },
  (row: InspectorState) => row,
)

const duration = z.number()
const hint = z.strictObject({
  kind: z.enum(HINT_KINDS),
  names: z.array(z.string()),
  count: z.int().nullable(),
})
const summaryFields = {
  id: z.int(),
  request_id: z.string().describe('The value of the answer header `X-Request-Id`'),
  time: time(),
  method: z.string(),
  target: z.string().describe('Path and query, with secrets masked'),
  route: z.string().nullable().describe('The endpoint or route that answered'),
  actor: z
    .strictObject({
      kind: z.string(),
      id: z.int().nullable(),
      username: z.string().nullable(),
      token_id: z.int().nullable(),
      sudo_by: z.int().nullable(),
    })
    .nullable(),
  credential: z.string(),
  client: z
    .string()
    .describe('Identifies the client: equal for all requests with one credential from one address'),
  user_agent: z.string().nullable(),
  ip: z.string(),
  status: z.int(),
  duration_ms: duration,
  is_cached: z.boolean(),
  statement_count: z.int(),
  git_count: z.int(),
  event_count: z.int(),
  job_count: z.int(),
  hints: z.array(hint),
}

/** A recorded request in the list. */
export const InspectedRequest = entity('InspectedRequest', summaryFields, (row: SummaryView) => ({
  ...row,
  hints: row.hints.map((entry) => ({ ...entry, names: [...entry.names] })),
}))

const body = z.strictObject({
  text: z.string().nullable(),
  size: z.int(),
  is_cut: z.boolean(),
  note: z.enum(['none', 'stream', 'raw', 'large', 'overwritten']).nullable(),
})
const requestFields = {
  ...summaryFields,
  steps: z.array(z.strictObject({ step: z.string(), at_ms: duration, duration_ms: duration })),
  request_headers: z.record(z.string(), z.string()),
  request_body: body,
  answer_headers: z.record(z.string(), z.string()),
  answer_body: body,
  statement_ms: duration,
  statements: z.array(z.strictObject({ sql: z.string(), at_ms: duration, duration_ms: duration })),
  git_ms: duration,
  git: z.array(
    z.strictObject({
      operation: z.string(),
      command: z.string(),
      repository: z.string().nullable(),
      code: z.int().nullable(),
      at_ms: duration,
      duration_ms: duration,
      queued_ms: duration,
    }),
  ),
  events: z.array(
    z.strictObject({
      id: z.int(),
      name: z.string(),
      payload: z.string(),
      job: z.int().nullable(),
      at_ms: duration,
    }),
  ),
  jobs: z.array(
    z.strictObject({
      id: z.int().nullable(),
      name: z.string(),
      state: z.enum(['waiting', 'running', 'done', 'failed']),
      events: z.array(z.int()),
      job: z.int().nullable(),
      at_ms: duration,
      duration_ms: duration.nullable(),
      attempts: z.int(),
      error: z.string().nullable(),
      statement_count: z.int(),
      statement_ms: duration,
      git_count: z.int(),
      git_ms: duration,
    }),
  ),
  deliveries: z.array(
    z.strictObject({
      id: z.int(),
      hook_id: z.int().nullable(),
      integration_id: z.int().nullable(),
      project_id: z.int().nullable(),
      group_id: z.int().nullable(),
      is_ok: z.boolean(),
      job: z.int().nullable(),
      at_ms: duration,
    }),
  ),
}

/** A recorded request in full. */
export const InspectedRequestInFull = entity('InspectedRequestInFull', requestFields, fullOf)

const fullRequest = z.strictObject(requestFields)
type Full = z.input<typeof fullRequest>

function fullOf(row: RequestView): Full {
  return JSON.parse(JSON.stringify(row)) as Full
}

/** Two requests and their differences. */
export interface Comparison {
  readonly left: RequestView
  readonly right: RequestView
  readonly differences: readonly Difference[]
}

/** A comparison of two requests. */
export const InspectedComparison = entity(
  'InspectedComparison',
  {
    left: fullRequest,
    right: fullRequest,
    differences: z.array(
      z.strictObject({
        part: z.enum(['request', 'answer', 'headers', 'body', 'work', 'time']),
        name: z.string(),
        left: z.string().nullable(),
        right: z.string().nullable(),
      }),
    ),
  },
  ({ left, right, differences }: Comparison) => ({
    left: fullOf(left),
    right: fullOf(right),
    differences: differences.map((difference) => ({ ...difference })),
  }),
)
