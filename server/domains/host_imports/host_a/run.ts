import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { isoTime } from '../../../lib/clock.ts'
import { enqueue } from '../../../jobs/job.ts'
import {
  failRun,
  finishRun,
  ImportFailure,
  ImportInterrupted,
  reasonOf,
  signalOf,
  startRun,
  tellProgress,
  timeOf,
  updateRun,
} from '../../imports/index.ts'
import { HostProblem, HostWaits } from './client/problems.ts'
import { deniedSentence } from './denied.ts'
import { importHostA } from './jobs.ts'
import { discardLanded } from '../landing/index.ts'
import { STAGES } from './stages/index.ts'
import { keepCursor, tell, workOf, type Work } from './work.ts'

/** How long the host may be broken: minutes between the tries. */
const TROUBLE_MINUTES = [1, 4, 16]

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
    if (why instanceof ImportInterrupted && why.reason === 'stopping') return goOn(ctx, projectId)
    if (signal.aborted) return discard(ctx, projectId)
    const until = work && waitingTime(work, error)
    if (until) return later(ctx, projectId, until, work!)
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

/** Until when the import rests, where that may help; undefined where it has failed. */
function waitingTime(work: Work, error: unknown): string | undefined {
  if (error instanceof HostWaits) return error.until
  if (!(error instanceof HostProblem) || !error.isPassing) return undefined
  const trouble = work.cursor.trouble ?? 0
  const minutes = TROUBLE_MINUTES[trouble]
  if (minutes === undefined) return undefined
  keepCursor(work, { trouble: trouble + 1 })
  return isoTime(Date.parse(timeOf(work.ctx, work.projectId)) + minutes * 60_000)
}

/** The next start goes on, however often that was. */
function goOn(ctx: Ctx, projectId: number): void {
  enqueue(ctx, importHostA, { project_id: projectId }, { key: `host_imports:${projectId}` })
}

/** The work is put back until then; nothing holds a place meanwhile. */
function later(ctx: Ctx, projectId: number, until: string, { cursor }: Work): void {
  const how = { step: cursor.stage ?? 'start', done: cursor.done ?? 0, waiting_until: until }
  tellProgress(ctx, projectId, how)
  const delay = Math.max(0, Date.parse(until) - Date.parse(ctx.now))
  tx(ctx.db, () => {
    updateRun(ctx.db, projectId, how)
    enqueue(ctx, importHostA, { project_id: projectId }, { key: `host_imports:${projectId}`, delay })
  })
}

async function giveUp(ctx: Ctx, projectId: number, error: unknown): Promise<void> {
  ctx.log.warn({ err: error, project_id: projectId }, 'an import from another host failed')
  await discard(ctx, projectId)
  failRun(ctx, projectId, sentenceOf(error))
}

/** However much of it can be taken back, the import is over. */
async function discard(ctx: Ctx, projectId: number): Promise<void> {
  try {
    await discardLanded(ctx, projectId)
  } catch (error) {
    ctx.log.error({ err: error, project_id: projectId }, 'what an import had brought could not be removed')
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof HostProblem && error.status === 401) return deniedSentence()
  if (error instanceof HostProblem && error.status === 404)
    return 'The repository cannot be found at the other host any more.'
  if (error instanceof HostProblem && error.status > 0)
    return `The other host refused (HTTP ${error.status}): ${error.message}`
  if (error instanceof HostProblem) return error.message
  return reasonOf(
    error instanceof Error && error.name === 'CannotLand' ? new ImportFailure(error.message) : error,
  )
}
