import { open, rm, stat, type FileHandle } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

import type { Ctx } from '../../../../../ctx.ts'
import { tx } from '../../../../../db/database.ts'
import { isStopping } from '../../../../../jobs/runs.ts'
import { moveDurably } from '../../../../../lib/files/durable-file.ts'
import { archiveNames, archivePath } from '../../../imports/files.ts'
import { credentialsOf, failRun, startRun } from '../../../imports/runs.ts'
import { ImportFailure, isForbidden, reasonOf } from '../../../imports/status.ts'
import { currentTime, cancelableImport, storeProgress } from '../../../imports/running.ts'
import { update as updateRun, type Run } from '../../../imports/store.ts'
import { prepareRepository, type Project } from '../../../../projects/index.ts'
import { type ArchiveRequest, type RemoteSource, bucketRequest, allowsHttp } from './archive-source.ts'

/** The connection ended early. A request for the rest may succeed. */
export class ConnectionLost extends Error {}

/** The download of the rest of an archive. */
export interface Download {
  readonly request: ArchiveRequest
  readonly file: FileHandle
  /** Number of bytes that the file already has. */
  readonly offset: number
  /** Size of the whole archive in bytes, according to the source. */
  readonly length: number
  readonly signal: AbortSignal
  onBytes(done: number): void
}

/** How many times the timeout of an answer may pass without a received byte. */
const MAX_SILENT_TIMEOUTS = 3
const TOO_LARGE = 'The source sent more than it had announced'

/**
 * Receives the rest of an archive into its file. Throws SourceBroke if the connection ends early, and ImportFailure if
 * the source refuses or sends another file than announced.
 */
