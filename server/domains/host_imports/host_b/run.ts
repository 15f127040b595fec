import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/job.ts'
import { isoTime } from '../../../lib/clock.ts'
import {
  failRun,
  failuresOf,
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
import { HostProblem, HostWaits } from '../host_a/client/problems.ts'
import { CannotLand, discardLanded } from '../landing/index.ts'
import { importHostB } from './jobs.ts'
import { DENIED } from './refusals.ts'
import { STAGES } from './stages/index.ts'
import { keepCursor, tell, workOf, type Work } from './work.ts'

/** How long the host may be broken: minutes between the tries. */
const TROUBLE_MINUTES = [1, 4, 16]
/** What is shown of what could not be taken over. */
const MOST_ERRORS = 100

/** Fills a project from a host of type B server, from where it was cut off. */
export async function runImport(ctx: Ctx, projectId: number): Promise<void> {
  const begun = startRun(ctx, projectId)
  if (!begun?.run) return
  const signal = signalOf(ctx, projectId)
  let work: Work | undefined
  try {
    work = workOf(ctx, projectId, begun.run)
    await runStages(work)
    await work.landing.settle()
    finishRun(ctx, projectId, { import_error: errorsOf(ctx, projectId) })
  } catch (error) {
    const why: unknown = signal.aborted ? signal.reason : error
    if (why instanceof ImportInterrupted && why.reason === 'stopping') throw why
    if (signal.aborted) return discardLanded(ctx, projectId)
    const until = work && waitingTime(work, error)
    if (until) return later(ctx, projectId, until, work!)
    ctx.log.warn({ err: error, project_id: projectId }, 'an import from another host failed')
    await discardLanded(ctx, projectId)
    failRun(ctx, projectId, sentenceOf(error))
  }
}

async function runStages(work: Work): Promise<void> {
  const at = STAGES.findIndex((stage) => stage.name === work.cursor.stage)
  for (const stage of STAGES.slice(Math.max(at, 0))) {
    work.signal.throwIfAborted()
    if (stage.name !== work.cursor.stage)
      keepCursor(work, { stage: stage.name, start: 0, done: 0, trouble: 0 })
    work.total = 0
    tell(work)
    await stage.run(work)
  }
}

/** What could not be taken over, as JSON (spec administration 6.10); null where all could. */
function errorsOf(ctx: Ctx, projectId: number): string | null {
  const { rows } = failuresOf(ctx.db, { project_id: projectId }, { limit: MOST_ERRORS, offset: 0 })
  if (rows.length === 0) return null
  const errors = rows.map((one) => ({
    type: one.relation_name,
    source: one.source,
    errors: one.exception_message,
  }))
  return JSON.stringify({ message: 'The remote data could not be fully imported.', errors })
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

/** The work is put back until then; nothing holds a place meanwhile. */
function later(ctx: Ctx, projectId: number, until: string, { cursor }: Work): void {
  const how = { step: cursor.stage ?? 'start', done: cursor.done ?? 0, waiting_until: until }
  tellProgress(ctx, projectId, how)
  const delay = Math.max(0, Date.parse(until) - Date.parse(ctx.now))
  tx(ctx.db, () => {
    updateRun(ctx.db, projectId, how)
    enqueue(ctx, importHostB, { project_id: projectId }, { key: `host_imports:${projectId}`, delay })
  })
}

function sentenceOf(error: unknown): string {
  if (error instanceof HostProblem && error.status === 401) return DENIED
  if (error instanceof HostProblem && error.status === 404)
    return 'The repository cannot be found at the other host any more.'
  if (error instanceof HostProblem && error.status > 0)
    return `The other host refused (HTTP ${error.status}): ${error.message}`
  if (error instanceof HostProblem) return error.message
  return reasonOf(error instanceof CannotLand ? new ImportFailure(error.message) : error)
}
