import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { changeJob } from './change.ts'
import { wordOf, type Word } from './composite.ts'
import { letThrough } from './enqueue.ts'
import { byNeeds, gateOf, previousOf, wordsOfNeeds, type Verdict } from './gate.ts'
import { refreshPipeline } from './refresh.ts'
import { isOver } from './statuses.ts'
import * as store from './store.ts'
import type { CreatedJob } from './store.ts'

/**
 * Moves every created job of a pipeline whose turn it is (spec ci 2.3, 2.4), and works out the pipeline's status. Safe to
 * call at any time and as often as one likes: it acts on what is stored, in one transaction.
 */
export function processPipeline(ctx: Ctx, pipelineId: number): void {
  tx(ctx.db, () => {
    advance(ctx, pipelineId)
    refreshPipeline(ctx, pipelineId)
  })
}

interface NeedingJob extends Omit<CreatedJob, 'needs'> {
  readonly needs: readonly string[]
}

/** One walk through the stages: what a job of an earlier stage becomes counts for the later ones at once. */
interface Walk {
  readonly pipelineId: number
  /** Words of the stages before. */
  readonly before: Set<Word>
  /** Word of each job, as far as jobs with needs are there to ask. */
  readonly words: Map<string, Word>
}

function advance(ctx: Ctx, pipelineId: number): void {
  const standings = store.standings(ctx.db, pipelineId)
  if (!standings.some(({ status }) => status === 'created')) return
  const needing = Map.groupBy(
    store.createdWithNeeds(ctx.db, pipelineId).map(withNames),
    (job) => job.stage_index,
  )
  const words = needing.size > 0 ? newestWords(ctx, pipelineId) : new Map<string, Word>()
  const walk: Walk = { pipelineId, before: new Set(), words }
  const stages = Map.groupBy(standings, ({ stage_index }) => stage_index)
  for (const stage of [...stages.keys()].toSorted((a, b) => a - b)) {
    const here = stages.get(stage)!.map((one) => wordOf(one.status, one.allow_failure))
    const kept = here.filter((word) => word !== 'created')
    const moved =
      kept.length === here.length
        ? []
        : [...byStage(ctx, walk, stage), ...moveByNeeds(ctx, walk, needing.get(stage))]
    for (const word of [...kept, ...moved]) walk.before.add(word)
  }
}

/** Moves the jobs of a stage that wait for the stages before, and says what they are then. */
function byStage(ctx: Ctx, walk: Walk, stage: number): Word[] {
  const previous = previousOf(walk.before, false)
  if (!isOver(previous)) return store.hasCreatedInStage(ctx.db, walk.pipelineId, stage) ? ['created'] : []
  return store
    .createdInStage(ctx.db, walk.pipelineId, stage)
    .map((job) => step(ctx, walk, job, gateOf(job.when, previous, false)))
}

/** The same for jobs of a stage with needs. */
function moveByNeeds(ctx: Ctx, walk: Walk, jobs: readonly NeedingJob[] = []): Word[] {
  return byNeeds(jobs).map((job) => {
    const previous = previousOf(wordsOfNeeds(job.needs, walk.words), true)
    return step(ctx, walk, { ...job, needs: null }, gateOf(job.when, previous, true))
  })
}

function newestWords(ctx: Ctx, pipelineId: number): Map<string, Word> {
  return new Map(
    store.newestByName(ctx.db, pipelineId).map((job) => [job.name, wordOf(job.status, job.allow_failure)]),
  )
}

/** Names of what a job needs, as it is stored. */
export function namesOfNeeds(needs: string): string[] {
  return (JSON.parse(needs) as { name: string }[]).map(({ name }) => name)
}

function withNames(job: CreatedJob): NeedingJob {
  return { ...job, needs: namesOfNeeds(job.needs!) }
}

/** Does to a job what its gate says, and says what it counts as from now on. */
function step(ctx: Ctx, walk: Walk, job: CreatedJob, verdict: Verdict): Word {
  if (verdict === 'wait') return 'created'
  // A resource that went round through another pipeline may have brought somebody here in between.
  const now = store.standingOf(ctx.db, job.id)
  const row =
    now.status !== 'created'
      ? now
      : verdict === 'skip'
        ? changeJob(ctx, job, { status: 'skipped' })
        : letThrough(ctx, job)
  const word = wordOf(row.status, row.allow_failure)
  walk.words.set(job.name, word)
  return word
}
