import type { Ctx } from '../../../../ctx.ts'
import { fail, notFound } from '../../../../lib/fail.ts'
import { actorOfJobToken, wrongCredential } from '../../../auth/index.ts'
import { byId as jobById, type JobRow } from '../../jobs/store.ts'
import { isTokenOf } from '../../runner_protocol/job-auth.ts'
import { mayFetch, visibleProject } from '../access.ts'
import { isOver } from '../keeping.ts'
import * as store from '../store.ts'
import type { ArtifactRow } from '../store.ts'

/**
 * The archive of a job for whoever shows a job token: its own, or that of a running job whose user may fetch it. Throws 401
 * for a token that does not hold, 403 for one that may not, 404 without an archive (spec ci 1.12).
 */
export function archiveForToken(ctx: Ctx, jobId: number, token: string): ArtifactRow {
  const job = jobById(ctx.db, jobId)
  const isOwn = job !== undefined && isTokenOf(job, token)
  const archive = job && store.ofType(ctx.db, job.id, 'archive')
  if (!isOwn) checkReader(ctx, job, archive, token)
  if (!job || !archive || isOver(ctx, job)) throw notFound()
  return archive
}

function checkReader(
  ctx: Ctx,
  job: JobRow | undefined,
  archive: ArtifactRow | undefined,
  token: string,
): void {
  const actor = token === '' ? undefined : actorOfJobToken(ctx, token)
  if (!actor) throw wrongCredential(ctx, token, fail('unauthorized'))
  const theirs = { ...ctx, actor }
  const owner = job && visibleProject(theirs, String(job.project_id))
  // Whom the files are kept from says nothing of the jobs that go on with them in the same project.
  const isForwarded = !archive || actor.job?.project_id === job?.project_id
  const file = isForwarded ? { accessibility: 'public' } : archive
  if (!owner || !mayFetch(theirs, owner, file)) throw fail('forbidden')
}
