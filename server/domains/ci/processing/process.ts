import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { JobRow } from '../jobs/store.ts'
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
function advance(ctx: Ctx, pipelineId: number): void {
  const standings = store.standings(ctx.db, pipelineId)
  if (!standings.some(({ status }) => status === 'created')) return
  const needing = Map.groupBy(
    store.createdWithNeeds(ctx.db, pipelineId).map(withNames),
    (job) => job.stage_index,
  )
  const words = needing.size > 0 ? newestWords(ctx, pipelineId) : new Map<string, Word>()
  const before = new Set<Word>()
  const stages = Map.groupBy(standings, ({ stage_index }) => stage_index)
  for (const stage of [...stages.keys()].toSorted((a, b) => a - b)) {
    const here = new Set(stages.get(stage)!.map((one) => wordOf(one.status, one.allow_failure)))
    if (here.delete('created')) {
      if (byStage(ctx, pipelineId, stage, previousOf(before, false), words, here)) here.add('created')
      for (const job of byNeeds(needing.get(stage) ?? [])) {
        const verdict = gateOf(job.when, previousOf(wordsOfNeeds(job.needs, words), true), true)
        const word = step(ctx, { ...job, needs: null }, verdict)
        here.add(word)
        words.set(job.name, word)
      }
    }
    for (const word of here) before.add(word)
  }
}

/** Moves the jobs that wait for the stages before; true where they have to go on waiting. */
function byStage(
  ctx: Ctx,
  pipelineId: number,
  stage: number,
  previous: string,
  words: Map<string, Word>,
  here: Set<Word>,
): boolean {
  if (!isOver(previous)) return store.hasCreatedInStage(ctx.db, pipelineId, stage)
  for (const job of store.createdInStage(ctx.db, pipelineId, stage)) {
    const word = step(ctx, job, gateOf(job.when, previous, false))
    here.add(word)
    words.set(job.name, word)
  }
  return false
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
function step(ctx: Ctx, job: CreatedJob, verdict: Verdict): Word {
  if (verdict === 'wait') return 'created'
  const row: JobRow =
    verdict === 'skip' ? changeJob(ctx, job, { status: 'skipped' }) : letThrough(ctx, job)
  return wordOf(row.status, row.allow_failure)
}
