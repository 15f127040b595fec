import { performance } from 'node:perf_hooks'

import type { ObservedJob } from '../../../../observer.ts'
import { maskText } from '../masking/names.ts'
import { append, emptyWork, type JobNode, type PlannedJob, type RequestRecord } from './record.ts'

const MAX_ARGS = 2000

/** Records the start of a job, or of another attempt of it. */
export function beginJob(record: RequestRecord, job: ObservedJob): JobNode {
  const existing = record.jobs.find(({ id }) => id === job.id)
  if (existing) {
    Object.assign(existing, { attempts: job.attempts, state: 'running', error: null })
    return existing
  }
  const causes = plannedJobsOf(record, job)
  for (const plannedJob of causes) plannedJob.begun = true
  const node: JobNode = {
    ...emptyWork(),
    id: job.id,
    name: job.name,
    events: causes.flatMap(({ event }) => (event === null ? [] : [event])),
    job: causes[0]?.job ?? null,
    at: performance.now() - record.start,
    attempts: job.attempts,
    state: 'running',
    ms: null,
    error: null,
  }
  record.jobs = append(record.jobs, node)
  return node
}

/** The planned jobs that this job runs: one, or those of all events that it handles together. */
function plannedJobsOf(record: RequestRecord, { name, args }: ObservedJob): PlannedJob[] {
  const waiting = record.planned.filter((job) => job.name === name && !job.begun)
  const exact = waiting.find((job) => job.args === args.slice(0, MAX_ARGS))
  if (exact) return [exact]
  const parsed: unknown = JSON.parse(args)
  if (!Array.isArray(parsed)) return waiting.slice(0, 1)
  const payloads = new Set(
    parsed.map((item) => JSON.stringify((item as { payload?: unknown }).payload)?.slice(0, MAX_ARGS)),
  )
  return waiting.filter((job) => payloads.has(job.args))
}

/** Runs the job and records how it ends. */
export function runJob<T>(node: JobNode, work: () => T): T {
  const start = performance.now()
  const end = (error: unknown): void => {
    node.ms = performance.now() - start
    node.state = error === undefined ? 'done' : 'failed'
    node.error = error === undefined ? null : maskText(textOf(error)).slice(0, 500)
  }
  let result: T
  try {
    result = work()
  } catch (error) {
    end(error)
    throw error
  }
  if (!(result instanceof Promise)) {
    end(undefined)
    return result
  }
  void result.then(
    () => end(undefined),
    (error: unknown) => end(error),
  )
  return result
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
