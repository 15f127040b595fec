import { open, rm, stat, type FileHandle } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

import type { Ctx } from '../../../../../ctx.ts'
import { tx } from '../../../../../db/database.ts'
import { isStopping } from '../../../../../jobs/runs.ts'
import { moveDurably } from '../../../../../lib/files/durable-file.ts'
import { archiveNames, archivePath } from '../../../imports/files.ts'
import { credentialsOf, failRun, startRun } from '../../../imports/runs.ts'
import { ImportFailure, isForbidden, reasonOf } from '../../../imports/status.ts'
import { currentTime, importing, storeProgress } from '../../../imports/running.ts'
import { update as updateRun, type Run } from '../../../imports/store.ts'
import { prepareRepository, type Project } from '../../../../projects/index.ts'
import { type ArchiveRequest, type RemoteSource, bucketRequest, allowsHttp } from './look.ts'

/** The connection ended early; a request for the rest may succeed. */
export class SourceBroke extends Error {}

/** The rest of an archive. */
export interface Wanted {
  readonly request: ArchiveRequest
  readonly file: FileHandle
  /** Bytes that the file has. */
  readonly at: number
  /** Size of the whole archive in bytes, according to the source. */
  readonly length: number
  readonly signal: AbortSignal
  onBytes(done: number): void
}

/** Number of answer timeouts that may pass without a received byte. */
const SILENCES = 3
const TOO_MUCH = 'The source sent more than it had announced'

/**
 * Receives the rest of an archive into its file. Throws SourceBroke if the connection ends early, and ImportFailure if
 * the source refuses or sends another file than announced.
 */
export async function receive(ctx: Ctx, wanted: Wanted): Promise<void> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), ctx.config.hookTimeoutMs * SILENCES)
  const signal = AbortSignal.any([wanted.signal, silence.signal])
  try {
    const response = await ask(ctx, wanted.request, signal)
    const from = await beginningOf(response, wanted)
    let done = from
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      timer.refresh()
      done += chunk.byteLength
      if (done > wanted.length) throw new ImportFailure(`${TOO_MUCH} (${wanted.length} bytes).`)
      await wanted.file.write(chunk)
      wanted.onBytes(done)
    }
    if (done < wanted.length) throw new SourceBroke(`The source sent ${done} of ${wanted.length} bytes.`)
  } catch (error) {
    if (silence.signal.aborted && !wanted.signal.aborted)
      throw new ImportFailure('The source stopped sending data.')
    if (error instanceof ImportFailure || isForbidden(error)) throw error
    throw new SourceBroke('The connection to the source broke.', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

type Answer = Awaited<ReturnType<Ctx['outbound']['fetch']>>

async function ask(
  ctx: Ctx,
  { url, headers, redirect }: ArchiveRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const all = { ...headers, 'accept-encoding': 'identity' }
  const response = await ctx.outbound.fetch(url, { headers: all, redirect, signal })
  const refuse = async (sentence: string): Promise<never> => {
    await response.body?.cancel().catch(() => undefined)
    throw new ImportFailure(sentence)
  }
  if (new URL(response.url || url).protocol === 'http:' && !allowsHttp(ctx))
    await refuse('The source redirects to an address that does not use HTTPS.')
  if (response.status >= 500) {
    await response.body?.cancel().catch(() => undefined)
    throw new SourceBroke(`The source answered ${response.status}.`)
  }
  if (!response.ok) await refuse(`The source answered ${response.status} instead of the archive.`)
  const encoding = response.headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity')
    await refuse(`The source sends the archive in an unsupported encoding (${encoding}).`)
  return response
}

/** The position where the answer begins; a source that cannot send a part sends all again. */
async function beginningOf(response: Answer, { at, length, file }: Wanted): Promise<number> {
  const { status, headers } = response
  if (status === 206) {
    const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '')
    if (Number(range?.[1] ?? NaN) !== at)
      throw new ImportFailure('The source sent a different part of the archive than requested.')
    if (range?.[2] !== '*' && Number(range?.[2]) !== length)
      throw new ImportFailure('The archive at the source changed during the download.')
    return at
  }
  const header = headers.get('content-length')
  if (header !== null && Number(header) > length) throw new ImportFailure(`${TOO_MUCH} (${length} bytes).`)
  if (at > 0) await file.truncate(0)
  return 0
}

/** Attempts in a row without a byte before the download has failed. */
const TRIES = 5
/** The pause before the next attempt, as a fraction of the timeout of an answer. It doubles with each attempt. */
const PAUSE = 1 / 50

/**
 * Downloads the archive of a project and resumes an interrupted download. Calls `ready` in the transaction that stores
 * its end. A source that changes its answers ends the import with a sentence.
 */
export async function fetchRemote(ctx: Ctx, projectId: number, ready: () => void): Promise<void> {
  const begun = startRun(ctx, projectId)
  if (!begun?.run) return
  const { run } = begun
  // The instance stopped after the download.
  if (run.file !== null) return tx(ctx.db, ready)
  await importing(ctx, projectId, (signal) => fetchInto(ctx, { project: begun.project, run }, ready, signal))
}

async function fetchInto(
  ctx: Ctx,
  { project, run }: { readonly project: Project; readonly run: Run },
  ready: () => void,
  signal: AbortSignal,
): Promise<void> {
  const projectId = project.id
  const names = archiveNames(projectId)
  const part = archivePath(ctx.config, names.part)
  try {
    // The project can be used even if the download fails.
    await prepareRepository(ctx, project)
    await fetchAll(ctx, run, part, signal)
    await moveDurably(part, archivePath(ctx.config, names.file))
    tx(ctx.db, () => {
      signal.throwIfAborted()
      updateRun(ctx.db, projectId, { file: names.file })
      ready()
    })
  } catch (error) {
    if (isStopping(signal)) throw error
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
      if (idle > TRIES) throw new ImportFailure('The source closed the connection repeatedly.')
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

/** True if a byte was received, even if the connection broke afterwards. */
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
        storeProgress(ctx, run.project_id, { step: 'download', done, total: source.length })
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
  const now = currentTime(ctx)
  const object = { region, bucket, key, access_key_id, secret_access_key }
  return bucketRequest(ctx, object, { method: 'GET', now, headers: range })
}