export async function receive(ctx: Ctx, download: Download): Promise<void> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), ctx.config.hookTimeoutMs * MAX_SILENT_TIMEOUTS)
  const signal = AbortSignal.any([download.signal, silence.signal])
  try {
    const response = await request(ctx, download.request, signal)
    const start = await startOf(response, download)
    let done = start
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      timer.refresh()
      done += chunk.byteLength
      if (done > download.length) throw new ImportFailure(`${TOO_LARGE} (${download.length} bytes).`)
      await download.file.write(chunk)
      download.onBytes(done)
    }
    if (done < download.length)
      throw new ConnectionLost(`The source sent ${done} of ${download.length} bytes.`)
  } catch (error) {
    if (silence.signal.aborted && !download.signal.aborted)
      throw new ImportFailure('The source stopped sending data.')
    if (error instanceof ImportFailure || isForbidden(error)) throw error
    throw new ConnectionLost('The connection to the source was lost.', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

type Answer = Awaited<ReturnType<Ctx['outbound']['fetch']>>

async function request(
  ctx: Ctx,
  { url, headers, redirect }: ArchiveRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const requestHeaders = { ...headers, 'accept-encoding': 'identity' }
  const response = await ctx.outbound.fetch(url, { headers: requestHeaders, redirect, signal })
  const refuse = async (sentence: string): Promise<never> => {
    await response.body?.cancel().catch(() => undefined)
    throw new ImportFailure(sentence)
  }
  if (new URL(response.url || url).protocol === 'http:' && !allowsHttp(ctx))
    await refuse('The source redirects to an address that does not use HTTPS.')
  if (response.status >= 500) {
    await response.body?.cancel().catch(() => undefined)
    throw new ConnectionLost(`The source answered ${response.status}.`)
  }
  if (!response.ok) await refuse(`The source answered ${response.status} instead of the archive.`)
  const encoding = response.headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity')
    await refuse(`The source sends the archive in an unsupported encoding (${encoding}).`)
  return response
}

/** The position in the archive at which the answer starts. A source without range requests sends everything again. */
async function startOf(response: Answer, { offset, length, file }: Download): Promise<number> {
  const { status, headers } = response
  if (status === 206) {
    const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '')
    if (Number(range?.[1] ?? NaN) !== offset)
      throw new ImportFailure('The source sent a different part of the archive than requested.')
    if (range?.[2] !== '*' && Number(range?.[2]) !== length)
      throw new ImportFailure('The archive at the source changed during the download.')
    return offset
  }
  const header = headers.get('content-length')
  if (header !== null && Number(header) > length) throw new ImportFailure(`${TOO_LARGE} (${length} bytes).`)
  if (offset > 0) await file.truncate(0)
  return 0
}

/** Maximum number of consecutive attempts without a received byte. */
const MAX_ATTEMPTS = 5
/** The pause before the next attempt, relative to the timeout of an answer. It doubles with each attempt. */
const PAUSE_FACTOR = 1 / 50

/**
 * Downloads the archive of a project and resumes an interrupted download. Calls `onComplete` in the transaction that
 * stores the end of the download. A changed archive at the source ends the import with an error.
 */
export async function fetchRemote(ctx: Ctx, projectId: number, onComplete: () => void): Promise<void> {
  const started = startRun(ctx, projectId)
  if (!started?.run) return
  const { run } = started
  // The instance stopped after the download.
  if (run.file !== null) return tx(ctx.db, onComplete)
  await cancelableImport(ctx, projectId, (signal) =>
    downloadArchive(ctx, { project: started.project, run }, onComplete, signal),
  )
}

async function downloadArchive(
  ctx: Ctx,
  { project, run }: { readonly project: Project; readonly run: Run },
  onComplete: () => void,
  signal: AbortSignal,
): Promise<void> {
  const projectId = project.id
  const names = archiveNames(projectId)
  const partialFile = archivePath(ctx.config, names.part)
  try {
    // The project can be used even if the download fails.
    await prepareRepository(ctx, project)
    await fetchAll(ctx, run, partialFile, signal)
    await moveDurably(partialFile, archivePath(ctx.config, names.file))
    tx(ctx.db, () => {
      signal.throwIfAborted()
      updateRun(ctx.db, projectId, { file: names.file })
      onComplete()
    })
  } catch (error) {
    if (isStopping(signal)) throw error
    await Promise.all(
      [partialFile, archivePath(ctx.config, names.file)].map((path) => rm(path, { force: true })),
    )
    if (signal.aborted) return
    ctx.log.warn({ err: error, project_id: projectId }, 'an archive could not be fetched')
    failRun(ctx, projectId, reasonOf(error, 'The archive could not be fetched.'))
  }
}

async function fetchAll(ctx: Ctx, run: Run, partialFile: string, signal: AbortSignal): Promise<void> {
  const source = JSON.parse(run.source) as RemoteSource
  const pauseMs = ctx.config.hookTimeoutMs * PAUSE_FACTOR
  const file = await open(partialFile, 'a')
  try {
    for (let idle = 0; ;) {
      const offset = (await stat(partialFile)).size
      if (offset === source.length) return await file.sync()
      if (offset > source.length) await file.truncate(0)
      else if (idle > 0) await pause(pauseMs * 2 ** (idle - 1), undefined, { signal })
      const hasReceived = await attempt(ctx, {
        run,
        source,
        file,
        offset: offset > source.length ? 0 : offset,
        signal,
      })
      idle = hasReceived ? 1 : idle + 1
      if (idle > MAX_ATTEMPTS) throw new ImportFailure('The source closed the connection repeatedly.')
    }
  } finally {
    await file.close()
  }
}

type Attempt = {
  readonly run: Run
  readonly source: RemoteSource
  readonly file: Awaited<ReturnType<typeof open>>
  readonly offset: number
  readonly signal: AbortSignal
}

/** Continues the download. Returns whether a byte was received, even if the connection was lost afterwards. */
async function attempt(ctx: Ctx, { run, source, file, offset, signal }: Attempt): Promise<boolean> {
  let done = offset
  try {
    await receive(ctx, {
      request: await requestFor(ctx, run, source, offset),
      file,
      offset,
      length: source.length,
      signal,
      onBytes: (count) => {
        done = count
        storeProgress(ctx, run.project_id, { step: 'download', done, total: source.length })
      },
    })
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (isForbidden(error) || !(error instanceof ConnectionLost)) throw error
    return done > offset
  }
}

function requestFor(
  ctx: Ctx,
  run: Run,
  source: RemoteSource,
  offset: number,
): Promise<ArchiveRequest> | ArchiveRequest {
  const range: Record<string, string> =
    offset === 0 ? {} : { range: `bytes=${offset}-`, ...(source.etag ? { 'if-range': source.etag } : {}) }
  const credentials = credentialsOf(ctx, run)
  if (source.kind === 'url')
    return { url: source.url ?? credentials['url'] ?? '', headers: range, redirect: 'follow' }
  const { region, bucket, key } = source
  const { access_key_id = '', secret_access_key = '' } = credentials
  const now = currentTime(ctx)
  const object = { region, bucket, key, access_key_id, secret_access_key }
  return bucketRequest(ctx, object, { method: 'GET', now, headers: range })
}
