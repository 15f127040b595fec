import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
import type { DeliveryWithBody } from './store.ts'

/** The logged status of a request without a response. */
const NO_ANSWER = 'internal error'

/** One attempt to deliver an event. The fields from `error` on are not in the reference API. */
export const HookLogEntry = entity(
  'HookLogEntry',
  {
    id: z.int(),
    url: z.string(),
    trigger: z.string(),
    request_headers: z.record(z.string(), z.string()),
    request_data: z.unknown(),
    response_headers: z.record(z.string(), z.string()),
    response_body: z.string(),
    execution_duration: z.number(),
    response_status: z.string(),
    error: z.string().nullable(),
    method: z.string(),
    created_at: time(),
    attempt: z.int(),
    is_test: z.boolean(),
    repeats_id: z.int().nullable(),
  },
  row<DeliveryWithBody>(),
  (row) => ({
    request_data: parseBody(row.body),
    response_headers: row.response_headers ?? {},
    response_body: row.response_body ?? '',
    execution_duration: (row.duration_ms ?? 0) / 1000,
    response_status: statusOf(row),
  }),
)

function statusOf(row: DeliveryWithBody): string {
  if (row.response_status !== null) return String(row.response_status)
  return row.error === null ? 'ok' : NO_ANSWER
}

/** Parses a stored body. Bodies are JSON, except those for vendors with another format. */
function parseBody(text: string | null): unknown {
  if (text === null) return {}
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
