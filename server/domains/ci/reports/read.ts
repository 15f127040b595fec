import { readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { projectById } from '../../projects/index.ts'
import { pathOf } from '../artifacts/content.ts'
import { type ArtifactRow, ofType } from '../artifacts/store.ts'
import { ArtifactsChanged } from '../events.ts'
import { byId as jobById, detailsOf, type JobRow } from '../jobs/store.ts'
import { keyOf, MOST_FAILURES, suiteName } from './failures.ts'
import { members } from './gzip.ts'
import { brokenSuite, parseJunit, type Suite } from './junit.ts'
import type { CompiledJob } from '../../ci_config/index.ts'
import * as store from './store.ts'

/** Largest reports of one job, bytes: on disk, and unpacked. */
const MAX_PACKED = 32 * 1024 * 1024
const MAX_BYTES = 32 * 1024 * 1024

/** Characters that are stored of it: the page of a pipeline requests all of it at once. */
const MAX_KEPT = 12 * 1024 * 1024
const TOO_LARGE = 'JUnit data parsing failed: the reports are too large'

/** Reads the JUnit reports of a job, and stores the results of its tests. */
export async function readTests(ctx: Ctx, jobId: number): Promise<void> {
  const report = ofType(ctx.db, jobId, 'junit')
  if (!report) return
  const { suite, text } = kept(await suiteIn(ctx, report))
  tx(ctx.db, () => {
    const job = jobById(ctx.db, jobId)
    // The job was erased while the report was read.
    if (!job || ofType(ctx.db, jobId, 'junit')?.id !== report.id) return
    store.keepSuite(ctx.db, jobId, suite, text)
    if (isOnDefaultBranch(ctx, job)) store.keepFailures(ctx.db, job, failedIn(ctx, job, suite), ctx.now)
    publish(ctx, ArtifactsChanged, { project_id: job.project_id, job_id: jobId, actor_id: job.user_id })
  })
}

function kept(suite: Suite): { suite: Suite; text: string } {
  const text = JSON.stringify(suite)
  if (text.length <= MAX_KEPT) return { suite, text }
  const broken = brokenSuite(TOO_LARGE)
  return { suite: broken, text: JSON.stringify(broken) }
}

async function suiteIn(ctx: Ctx, report: ArtifactRow): Promise<Suite> {
  const tooLarge = brokenSuite(TOO_LARGE)
  if (report.size > MAX_PACKED) return tooLarge
  const content = await readFile(pathOf(ctx, report)).catch(() => undefined)
  if (!content) return brokenSuite('JUnit data parsing failed: the report is gone')
  const documents = await members(content, MAX_BYTES)
  if (documents === 'too_large') return tooLarge
  if (documents === 'broken') return brokenSuite('JUnit XML parsing failed: the file is no gzip')
  return parseApart(documents.map(textOf))
}

function textOf(document: Buffer): string {
  const isUtf16 = document[0] === 0xff && document[1] === 0xfe
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(document)
}

function isOnDefaultBranch(ctx: Ctx, job: JobRow): boolean {
  return !job.tag && projectById(ctx.db, job.project_id)?.default_branch === job.ref
}

function failedIn(ctx: Ctx, job: JobRow, suite: Suite): string[] {
  const { parallel } = JSON.parse(detailsOf(ctx.db, job.id)?.options ?? '{}') as Partial<CompiledJob>
  const name = suiteName({ name: job.name, in_matrix: (parallel?.matrix.length ?? 0) > 0 })
  return suite.test_cases
    .filter((one) => one.status === 'failed')
    .slice(0, MOST_FAILURES)
    .map((one) => keyOf(name, one))
}

/** Characters up to which the main thread reads reports by itself: a few milliseconds. */
const SMALL = 64 * 1024

/** The largest reports that are read at all take a tenth of this. */
const DEADLINE_MS = 60_000

/** `parseJunit`, in a thread of its own where there is much to read. */
export async function parseApart(documents: readonly string[]): Promise<Suite> {
  const length = documents.reduce((sum, document) => sum + document.length, 0)
  return length <= SMALL ? parseJunit(documents) : inThread(documents)
}

async function inThread(documents: readonly string[]): Promise<Suite> {
  // In the folder of this file in the sources, in that of the bundle once it is built.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./junit.worker.${extension}`, import.meta.url), {
    workerData: documents,
    // The tree of a document takes some ten times its length.
    resourceLimits: { maxOldGenerationSizeMb: 768 },
  })
  worker.unref()
  const failed = brokenSuite('JUnit data parsing failed: the reports are too large')
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<Suite>((resolve) => {
      timer = setTimeout(() => resolve(failed), DEADLINE_MS)
      worker.on('message', resolve)
      worker.on('error', () => resolve(failed))
      worker.on('exit', () => resolve(failed))
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
