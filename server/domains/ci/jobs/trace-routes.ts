import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { int } from '../../../http/params.ts'
import { raw, type RawAnswer } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { DEVELOPER } from '../../../policy/levels.ts'
import { project, type Project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { partOf, readTrace } from '../traces/read.ts'
import { getJob } from './service.ts'
import type { JobRow } from './store.ts'

/** The log of a job, or the part that a `Range` header asks for. Throws 403 for logs that may hold secrets. */
async function sendTrace(ctx: Ctx, owner: Project, row: JobRow, range: string): Promise<RawAnswer> {
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
  const contentRange = `bytes ${part.start}-${part.start + length - 1}/${size}`
  return { ...answer, status: 206, headers: { ...headers, 'Content-Range': contentRange }, body, length }
}

export const getTrace = endpoint('GET /projects/:id/jobs/:job_id/trace', {
  summary: 'Get the log of a job',
  scope: project,
  can: abilities.read_jobs,
  jobToken: true,
  params: { job_id: int({ min: 1 }).describe('The ID of the job') },
  fails: {
    403: 'The log may contain secrets, and the caller is not a developer',
    416: 'The range begins after the end of the log',
  },
  returns: raw,
  run: ({ project: owner, params, http, ...ctx }) =>
    sendTrace(ctx, owner, getJob(ctx, owner, params.job_id), http.header('range')),
})
