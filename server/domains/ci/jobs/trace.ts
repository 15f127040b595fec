import type { Ctx } from '../../../ctx.ts'
import type { RawAnswer } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { DEVELOPER } from '../../../policy/levels.ts'
import { project, type Project } from '../../projects/index.ts'
import { readTrace } from '../traces/read.ts'
import type { JobRow } from './store.ts'

/** A part of a log, up to and without `end`. */
interface Part {
  readonly start: number
  readonly end: number
}

/**
 * What a `Range` header asks for of `size` bytes: null for all of it, for headers that are no range of bytes, and for more
 * than one range. `behind`: it begins behind the end.
 */
export function partOf(header: string, size: number): Part | 'behind' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim()) ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size)
  if (start >= size) return 'behind'
  return end <= start ? null : { start, end }
}

/** The log of a job, or the part that a `Range` header asks for. Throws 403 for logs that may hold secrets. */
export async function sendTrace(ctx: Ctx, owner: Project, row: JobRow, range: string): Promise<RawAnswer> {
  const mayDebug = ctx.actor.is_admin || project.roleOf(ctx, owner) >= DEVELOPER
  if (row.debug_trace && !mayDebug) throw fail('forbidden')
  const headers = {
    'Content-Disposition': `infile; filename="${row.id}.log"`,
    'Accept-Ranges': 'bytes',
    'X-Content-Type-Options': 'nosniff',
  }
  const answer = { type: 'text/plain', headers }
  const now = range === '' ? 0 : (await readTrace(ctx, row, { end: 0 })).size
  const part = range === '' ? null : partOf(range, now)
  if (part === 'behind')
    return { ...answer, status: 416, headers: { ...headers, 'Content-Range': `bytes */${now}` }, body: '' }
  const { size, length, body } = await readTrace(ctx, row, part ?? {})
  if (part === null) return { ...answer, body, length }
  const place = `bytes ${part.start}-${part.start + length - 1}/${size}`
  return { ...answer, status: 206, headers: { ...headers, 'Content-Range': place }, body, length }
}
