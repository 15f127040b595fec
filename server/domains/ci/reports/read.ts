import { readFile } from 'node:fs/promises'
import { createInflateRaw } from 'node:zlib'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { runInThread, workerFile } from '../../../threads/thread.ts'
import { projectById } from '../../projects/index.ts'
import { pathOf } from '../artifacts/disk.ts'
import { type ArtifactRow, ofType } from '../artifacts/store.ts'
import { ArtifactsChanged } from '../events.ts'
import { byId as jobById, detailsOf, type JobRow } from '../jobs/store.ts'
import { brokenSuite, parseJunit, type Suite, type TestCase } from './junit.ts'
import type { CompiledJob } from '../../ci_config/index.ts'
import * as store from './store.ts'
import { addDays } from '../../../lib/clock.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'

/** A member without its compression, and the number of compressed bytes that it took. */
interface Inflated {
  readonly content: Buffer
  readonly taken: number
}

const [TEXT_CRC, EXTRA, NAME, COMMENT] = [2, 4, 8, 16]
/** Files of one report; a runner sends one for each that matches. */
const MAX_MEMBERS = 10_000

/**
 * The files of a gzip stream one by one: runners concatenate several reports, which together would be no valid XML.
 * `limit` limits their total size in bytes.
 */
export async function members(content: Buffer, limit: number): Promise<Buffer[] | 'broken' | 'too_large'> {
  const buffers: Buffer[] = []
  let remaining = limit
  let at = 0
  while (at < content.length) {
    const start = dataStart(content, at)
    if (start === undefined || buffers.length === MAX_MEMBERS) return 'broken'
    if (remaining <= 0) return 'too_large'
    const part = await inflated(content.subarray(start), remaining)
    if (typeof part === 'string') return part
    buffers.push(part.content)
    remaining -= part.content.length
    at = start + part.taken + 8
    if (at > content.length) return 'broken'
  }
  return buffers.length > 0 ? buffers : 'broken'
}

async function inflated(input: Buffer, limit: number): Promise<Inflated | 'broken' | 'too_large'> {
  const engine = createInflateRaw()
  const parts: Buffer[] = []
  let length = 0
  try {
    engine.end(input)
    for await (const part of engine as AsyncIterable<Buffer>) {
      length += part.length
      if (length > limit) return 'too_large'
      parts.push(part)
    }
  } catch {
    return 'broken'
  }
  return { content: Buffer.concat(parts), taken: engine.bytesWritten }
}

/** The position where the compressed bytes of a gzip member begin (RFC 1952); undefined if there is no member. */
function dataStart(content: Buffer, at: number): number | undefined {
  if (content.length < at + 10 || content.readUIntBE(at, 3) !== 0x1f8b08) return undefined
  const flags = content[at + 3]!
  let start = at + 10
  if (flags & EXTRA) start += start + 2 <= content.length ? 2 + content.readUInt16LE(start) : Infinity
  for (const flag of [NAME, COMMENT]) if (flags & flag) start = content.indexOf(0, start) + 1 || Infinity
  if (flags & TEXT_CRC) start += 2
  return start < content.length ? start : undefined
}

/** The number of days in which failures on the default branch are counted (spec ci 2.12). */
const DAYS = 14

/**
 * The maximum number of failures of one job that are stored and looked up. If there are more, the cause is not a single
 * test.
 */
export const MAX_FAILURES = 200

/** Identifies a test among those of its project. */
export function keyOf(suite: string, test: Pick<TestCase, 'classname' | 'name'>): string {
  return tokenDigest(`${suite}\0${test.classname}\0${test.name}`)
}

/** The moment since which failures count. */
export function failuresSince(ctx: Pick<Ctx, 'now'>): string {
  return addDays(ctx.now, -DAYS)
}

const COPY = /[\s:]+\d+[\s:/\\]+\d+\s*$/

/**
 * Suite name of the tests of a job: copies of one job (`rspec 1/3`) share one, those of a matrix do not (spec ci 2.12).
 */
export function suiteName(job: { readonly name: string; readonly in_matrix: boolean }): string {
  return job.in_matrix ? job.name : job.name.replace(COPY, '').trim() || job.name
}

/** The maximum size of the reports of one job in bytes, compressed and unpacked. */
const MAX_PACKED = 32 * 1024 * 1024
const MAX_BYTES = 32 * 1024 * 1024

/** The maximum number of stored characters, because the page of a pipeline requests the whole report at once. */
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
    store.storeSuite(ctx.db, jobId, suite, text)
    if (isOnDefaultBranch(ctx, job)) store.storeFailures(ctx.db, job, failedIn(ctx, job, suite), ctx.now)
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
  if (!content) return brokenSuite('JUnit data parsing failed: the report no longer exists')
  const documents = await members(content, MAX_BYTES)
  if (documents === 'too_large') return tooLarge
  if (documents === 'broken') return brokenSuite('JUnit XML parsing failed: the file is no gzip')
  return parseInThread(documents.map(textOf))
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
    .filter((testCase) => testCase.status === 'failed')
    .slice(0, MAX_FAILURES)
    .map((testCase) => keyOf(name, testCase))
}

/** Reports up to this number of characters are read in the main thread, which takes a few milliseconds. */
const SMALL = 64 * 1024

/** The time limit of the thread in milliseconds. The largest allowed reports take a tenth of it. */
const DEADLINE_MS = 60_000

/** Runs `parseJunit`, in a worker thread for large reports. */
export async function parseInThread(documents: readonly string[]): Promise<Suite> {
  const length = documents.reduce((sum, document) => sum + document.length, 0)
  return length <= SMALL ? parseJunit(documents) : inThread(documents)
}

/** The entry point of the worker thread. */
export interface JunitWork {
  readonly task: readonly string[]
  readonly result: Suite
}

async function inThread(documents: readonly string[]): Promise<Suite> {
  // The tree of a document takes some ten times its length.
  const limits = { memoryMb: 768, timeoutMs: DEADLINE_MS }
  try {
    return await runInThread<JunitWork>(workerFile(import.meta.url, './junit'), documents, limits)
  } catch {
    return brokenSuite(TOO_LARGE)
  }
}
