import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { enqueue, job } from '../../../jobs/job.ts'
import { isStopping } from '../../../jobs/runs.ts'
import {
  credentialsOf,
  currentTime,
  failRun,
  finishRun,
  importing,
  startRun,
  type Run,
} from '../../import_export/index.ts'
import { ProjectImportEnded } from '../../projects/events.ts'
import { landingOf, discardCanceled } from './landing/index.ts'
import {
  storeCursor,
  reportProgress,
  type HostStage,
  type HostWork,
  discard,
  continueLater,
  sentenceOf,
  waitingTime,
  type ImportJob,
} from './work.ts'

/** Deletes what a canceled import created. A running import deletes its content itself; a waiting import does not. */
export const subscribers: Subscription[] = [
  on(ProjectImportEnded, 'host_imports.discard', (ctx, event) => discardCanceled(ctx, event.project_id), {
    only: (event) => event.status === 'canceled',
  }),
]

const TRY_AGAIN_MS = 2000

/** The credentials and limits of a connection to a host. */
export interface Connection {
  readonly token: string
  readonly signal: AbortSignal
  /** The current time. */
  readonly now: () => string
}

/** The differences between the hosts that projects are imported from. */
export interface Host<Work extends HostWork> {
  /** Connects to the host. `identity_provider`: the sign-in provider with the host's user ids. */
  connect(
    ctx: Ctx,
    source: Work['source'],
    connection: Connection,
  ): { readonly client: Work['client']; readonly identity_provider?: string | null }
  /** All stages in their order: records come before those that refer to them. */
  readonly stages: readonly HostStage<Work>[]
  /** The host's own fields of the cursor at the beginning of a stage. */
  readonly stageStart: Partial<Work['cursor']>
  /** The error of an import with refused credentials. */
  readonly denied: string
  /** Maximum number of simultaneous imports; unlimited by default. */
  limit?(ctx: Ctx): number
  /** The error of a finished import that could not import everything. */
  errorsOf?(ctx: Ctx, projectId: number): string | null
}

/** The job that fills a project from a host. A failure becomes the status of the import. */
export function hostImportJob<Work extends HostWork>(name: string, host: Host<Work>): ImportJob {
  const options = { args: { project_id: z.number() }, retries: 3, lane: 'outside' } as const
  const self: ImportJob = job(name, options, (ctx, { project_id }) => runImport(ctx, project_id, host, self))
  return self
}

/** Runs an import. Enqueues the job again while the limit of simultaneous imports is reached. */
async function runImport<Work extends HostWork>(
  ctx: Ctx,
  projectId: number,
  host: Host<Work>,
  self: ImportJob,
): Promise<void> {
  const running = ctx.db.instance(`importers.running:${self.name}`, () => new Set<number>())
  if (host.limit && running.size >= host.limit(ctx)) {
    const options = { key: `host_imports:${projectId}`, delay: TRY_AGAIN_MS }
    return enqueue(ctx, self, { project_id: projectId }, options)
  }
  running.add(projectId)
  try {
    const run = startRun(ctx, projectId)?.run
    if (run) await importing(ctx, projectId, (signal) => fill(ctx, run, host, { self, signal }))
  } finally {
    running.delete(projectId)
  }
}

/**
 * Fills a project and continues where the import was interrupted. Enqueues the job again while the host rate limits the import
 * or is unavailable.
 */
async function fill<Work extends HostWork>(
  ctx: Ctx,
  run: Run,
  host: Host<Work>,
  { self, signal }: { readonly self: ImportJob; readonly signal: AbortSignal },
): Promise<void> {
  const projectId = run.project_id
  let work: Work | undefined
  try {
    work = workOf(ctx, run, host, signal)
    await runStages(work, host)
    await work.landing.settle()
    finishRun(ctx, projectId, { import_error: host.errorsOf?.(ctx, projectId) ?? null })
  } catch (error) {
    if (isStopping(signal)) throw error
    if (signal.aborted) return discard(ctx, projectId)
    const until = work && waitingTime(work, error)
    if (work && until) return continueLater(work, self, until)
    ctx.log.warn({ err: error, project_id: projectId }, 'an import from another host failed')
    await discard(ctx, projectId)
    failRun(ctx, projectId, sentenceOf(error, host.denied))
  }
}

/** The work of a stored run. */
function workOf<Work extends HostWork>(ctx: Ctx, run: Run, host: Host<Work>, signal: AbortSignal): Work {
  const projectId = run.project_id
  const source = JSON.parse(run.source) as Work['source']
  const token = credentialsOf(ctx, run)['token'] ?? ''
  const { client, identity_provider = null } = host.connect(ctx, source, {
    token,
    signal,
    now: () => currentTime(ctx),
  })
  const landing = landingOf(ctx, projectId, { identity_provider })
  const cursor = JSON.parse(run.cursor) as Work['cursor']
  return { ctx, projectId, source, client, landing, signal, token, cursor, total: 0 } as Work
}

async function runStages<Work extends HostWork>(
  work: Work,
  { stages, stageStart }: Host<Work>,
): Promise<void> {
  const at = stages.findIndex((stage) => stage.name === work.cursor.stage)
  for (const stage of stages.slice(Math.max(at, 0))) {
    if (stage.isWanted?.(work) === false) continue
    work.signal.throwIfAborted()
    if (stage.name !== work.cursor.stage)
      storeCursor(work, { ...stageStart, stage: stage.name, done: 0, trouble: 0 })
    work.total = 0
    reportProgress(work)
    await stage.run(work)
  }
}
