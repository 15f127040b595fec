import { open, rm, stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

import type { Ctx } from '../../../../../ctx.ts'
import { tx } from '../../../../../db/database.ts'
import { keepFile } from '../../../../../lib/files/durable-file.ts'
import { archiveNames, archivePath } from '../../../runs/files.ts'
import { credentialsOf } from '../../../runs/credentials.ts'
import { failRun, signalOf, startRun } from '../../../runs/service.ts'
import { ImportFailure, isForbidden, reasonOf } from '../../../imports/reasons.ts'
import { currentTime, ImportInterrupted } from '../../../runs/running.ts'
import { tellProgress } from '../../../runs/progress.ts'
import { update as updateRun, type Run } from '../../../runs/store.ts'
import { prepareRepository } from '../../../../projects/index.ts'
import type { ArchiveRequest, RemoteSource } from './archive.ts'
import { bucketRequest } from './bucket.ts'
import { receive, SourceBroke } from './receive.ts'

/** So often in a row nothing more may come before it counts as failed. */
const TRIES = 5
/** Part of the patience for an answer that is waited before the next try; it doubles with each. */
const PAUSE = 1 / 50

/**
 * Fetches the archive of a project into a file, from where it was cut off. `ready` is called in the transaction that says that it is
 * there. A source that does not keep what it said ends the import with a sentence.
 */
export async function fetchRemote(ctx: Ctx, projectId: number, ready: () => void): Promise<void> {
  const begun = startRun(ctx, projectId)
  if (!begun?.run) return
  const { run } = begun
  // It lies there already: the instance stopped in between.
  if (run.file !== null) return tx(ctx.db, ready)
  const signal = signalOf(ctx, projectId)
  const names = archiveNames(projectId)
  const part = archivePath(ctx.config, names.part)
  try {
    // Whatever comes of it, the project can be used.
    await prepareRepository(ctx, begun.project)
    await fetchAll(ctx, run, part, signal)
    await keepFile(part, archivePath(ctx.config, names.file))
    tx(ctx.db, () => {
      signal.throwIfAborted()
      updateRun(ctx.db, projectId, { file: names.file })
      ready()
    })
  } catch (error) {
    const why: unknown = signal.aborted ? signal.reason : error
    if (why instanceof ImportInterrupted && why.reason === 'stopping') throw why
    await Promise.all([part, archivePath(ctx.config, names.file)].map((path) => rm(path, { force: true })))
    if (signal.aborted) return
    ctx.log.warn({ err: error, project_id: projectId }, 'an archive could not be fetched')
    failRun(ctx, projectId, reasonOf(error, 'The archive could not be fetched.'))
  }
}

async function fetchAll(ctx: Ctx, run: Run, part: string, signal: AbortSignal): Promise<void> {
  const source = JSON.parse(run.source) as RemoteSource
  const pauseMs = ctx.config.hookTimeoutMs * PAUSE
  const file = await open(part, 'a')
  try {
    for (let idle = 0; ;) {
      const at = (await stat(part)).size
      if (at === source.length) return await file.sync()
      if (at > source.length) await file.truncate(0)
      else if (idle > 0) await pause(pauseMs * 2 ** (idle - 1), undefined, { signal })
      const came = await attempt(ctx, { run, source, file, at: at > source.length ? 0 : at, signal })
      idle = came ? 1 : idle + 1
      if (idle > TRIES) throw new ImportFailure('The source broke the connection again and again.')
    }
  } finally {
    await file.close()
  }
}

type Attempt = {
  readonly run: Run
  readonly source: RemoteSource
  readonly file: Awaited<ReturnType<typeof open>>
  readonly at: number
  readonly signal: AbortSignal
}

/** True where something came, even if the connection broke afterwards. */
async function attempt(ctx: Ctx, { run, source, file, at, signal }: Attempt): Promise<boolean> {
  let done = at
  try {
    await receive(ctx, {
      request: await requestFor(ctx, run, source, at),
      file,
      at,
      length: source.length,
      signal,
      onBytes: (count) => {
        done = count
        tellProgress(ctx, run.project_id, { step: 'download', done, total: source.length })
      },
    })
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (isForbidden(error) || !(error instanceof SourceBroke)) throw error
    return done > at
  }
}

function requestFor(
  ctx: Ctx,
  run: Run,
  source: RemoteSource,
  at: number,
): Promise<ArchiveRequest> | ArchiveRequest {
  const range: Record<string, string> =
    at === 0 ? {} : { range: `bytes=${at}-`, ...(source.etag ? { 'if-range': source.etag } : {}) }
  const credentials = credentialsOf(ctx, run)
  if (source.kind === 'url')
    return { url: source.url ?? credentials['url'] ?? '', headers: range, redirect: 'follow' }
  const { region, bucket, key } = source
  const { access_key_id = '', secret_access_key = '' } = credentials
  const now = currentTime(ctx, run.project_id)
  const object = { region, bucket, key, access_key_id, secret_access_key }
  return bucketRequest(ctx, object, { method: 'GET', now, headers: range })
}
