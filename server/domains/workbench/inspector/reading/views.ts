import { performance } from 'node:perf_hooks'

import type { Slot } from '../recording/arena.ts'
import { credentialOf, actorView, type ActorView } from '../recording/credential.ts'
import {
  headerOf,
  STEPS,
  type EventNode,
  type FlatHeaders,
  type JobNode,
  type RequestRecord,
} from '../recording/record.ts'
import { isSecretName, MASK, maskText } from '../masking/names.ts'
import type { Hint } from './hints.ts'

/** A body for the window; `text` is null if it was not recorded. */
export interface BodyView {
  readonly text: string | null
  /** Bytes before the body was cut. */
  readonly size: number
  readonly is_cut: boolean
  /** The reason why there is no text. */
  readonly note: 'none' | 'stream' | 'raw' | 'large' | 'overwritten' | null
}

/** A request in the list. */
export interface SummaryView {
  readonly id: number
  readonly request_id: string
  readonly time: string
  readonly method: string
  readonly target: string
  readonly route: string | null
  readonly actor: ActorView | null
  readonly credential: string
  readonly client: string
  readonly user_agent: string | null
  readonly ip: string
  readonly status: number
  readonly duration_ms: number
  readonly is_cached: boolean
  readonly statement_count: number
  readonly git_count: number
  readonly event_count: number
  readonly job_count: number
  readonly hints: readonly Hint[]
}

/** An attempt to deliver an event to a webhook or integration. */
export interface DeliveryView {
  readonly id: number
  readonly hook_id: number | null
  readonly integration_id: number | null
  readonly project_id: number | null
  readonly group_id: number | null
  readonly is_ok: boolean
  /** The job that sent it. */
  readonly job: number | null
  readonly at_ms: number
}

/** A request in full. */
export interface RequestView extends SummaryView {
  readonly steps: readonly { readonly step: string; readonly at_ms: number; readonly duration_ms: number }[]
  readonly request_headers: Readonly<Record<string, string>>
  readonly request_body: BodyView
  readonly answer_headers: Readonly<Record<string, string>>
  readonly answer_body: BodyView
  readonly statement_ms: number
  readonly statements: readonly {
    readonly sql: string
    readonly at_ms: number
    readonly duration_ms: number
  }[]
  readonly git_ms: number
  readonly git: readonly GitView[]
  readonly events: readonly EventView[]
  readonly jobs: readonly JobView[]
  readonly deliveries: readonly DeliveryView[]
}

interface GitView {
  readonly operation: string
  readonly command: string
  readonly repository: string | null
  readonly code: number | null
  readonly at_ms: number
  readonly duration_ms: number
  readonly queued_ms: number
}

interface EventView {
  readonly id: number
  readonly name: string
  readonly payload: string
  readonly job: number | null
  readonly at_ms: number
}

interface JobView {
  readonly id: number | null
  readonly name: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  readonly events: readonly number[]
  readonly job: number | null
  readonly at_ms: number
  readonly duration_ms: number | null
  readonly attempts: number
  readonly error: string | null
  readonly statement_count: number
  readonly statement_ms: number
  readonly git_count: number
  readonly git_ms: number
}

const DELIVERY = 'hook.delivery_ended'

/** Milliseconds with three decimals. */
function ms(value: number): number {
  return Math.round(value * 1000) / 1000
}

export function summaryOf(record: RequestRecord, hints: readonly Hint[]): SummaryView {
  return {
    id: record.id,
    request_id: record.request_id,
    time: new Date(performance.timeOrigin + record.start).toISOString(),
    method: record.method,
    target: record.target,
    route: record.endpoint?.route ?? record.route,
    actor: record.actor === null ? null : actorView(record.actor),
    credential: credentialOf(record),
    client: record.client,
    user_agent: headerOf(record.headers, 'user-agent') ?? null,
    ip: record.ip,
    status: record.status,
    duration_ms: ms(record.ms),
    is_cached: record.cached,
    statement_count: record.statement_count,
    git_count: record.git_count,
    event_count: record.events.length,
    job_count: record.jobs.length + record.planned.filter(({ begun }) => !begun).length,
    hints,
  }
}

