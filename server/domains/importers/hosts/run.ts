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
  cancelableImport,
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
  failureReason,
  retryTime,
  type ImportJob,
} from './work.ts'

/** Deletes the records of a canceled import. A running import does so itself; a waiting one has no running job. */
export const subscribers: Subscription[] = [
  on(ProjectImportEnded, 'host_imports.discard', (ctx, event) => discardCanceled(ctx, event.project_id), {
    only: (event) => event.status === 'canceled',
  }),
]

/** How long a job waits while the limit of simultaneous imports is reached, in milliseconds. */
const RETRY_DELAY_MS = 2000

/** The credentials and limits of a connection to a host. */
export interface Connection {
  readonly token: string
  readonly signal: AbortSignal
  /** The current time. */
  readonly now: () => string
}

/** What differs between the hosts that projects are imported from. */
export interface Host<Work extends HostWork> {
  /** Creates a client. `identity_provider` is the sign-in provider that has the user IDs of the host. */
  connect(
    ctx: Ctx,
    source: Work['source'],
    connection: Connection,
  ): { readonly client: Work['client']; readonly identity_provider?: string | null }
  /** All stages in their order. Records are imported before the records that refer to them. */
  readonly stages: readonly HostStage<Work>[]
  /** The host's own fields of the cursor at the beginning of a stage. */
  readonly stageCursor: Partial<Work['cursor']>
  /** The error message of an import with refused credentials. */
  readonly deniedMessage: string
  /** Maximum number of simultaneous imports. Default is no limit. */
  limit?(ctx: Ctx): number
  /** The error message of a finished import that could not import everything. */
  errorsOf?(ctx: Ctx, projectId: number): string | null
}

/** Defines the job that imports a repository of a host. A failure becomes the status of the import. */
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
    const options = { key: `host_imports:${projectId}`, delay: RETRY_DELAY_MS }
    return enqueue(ctx, self, { project_id: projectId }, options)
  }
  running.add(projectId)
  try {
    const run = startRun(ctx, projectId)?.run
    if (run) await cancelableImport(ctx, projectId, (signal) => importFrom(ctx, run, host, { self, signal }))
  } finally {
    running.delete(projectId)
  }
}

/**
 * Imports the repository. Continues where an earlier run was interrupted. Enqueues the job again while the host limits
 * the rate of requests or is unavailable.
 */
async function importFrom<Work extends HostWork>(
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
    const until = work && retryTime(work, error)
    if (work && until) return continueLater(work, self, until)
    ctx.log.warn({ err: error, project_id: projectId }, 'an import from another host failed')
    await discard(ctx, projectId)
    failRun(ctx, projectId, failureReason(error, host.deniedMessage))
  }
}

/** Creates the work of a stored run. */
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
  { stages, stageCursor }: Host<Work>,
): Promise<void> {
  const index = stages.findIndex((stage) => stage.name === work.cursor.stage)
  for (const stage of stages.slice(Math.max(index, 0))) {
    if (stage.isEnabled?.(work) === false) continue
    work.signal.throwIfAborted()
    if (stage.name !== work.cursor.stage)
      storeCursor(work, { ...stageCursor, stage: stage.name, done: 0, trouble: 0 })
    work.total = 0
    reportProgress(work)
    await stage.run(work)
  }
}
