import type { Ctx } from '../../../ctx.ts'
import {
  failRun,
  failuresOf,
  finishRun,
  ImportInterrupted,
  signalOf,
  startRun,
} from '../../import_export/index.ts'
import { discard, goOn, later, sentenceOf, waitingTime, type ImportJob } from '../hosts/ending.ts'
import { DENIED } from './client.ts'
import { activities } from './stages/activities.ts'
import { pullRequests } from './stages/pull-requests.ts'
import { repository } from './stages/repository.ts'
import { type Stage, keepCursor, reportProgress, workOf, type Work } from './work.ts'

/** All stages; what others refer to comes first. */
const STAGES: readonly Stage[] = [repository, pullRequests, activities]

/** Failures that the error of an import lists. */
const MAX_ERRORS = 100

/** Fills a project from Bitbucket Server and continues where the import was interrupted; `job` continues it later. */
export async function runImport(ctx: Ctx, projectId: number, job: ImportJob): Promise<void> {
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
    if (why instanceof ImportInterrupted && why.reason === 'stopping') return goOn(ctx, job, projectId)
    if (signal.aborted) return discard(ctx, projectId)
    const going = work
    const until = going && waitingTime(going, error, (trouble) => keepCursor(going, { trouble }))
    if (until) return later(going, job, until)
    ctx.log.warn({ err: error, project_id: projectId }, 'an import from another host failed')
    await discard(ctx, projectId)
    failRun(ctx, projectId, sentenceOf(error, DENIED))
  }
}

async function runStages(work: Work): Promise<void> {
  const at = STAGES.findIndex((stage) => stage.name === work.cursor.stage)
  for (const stage of STAGES.slice(Math.max(at, 0))) {
    work.signal.throwIfAborted()
    if (stage.name !== work.cursor.stage)
      keepCursor(work, { stage: stage.name, start: 0, done: 0, trouble: 0 })
    work.total = 0
    reportProgress(work)
    await stage.run(work)
  }
}

/** What could not be taken over, as JSON (spec administration 6.10); null where all could. */
function errorsOf(ctx: Ctx, projectId: number): string | null {
  const { rows } = failuresOf(ctx.db, { project_id: projectId }, { limit: MAX_ERRORS, offset: 0 })
  if (rows.length === 0) return null
  const errors = rows.map((one) => ({
    type: one.relation_name,
    source: one.source,
    errors: one.exception_message,
  }))
  return JSON.stringify({ message: 'The remote data could not be fully imported.', errors })
}
