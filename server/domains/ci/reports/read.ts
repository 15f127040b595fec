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

/** A decompressed gzip member, and its number of compressed bytes. */
interface InflatedMember {
  readonly content: Buffer
  readonly compressedSize: number
}

/** The flags in the header of a gzip member (RFC 1952). */
const [HEADER_CRC, EXTRA, NAME, COMMENT] = [2, 4, 8, 16]
/** The maximum number of files of a report. */
const MAX_MEMBERS = 10_000

/**
 * Decompresses the members of a gzip file separately. Runners send each file of a report as a member, and the
 * concatenated files would be no valid XML. `limit` is the maximum total size in bytes.
 */
export async function decompressMembers(
  content: Buffer,
  limit: number,
): Promise<Buffer[] | 'broken' | 'too_large'> {
  const buffers: Buffer[] = []
  let remaining = limit
  let offset = 0
  while (offset < content.length) {
    const start = dataStart(content, offset)
    if (start === undefined || buffers.length === MAX_MEMBERS) return 'broken'
    if (remaining <= 0) return 'too_large'
    const member = await inflate(content.subarray(start), remaining)
    if (typeof member === 'string') return member
    buffers.push(member.content)
    remaining -= member.content.length
    // A checksum and the size follow the data, each with four bytes.
    offset = start + member.compressedSize + 8
    if (offset > content.length) return 'broken'
  }
  return buffers.length > 0 ? buffers : 'broken'
}

async function inflate(input: Buffer, limit: number): Promise<InflatedMember | 'broken' | 'too_large'> {
  const engine = createInflateRaw()
  const chunks: Buffer[] = []
  let length = 0
  try {
    engine.end(input)
    for await (const chunk of engine as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > limit) return 'too_large'
      chunks.push(chunk)
    }
  } catch {
    return 'broken'
  }
  return { content: Buffer.concat(chunks), compressedSize: engine.bytesWritten }
}

/** The offset of the compressed data of the gzip member at `offset` (RFC 1952). Undefined if there is no member. */
function dataStart(content: Buffer, offset: number): number | undefined {
  if (content.length < offset + 10 || content.readUIntBE(offset, 3) !== 0x1f8b08) return undefined
  const flags = content[offset + 3]!
  let start = offset + 10
  if (flags & EXTRA) start += start + 2 <= content.length ? 2 + content.readUInt16LE(start) : Infinity
  for (const flag of [NAME, COMMENT]) if (flags & flag) start = content.indexOf(0, start) + 1 || Infinity
  if (flags & HEADER_CRC) start += 2
  return start < content.length ? start : undefined
}

/** The number of days in which failures on the default branch are counted (spec ci 2.12). */
const RECENT_DAYS = 14

/**
 * The maximum number of failures of a job that are stored and looked up. If more tests fail, the cause is unlikely to be
 * in the tests.
 */
export const MAX_FAILURES = 200

/** A key that identifies a test in its project. */
export function testKey(suite: string, test: Pick<TestCase, 'classname' | 'name'>): string {
  return tokenDigest(`${suite}\0${test.classname}\0${test.name}`)
}

/** The time since when failures count as recent. */
export function failuresSince(ctx: Pick<Ctx, 'now'>): string {
  return addDays(ctx.now, -RECENT_DAYS)
}

/** The suffix of the name of a copy, such as ` 1/3`. */
const COPY_SUFFIX = /[\s:]+\d+[\s:/\\]+\d+\s*$/

/** The suite name of a job's tests (spec ci 2.12). Copies of a job (`rspec 1/3`) share a name, jobs of a matrix do not. */
export function suiteName(job: { readonly name: string; readonly in_matrix: boolean }): string {
  return job.in_matrix ? job.name : job.name.replace(COPY_SUFFIX, '').trim() || job.name
}

/** The maximum size of the reports of a job in bytes, compressed and decompressed. */
const MAX_COMPRESSED = 32 * 1024 * 1024
const MAX_BYTES = 32 * 1024 * 1024

/** The maximum number of stored characters, because the page of a pipeline loads the whole report at once. */
const MAX_STORED = 12 * 1024 * 1024
const TOO_LARGE = 'JUnit data parsing failed: the reports are too large'

/** Reads the JUnit reports of a job, and stores the results of its tests. */
export async function readTests(ctx: Ctx, jobId: number): Promise<void> {
  const report = ofType(ctx.db, jobId, 'junit')
  if (!report) return
  const { suite, json } = toStored(await suiteIn(ctx, report))
  tx(ctx.db, () => {
    const job = jobById(ctx.db, jobId)
    // The job may have been erased while the report was read.
    if (!job || ofType(ctx.db, jobId, 'junit')?.id !== report.id) return
    store.storeSuite(ctx.db, jobId, suite, json)
    if (isOnDefaultBranch(ctx, job)) store.storeFailures(ctx.db, job, failedIn(ctx, job, suite), ctx.now)
    publish(ctx, ArtifactsChanged, { project_id: job.project_id, job_id: jobId, actor_id: job.user_id })
  })
}

/** The suite and its JSON. A suite that is too large is replaced by one with an error. */
function toStored(suite: Suite): { suite: Suite; json: string } {
  const json = JSON.stringify(suite)
  if (json.length <= MAX_STORED) return { suite, json }
  const broken = brokenSuite(TOO_LARGE)
  return { suite: broken, json: JSON.stringify(broken) }
}

async function suiteIn(ctx: Ctx, report: ArtifactRow): Promise<Suite> {
  const tooLarge = brokenSuite(TOO_LARGE)
  if (report.size > MAX_COMPRESSED) return tooLarge
  const content = await readFile(pathOf(ctx, report)).catch(() => undefined)
  if (!content) return brokenSuite('JUnit data parsing failed: the report no longer exists')
  const documents = await decompressMembers(content, MAX_BYTES)
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

/** The keys of the failed tests of a suite. */
function failedIn(ctx: Ctx, job: JobRow, suite: Suite): string[] {
  const { parallel } = JSON.parse(detailsOf(ctx.db, job.id)?.options ?? '{}') as Partial<CompiledJob>
  const name = suiteName({ name: job.name, in_matrix: (parallel?.matrix.length ?? 0) > 0 })
  return suite.test_cases
    .filter((testCase) => testCase.status === 'failed')
    .slice(0, MAX_FAILURES)
    .map((testCase) => testKey(name, testCase))
}

/** The maximum number of characters that are parsed in the main thread, which takes a few milliseconds. */
const MAX_IN_MAIN_THREAD = 64 * 1024

/** The time limit of the thread in milliseconds. The largest allowed report takes a tenth of it. */
const DEADLINE_MS = 60_000

/** Parses reports as `parseJunit`, large ones in a separate thread. */
export async function parseInThread(documents: readonly string[]): Promise<Suite> {
  const length = documents.reduce((sum, document) => sum + document.length, 0)
  return length <= MAX_IN_MAIN_THREAD ? parseJunit(documents) : inThread(documents)
}

/** The messages of the thread. */
export interface JunitWork {
  readonly task: readonly string[]
  readonly result: Suite
}

async function inThread(documents: readonly string[]): Promise<Suite> {
  // A parsed document takes about ten times the memory of its text.
  const limits = { memoryMb: 768, timeoutMs: DEADLINE_MS }
  try {
    return await runInThread<JunitWork>(workerFile(import.meta.url, './junit'), documents, limits)
  } catch {
    return brokenSuite(TOO_LARGE)
  }
}
