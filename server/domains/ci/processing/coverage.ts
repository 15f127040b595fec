import { setImmediate as pause } from 'node:timers/promises'

import { RE2JS } from 're2js'

import type { Ctx } from '../../../ctx.ts'
import * as jobs from '../jobs/store.ts'
import { readTrace } from '../traces/read.ts'
import * as store from './store.ts'

/** The result stands near the end; more of a log is not looked at. */
const MOST_BYTES = 4 * 1024 * 1024
/** Longer lines are no results. */
const MAX_LINE = 10_000
/** Characters after which others get their turn. */
const TURN = 256 * 1024

/**
 * Reads the coverage of a job that is over out of its log, by the pattern of its `coverage:`; the last number that the
 * pattern finds counts (spec ci 2.2). Patterns run on an engine that takes linear time.
 */
export async function readCoverage(ctx: Ctx, jobId: number): Promise<void> {
  const job = jobs.byId(ctx.db, jobId)
  const given = job && store.option<string>(ctx.db, jobId, 'coverage')
  const pattern = given ? patternIn(given) : null
  if (!job || !pattern) return
  const { body } = await readTrace(ctx, job, { start: Math.max(0, job.trace_size - MOST_BYTES) })
  const parts: Buffer[] = []
  if (Buffer.isBuffer(body)) parts.push(body)
  else for await (const part of body as AsyncIterable<Buffer>) parts.push(part)
  const coverage = await lastNumber(Buffer.concat(parts).toString(), pattern)
  if (coverage === null) return
  ctx.db.exec(
    'UPDATE ci_jobs SET coverage = ?, updated_at = ? WHERE id = ? AND coverage IS NOT ?',
    coverage,
    ctx.now,
    jobId,
    coverage,
  )
}

/** The pattern of a `coverage:`, with or without its slashes; null for none that the engine takes. */
export function patternIn(given: string): RE2JS | null {
  const body = /^\/(.*)\/$/s.exec(given)?.[1] ?? given
  try {
    return RE2JS.compile(body.replaceAll(String.raw`\/`, '/'))
  } catch {
    return null
  }
}

/** The last number that a pattern finds in a text, colours aside; null without one. */
export async function lastNumber(text: string, pattern: RE2JS): Promise<number | null> {
  let seen = 0
  for (const raw of text.split(/[\r\n]+/).toReversed()) {
    seen += raw.length
    if (seen > TURN) {
      seen = 0
      await pause()
    }
    const number = raw.length > MAX_LINE ? null : numberIn(withoutColours(raw), pattern)
    if (number !== null) return number
  }
  return null
}

function withoutColours(line: string): string {
  // oxlint-disable-next-line no-control-regex
  return line.includes('\u001B') ? line.replaceAll(/\u001B\[[0-9;]*[A-Za-z]/g, '') : line
}

/** The last place that the pattern finds in a line; its last group where it has any. */
function numberIn(line: string, pattern: RE2JS): number | null {
  const matcher = pattern.matcher(line)
  let found: string | null = null
  while (matcher.find()) {
    const groups = matcher.groupCount()
    found = (groups > 0 ? matcher.group(groups) : matcher.group()) ?? null
  }
  const number = found === null ? undefined : /\d+(?:\.\d+)?/.exec(found)?.[0]
  return number === undefined ? null : Number(number)
}