/** The full view of a record. `read` returns the text of a body; undefined if it was overwritten. */
export function viewOf(
  record: RequestRecord,
  hints: readonly Hint[],
  read: (slot: Slot) => string | undefined,
): RequestView {
  return {
    ...summaryOf(record, hints),
    steps: stepsOf(record),
    request_headers: headerRecord(record.headers),
    request_body: bodyView(record.body, null, read),
    answer_headers: headerRecord(record.answer_headers),
    answer_body: bodyView(record.answer, record.answer_note, read),
    statement_ms: ms(record.statement_ms),
    statements: record.statements.map((sql, index) => ({
      sql,
      at_ms: ms(record.statement_times[index * 2] ?? 0),
      duration_ms: ms(record.statement_times[index * 2 + 1] ?? 0),
    })),
    git_ms: ms(record.git_ms),
    git: record.git.map(({ at, ms: duration, queued_ms, ...rest }) => ({
      ...rest,
      at_ms: ms(at),
      duration_ms: ms(duration),
      queued_ms: ms(queued_ms),
    })),
    events: record.events.map(eventView),
    jobs: [...record.jobs.map(jobView), ...waitingJobs(record)],
    deliveries: record.events.filter(({ name }) => name === DELIVERY).flatMap(deliveryView),
  }
}

/** Headers by lowercase name. The values of a repeated header are joined. */
function headerRecord(headers: FlatHeaders): Record<string, string> {
  const byName: Record<string, string> = {}
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!.toLowerCase()
    const value = isSecretName(name) ? MASK : maskText(headers[index + 1] ?? '')
    byName[name] = byName[name] === undefined ? value : `${byName[name]}, ${value}`
  }
  return byName
}

function bodyView(
  slot: Slot | null,
  note: RequestRecord['answer_note'],
  read: (slot: Slot) => string | undefined,
): BodyView {
  if (slot === null) return { text: null, size: 0, is_cut: false, note: note ?? 'none' }
  const text = read(slot)
  return {
    text: text === undefined ? null : maskText(text),
    size: slot.fullLength,
    is_cut: slot.length < slot.fullLength,
    note: text === undefined ? 'overwritten' : null,
  }
}

/**
 * The steps with their durations; each starts at the end of the previous one. Time before and after the steps is not
 * listed.
 */
function stepsOf({ step_times }: RequestRecord): RequestView['steps'] {
  return step_times.map((at, index) => {
    const from = step_times[index - 1] ?? 0
    return { step: STEPS[index] ?? '', at_ms: ms(from), duration_ms: ms(at - from) }
  })
}

function eventView({ at, ...rest }: EventNode): EventView {
  return { ...rest, at_ms: ms(at) }
}

function jobView(node: JobNode): JobView {
  return {
    id: node.id,
    name: node.name,
    state: node.state,
    events: node.events,
    job: node.job,
    at_ms: ms(node.at),
    duration_ms: node.ms === null ? null : ms(node.ms),
    attempts: node.attempts,
    error: node.error,
    statement_count: node.statement_count,
    statement_ms: ms(node.statement_ms),
    git_count: node.git_count,
    git_ms: ms(node.git_ms),
  }
}

function waitingJobs({ planned }: RequestRecord): JobView[] {
  return planned
    .filter(({ begun }) => !begun)
    .map(({ name, event, job, at }) => ({
      id: null,
      name,
      state: 'waiting',
      events: event === null ? [] : [event],
      job,
      at_ms: ms(at),
      duration_ms: null,
      attempts: 0,
      error: null,
      statement_count: 0,
      statement_ms: 0,
      git_count: 0,
      git_ms: 0,
    }))
}

function deliveryView({ payload, job, at }: EventNode): DeliveryView[] {
  try {
    const fields = JSON.parse(payload) as Record<string, number | boolean | undefined>
    const id = (name: string): number | null => (typeof fields[name] === 'number' ? fields[name] : null)
    return [
      {
        id: id('delivery_id') ?? 0,
        hook_id: id('hook_id'),
        integration_id: id('integration_id'),
        project_id: id('project_id'),
        group_id: id('group_id'),
        is_ok: fields['is_ok'] === true,
        job,
        at_ms: ms(at),
      },
    ]
  } catch {
    return []
  }
}
