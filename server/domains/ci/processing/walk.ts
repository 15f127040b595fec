import type { Database } from '../../../db/database.ts'
import { wordOf, type Word, isOver } from './status.ts'
import { byNeeds, gateOf, previousOf, wordsOfNeeds, type Verdict } from './gate.ts'
import * as store from './store.ts'
import type { CreatedJob, Standing } from './store.ts'

/** Skips a created job or lets it continue, and returns its new status. */
export type Step = (job: CreatedJob, verdict: Exclude<Verdict, 'wait'>) => Standing

interface NeedingJob extends Omit<CreatedJob, 'needs'> {
  readonly needs: readonly string[]
}

/** One walk through the stages: what a job of an earlier stage becomes counts for the later ones at once. */
interface Walk {
  readonly db: Database
  readonly pipelineId: number
  readonly step: Step
  /** Words of the stages before. */
  readonly before: Set<Word>
  /** Word of each job; filled only where jobs with needs ask for it. */
  readonly words: Map<string, Word>
}

/** Walks through the stages of a pipeline, and takes a step with each created job that need not wait any more. */
export function walkStages(db: Database, pipelineId: number, step: Step): void {
  const standings = store.standings(db, pipelineId)
  if (!standings.some(({ status }) => status === 'created')) return
  const needing = Map.groupBy(
    store.createdWithNeeds(db, pipelineId).map((job) => ({ ...job, needs: namesOfNeeds(job.needs!) })),
    (job) => job.stage_index,
  )
  const words = needing.size > 0 ? newestWords(db, pipelineId) : new Map<string, Word>()
  const walk: Walk = { db, pipelineId, step, before: new Set(), words }
  const stages = Map.groupBy(standings, ({ stage_index }) => stage_index)
  for (const stage of [...stages.keys()].toSorted((a, b) => a - b)) {
    const here = stages.get(stage)!.map((one) => wordOf(one.status, one.allow_failure))
    const kept = here.filter((word) => word !== 'created')
    const moved =
      kept.length === here.length
        ? []
        : [...moveByStage(walk, stage), ...moveByNeeds(walk, needing.get(stage))]
    for (const word of [...kept, ...moved]) walk.before.add(word)
  }
}

/** Moves the jobs of a stage that wait for the stages before, and returns their words. */
function moveByStage(walk: Walk, stage: number): Word[] {
  const { db, pipelineId } = walk
  const previous = previousOf(walk.before, false)
  if (!isOver(previous)) return store.hasCreatedInStage(db, pipelineId, stage) ? ['created'] : []
  return store
    .createdInStage(db, pipelineId, stage)
    .map((job) => move(walk, job, gateOf(job.when, previous, false)))
}

/** The same for the jobs of a stage with needs. */
function moveByNeeds(walk: Walk, jobs: readonly NeedingJob[] = []): Word[] {
  return byNeeds(jobs).map((job) => {
    const previous = previousOf(wordsOfNeeds(job.needs, walk.words), true)
    return move(walk, { ...job, needs: null }, gateOf(job.when, previous, true))
  })
}

function move({ db, step, words }: Walk, job: CreatedJob, verdict: Verdict): Word {
  if (verdict === 'wait') return 'created'
  // A resource that was handed on in another pipeline may have changed this job in between.
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
