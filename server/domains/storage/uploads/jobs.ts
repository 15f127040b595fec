import { z } from 'zod'

import { job, type Job } from '../../../jobs/job.ts'
import { keepOnly } from './files.ts'

/** A request that outlives this has failed. */
export const LOOK_AFTER_MS = 60_000

const TABLES = { user: 'users', group: 'namespaces', project: 'projects', topic: 'topics' } as const

/**
 * Removes all pictures of an owner but the one that its row names: a kill between file and row leaves one too many. Where both
 * were written, the job is gone.
 */
export const tidyAvatars = job(
  'uploads.tidy_avatars',
  { args: { kind: z.enum(['user', 'group', 'project', 'topic']), id: z.number() }, resumes: true },
  async (ctx, { kind, id }) => {
    const sql = `SELECT avatar FROM ${TABLES[kind]} WHERE id = ?`
    await keepOnly(ctx.config, { kind, id }, ctx.db.one<{ avatar: string | null }>(sql, id)?.avatar ?? null)
  },
)

export const jobs: Job[] = [tidyAvatars]
