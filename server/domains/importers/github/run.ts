import type { Ctx } from '../../../ctx.ts'
import { failRun, finishRun, ImportInterrupted, signalOf, startRun } from '../../import_export/index.ts'
import { HOST_A_JOBS_LIMIT } from '../../../lib/aliases.ts'
import { enqueue } from '../../../jobs/job.ts'
import { settingsOf } from '../../settings/index.ts'
import { discard, goOn, later, sentenceOf, waitingTime, type ImportJob } from '../hosts/ending.ts'
import { deniedSentence } from './refusals.ts'
import { STAGES } from './stages/index.ts'
import { keepCursor, reportProgress, workOf, type Work } from './work.ts'

const TRY_AGAIN_MS = 2000

/**
 * Fills a project from GitHub and continues where the import was interrupted. Enqueues `job` again while the limit of
 * simultaneous imports is reached, while GitHub asks to wait, and when the instance stops.
 */
export async function runImport(ctx: Ctx, projectId: number, job: ImportJob): Promise<void> {
  const running = ctx.db.instance('importers.github_running', () => new Set<number>())
  if (running.size >= Math.max(1, settingsOf(ctx)[HOST_A_JOBS_LIMIT])) {
    const options = { key: `host_imports:${projectId}`, delay: TRY_AGAIN_MS }
    return enqueue(ctx, job, { project_id: projectId }, options)
  }
  running.add(projectId)
  try {
    await fill(ctx, projectId, job)
  } finally {
    running.delete(projectId)
  }
}

async function fill(ctx: Ctx, projectId: number, job: ImportJob): Promise<void> {
  const begun = startRun(ctx, projectId)
  if (!begun?.run) return
  const signal = signalOf(ctx, projectId)
  let work: Work | undefined
  try {
    work = workOf(ctx, projectId, begun.run)
    await runStages(work)
    await work.landing.settle()
    finishRun(ctx, projectId)
  } catch (error) {
    const why: unknown = signal.aborted ? signal.reason : error
    if (why instanceof ImportInterrupted && why.reason === 'stopping') return goOn(ctx, job, projectId)
    if (signal.aborted) return discard(ctx, projectId)
    const going = work
    const until = going && waitingTime(going, error, (trouble) => keepCursor(going, { trouble }))
    if (until) return later(going, job, until)
    await giveUp(ctx, projectId, error)
  }
}

async function runStages(work: Work): Promise<void> {
  const at = STAGES.findIndex((stage) => stage.name === work.cursor.stage)
  for (const stage of STAGES.slice(Math.max(at, 0))) {
    if (stage.isWanted?.(work) === false) continue
    work.signal.throwIfAborted()
    if (stage.name !== work.cursor.stage)
      keepCursor(work, { stage: stage.name, page: null, counted: false, thing: null, done: 0, trouble: 0 })
    work.total = 0
    reportProgress(work)
    await stage.run(work)
  }
}

async function giveUp(ctx: Ctx, projectId: number, error: unknown): Promise<void> {
  ctx.log.warn({ err: error, project_id: projectId }, 'an import from another host failed')
  await discard(ctx, projectId)
  failRun(ctx, projectId, sentenceOf(error, deniedSentence()))
}
