import type { Database } from '../../../db/database.ts'
import { combinedStatus, type EffectiveStatus, isFinished, effectiveStatus } from './status.ts'
import * as store from './store.ts'
import type { CreatedJob, StageStatus } from './store.ts'

/** The decision about a created job: it waits, is skipped, or starts (`go`). */
export type GateDecision = 'wait' | 'skip' | 'go'

/** The statuses of previous jobs with which a job starts, by `when`. */
const BY_WHEN: Readonly<Record<string, readonly string[]>> = {
  on_failure: ['failed'],
  always: ['success', 'failed', 'skipped'],
}

/**
 * Decides about a created job by the combined status of the previous jobs (spec ci 2.4). These are the jobs of earlier
 * stages, or for a job with needs (`isDag`) the needed jobs.
 */
export function gateOf(when: string, previous: string, isDag: boolean): GateDecision {
  if (!isFinished(previous)) return 'wait'
  const fallback = isDag ? ['success'] : ['success', 'skipped']
  return (BY_WHEN[when] ?? fallback).includes(previous) ? 'go' : 'skip'
}

/** The combined status of the previous jobs (spec ci 2.3, rule 0). `success` if there are none. */
export function previousOf(words: ReadonlySet<EffectiveStatus>, isDag: boolean): string {
  return combinedStatus(words, isDag) ?? 'success'
}

/**
 * The statuses of the jobs that a job needs. `statuses` contains the status of each job by its name. Needed jobs that are
 * not in the pipeline were optional and are left out.
 */
export function statusesOfNeeds(
  needs: readonly string[],
  statuses: ReadonlyMap<string, EffectiveStatus>,
): ReadonlySet<EffectiveStatus> {
  return new Set(needs.flatMap((name) => statuses.get(name) ?? []))
}

/** Sorts jobs so that each comes after the jobs that it needs, in linear time. Jobs in a cycle come last. */
export function sortByNeeds<Job extends { readonly name: string; readonly needs: readonly string[] }>(
  jobs: readonly Job[],
): Job[] {
  const unmetNeeds = new Map<string, number>()
  const dependents = new Map<string, Job[]>()
  const names = new Set(jobs.map(({ name }) => name))
  for (const job of jobs) {
    const needs = job.needs.filter((name) => names.has(name))
    unmetNeeds.set(job.name, needs.length)
    for (const name of needs) {
      const list = dependents.get(name)
      if (list) list.push(job)
      else dependents.set(name, [job])
    }
  }
  const sorted = jobs.filter(({ name }) => unmetNeeds.get(name) === 0)
  // The loop also visits the jobs that it appends to the list.
  for (const { name } of sorted) {
    for (const job of dependents.get(name) ?? []) {
      const remaining = unmetNeeds.get(job.name)! - 1
      unmetNeeds.set(job.name, remaining)
      if (remaining === 0) sorted.push(job)
    }
  }
  if (sorted.length === jobs.length) return sorted
  const visited = new Set(sorted)
  return [...sorted, ...jobs.filter((job) => !visited.has(job))]
}

/** Skips or starts a created job, and returns its new status. */
type Step = (job: CreatedJob, verdict: Exclude<GateDecision, 'wait'>) => StageStatus

interface NeedingJob extends Omit<CreatedJob, 'needs'> {
  readonly needs: readonly string[]
}

/**
 * The state of a walk through the stages. A status that changes in one stage affects the later stages in the same walk.
 */
interface Walk {
  readonly db: Database
  readonly pipelineId: number
  readonly step: Step
  /** The statuses of all jobs in the stages before. */
  readonly previous: Set<EffectiveStatus>
  /** The status of each job by its name. It is only filled if there are jobs with needs. */
  readonly byName: Map<string, EffectiveStatus>
}

/** Walks through the stages of a pipeline, and calls `step` for each created job that no longer has to wait. */
export function walkStages(db: Database, pipelineId: number, step: Step): void {
  const standings = store.stageStatuses(db, pipelineId)
  if (!standings.some(({ status }) => status === 'created')) return
  const withNeeds = Map.groupBy(
    store.createdWithNeeds(db, pipelineId).map((job) => ({ ...job, needs: namesOfNeeds(job.needs!) })),
    (job) => job.stage_index,
  )
  const byName = withNeeds.size > 0 ? statusesByName(db, pipelineId) : new Map<string, EffectiveStatus>()
  const walk: Walk = { db, pipelineId, step, previous: new Set(), byName }
  const stages = Map.groupBy(standings, ({ stage_index }) => stage_index)
  for (const stage of [...stages.keys()].toSorted((a, b) => a - b)) {
    const statuses = stages
      .get(stage)!
      .map((standing) => effectiveStatus(standing.status, standing.allow_failure))
    const others = statuses.filter((status) => status !== 'created')
    const hasCreated = others.length < statuses.length
    const moved = hasCreated ? [...moveByStage(walk, stage), ...moveByNeeds(walk, withNeeds.get(stage))] : []
    for (const status of [...others, ...moved]) walk.previous.add(status)
  }
}

/** Moves the created jobs of a stage that wait for earlier stages, and returns their statuses. */
function moveByStage(walk: Walk, stage: number): EffectiveStatus[] {
  const { db, pipelineId } = walk
  const previous = previousOf(walk.previous, false)
  if (!isFinished(previous)) return store.hasCreatedInStage(db, pipelineId, stage) ? ['created'] : []
  return store
    .createdInStage(db, pipelineId, stage)
    .map((job) => move(walk, job, gateOf(job.when, previous, false)))
}

/** Moves the created jobs of a stage that have needs, and returns their statuses. */
function moveByNeeds(walk: Walk, jobs: readonly NeedingJob[] = []): EffectiveStatus[] {
  return sortByNeeds(jobs).map((job) => {
    const previous = previousOf(statusesOfNeeds(job.needs, walk.byName), true)
    return move(walk, { ...job, needs: null }, gateOf(job.when, previous, true))
  })
}

function move({ db, step, byName }: Walk, job: CreatedJob, verdict: GateDecision): EffectiveStatus {
  if (verdict === 'wait') return 'created'
  // An earlier step of this walk may have changed the job, because it freed a resource.
  const current = store.stageStatusOf(db, job.id)
  const row = current.status === 'created' ? step(job, verdict) : current
  const status = effectiveStatus(row.status, row.allow_failure)
  byName.set(job.name, status)
  return status
}

function statusesByName(db: Database, pipelineId: number): Map<string, EffectiveStatus> {
  return new Map(
    store
      .newestByName(db, pipelineId)
      .map((job) => [job.name, effectiveStatus(job.status, job.allow_failure)]),
  )
}

/** The names of the jobs that a job needs. `needs` is the content of the column. */
export function namesOfNeeds(needs: string): string[] {
  return (JSON.parse(needs) as { name: string }[]).map(({ name }) => name)
}
