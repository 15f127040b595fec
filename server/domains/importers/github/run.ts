import type { Ctx } from '../../../ctx.ts'
import { failRun, finishRun, ImportInterrupted, signalOf, startRun } from '../../import_export/index.ts'
import { discard, goOn, later, sentenceOf, waitingTime } from '../hosts/ending.ts'
import { deniedSentence } from './denied.ts'
import { importHostA } from './jobs.ts'
import { STAGES } from './stages/index.ts'
import { keepCursor, tell, workOf, type Work } from './work.ts'

/** Fills a project from a host of type A, from where it was cut off. */
export async function runImport(ctx: Ctx, projectId: number): Promise<void> {
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
    if (why instanceof ImportInterrupted && why.reason === 'stopping')
      return goOn(ctx, importHostA, projectId)
    if (signal.aborted) return discard(ctx, projectId)
    const going = work
    const until = going && waitingTime(going, error, (trouble) => keepCursor(going, { trouble }))
    if (until) return later(going, importHostA, until)
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
    tell(work)
    await stage.run(work)
  }
}

async function giveUp(ctx: Ctx, projectId: number, error: unknown): Promise<void> {
  ctx.log.warn({ err: error, project_id: projectId }, 'an import from another host failed')
  await discard(ctx, projectId)
  failRun(ctx, projectId, sentenceOf(error, deniedSentence()))
}
