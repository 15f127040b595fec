import type { Database } from '../../../db/database.ts'
import { composite, type Word, isOver, wordOf } from './status.ts'
import * as store from './store.ts'
import type { CreatedJob, Standing } from './store.ts'

/** What happens to a created job: it waits, is skipped, or goes on. */
export type Verdict = 'wait' | 'skip' | 'go'

const BY_WHEN: Readonly<Record<string, readonly string[]>> = {
  on_failure: ['failed'],
  always: ['success', 'failed', 'skipped'],
}

/**
 * Decides about a created job by the status of the jobs before it (spec ci 2.4): those of earlier stages, or for a job
 * with needs (`isDag`) the needed ones.
 */
export function gateOf(when: string, previous: string, isDag: boolean): Verdict {
  if (!isOver(previous)) return 'wait'
  const fallback = isDag ? ['success'] : ['success', 'skipped']
  return (BY_WHEN[when] ?? fallback).includes(previous) ? 'go' : 'skip'
}

/** The status of the jobs before a job; `success` if there are none (spec ci 2.3, rule 0). */
export function previousOf(words: ReadonlySet<Word>, isDag: boolean): string {
  return composite(words, isDag) ?? 'success'
}

/**
 * The status words of the jobs that a job needs. `words` has those of the newest copies of all jobs. Needed jobs that
 * are not in the pipeline were optional and are left out.
 */
export function wordsOfNeeds(needs: readonly string[], words: ReadonlyMap<string, Word>): ReadonlySet<Word> {
  const wordSet = new Set<Word>()
  for (const name of needs) {
    const word = words.get(name)
    if (word !== undefined) wordSet.add(word)
  }
  return wordSet
}

/** Sorts jobs so that each comes after the jobs that it needs. Jobs in a circle come last. Takes linear time. */
export function byNeeds<Job extends { readonly name: string; readonly needs: readonly string[] }>(
  jobs: readonly Job[],
): Job[] {
  const open = new Map<string, number>()
  const dependants = new Map<string, Job[]>()
  const names = new Set(jobs.map(({ name }) => name))
  for (const job of jobs) {
    const inside = job.needs.filter((name) => names.has(name))
    open.set(job.name, inside.length)
    for (const name of inside) {
      const list = dependants.get(name)
      if (list) list.push(job)
      else dependants.set(name, [job])
    }
  }
  const sorted = jobs.filter(({ name }) => open.get(name) === 0)
  // The list grows while it is walked.
  for (const { name } of sorted) {
    for (const job of dependants.get(name) ?? []) {
      const left = open.get(job.name)! - 1
      open.set(job.name, left)
      if (left === 0) sorted.push(job)
    }
  }
  if (sorted.length === jobs.length) return sorted
  const known = new Set(sorted)
  return [...sorted, ...jobs.filter((job) => !known.has(job))]
}

/** Skips a created job or lets it continue, and returns its new status. */
type Step = (job: CreatedJob, verdict: Exclude<Verdict, 'wait'>) => Standing

interface NeedingJob extends Omit<CreatedJob, 'needs'> {
  readonly needs: readonly string[]
}

/**
 * The state of one walk through the stages. A changed status in an earlier stage affects the later ones in the same
 * walk.
 */
interface Walk {
  readonly db: Database
  readonly pipelineId: number
  readonly step: Step
  /** Words of the stages before. */
  readonly before: Set<Word>
  /** The status word of each job; filled only if jobs with needs use it. */
  readonly words: Map<string, Word>
}

/** Walks through the stages of a pipeline, and calls `step` for each created job that no longer has to wait. */
export function walkStages(db: Database, pipelineId: number, step: Step): void {
  const statuses = store.jobStandings(db, pipelineId)
  if (!statuses.some(({ status }) => status === 'created')) return
  const needing = Map.groupBy(
    store.createdWithNeeds(db, pipelineId).map((job) => ({ ...job, needs: namesOfNeeds(job.needs!) })),
    (job) => job.stage_index,
  )
  const words = needing.size > 0 ? newestWords(db, pipelineId) : new Map<string, Word>()
  const walk: Walk = { db, pipelineId, step, before: new Set(), words }
  const stages = Map.groupBy(statuses, ({ stage_index }) => stage_index)
  for (const stage of [...stages.keys()].toSorted((a, b) => a - b)) {
    const stageWords = stages.get(stage)!.map((standing) => wordOf(standing.status, standing.allow_failure))
    const finalWords = stageWords.filter((word) => word !== 'created')
    const moved =
      finalWords.length === stageWords.length
        ? []
        : [...moveByStage(walk, stage), ...moveByNeeds(walk, needing.get(stage))]
    for (const word of [...finalWords, ...moved]) walk.before.add(word)
  }
}

/** Moves the jobs of a stage that wait for earlier stages, and returns their status words. */
function moveByStage(walk: Walk, stage: number): Word[] {
  const { db, pipelineId } = walk
  const previous = previousOf(walk.before, false)
  if (!isOver(previous)) return store.hasCreatedInStage(db, pipelineId, stage) ? ['created'] : []
  return store
    .createdInStage(db, pipelineId, stage)
    .map((job) => move(walk, job, gateOf(job.when, previous, false)))
}

/** Moves the jobs of a stage that have needs, and returns their status words. */
function moveByNeeds(walk: Walk, jobs: readonly NeedingJob[] = []): Word[] {
  return byNeeds(jobs).map((job) => {
    const previous = previousOf(wordsOfNeeds(job.needs, walk.words), true)
    return move(walk, { ...job, needs: null }, gateOf(job.when, previous, true))
  })
}

function move({ db, step, words }: Walk, job: CreatedJob, verdict: Verdict): Word {
  if (verdict === 'wait') return 'created'
  // A resource that another pipeline freed may have changed this job in the meantime.
  const now = store.standingOf(db, job.id)
  const row = now.status === 'created' ? step(job, verdict) : now
  const word = wordOf(row.status, row.allow_failure)
  words.set(job.name, word)
  return word
}

function newestWords(db: Database, pipelineId: number): Map<string, Word> {
  return new Map(
    store.newestByName(db, pipelineId).map((job) => [job.name, wordOf(job.status, job.allow_failure)]),
  )
}

/** Names of the jobs that a job needs, from the stored column. */
export function namesOfNeeds(needs: string): string[] {
  return (JSON.parse(needs) as { name: string }[]).map(({ name }) => name)
}
