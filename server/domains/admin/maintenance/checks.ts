import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { verifyRepository } from '../../../git/upkeep/repository.ts'
import { cron, enqueue, job, type CronLine, type Job } from '../../../jobs/job.ts'
import { addDays } from '../../../lib/clock.ts'
import { queueMail } from '../../mail/index.ts'
import { fullPath, projectById, repoOf, updateProjectRow, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import * as store from './store.ts'

/** A repository is checked once in this many days, a new one after a day. */
const PERIOD_DAYS = 30
/** Checks that one run of the cron starts. */
const AT_ONCE = 50
const MAX_LINES = 20

/** Checks all objects of a repository. Administrators get a mail about new damage. */
const check = job(
  'maintenance.check_repository',
  { args: { project_id: z.number() }, retries: 1 },
  async (ctx, { project_id }) => {
    const project = projectById(ctx.db, project_id)
    if (!project || project.repository_state !== 'ready') return
    const problems = await problemsOf(ctx, project)
    tx(ctx.db, () => {
      const failed = problems.length > 0
      if (failed && project.last_repository_check_failed !== true)
        notifyAdministrators(ctx, project, problems)
      updateProjectRow(ctx.db, project_id, {
        last_repository_check_at: ctx.now,
        last_repository_check_failed: failed,
      })
    })
  },
)

async function problemsOf(ctx: Ctx, project: Project): Promise<string[]> {
  try {
    return await verifyRepository(repoOf(ctx, project))
  } catch (error) {
    // Git could not start.
    return [(error as Error).message]
  }
}

function notifyAdministrators(ctx: Ctx, project: Project, problems: readonly string[]): void {
  const path = fullPath(project)
  for (const to of store.administrators(ctx.db)) {
    queueMail(ctx, {
      to: [to],
      subject: `${path} | The repository is damaged`,
      text: [
        `The check of the repository of ${path} found problems:`,
        problems.slice(0, MAX_LINES).join('\n'),
        `${ctx.config.url}/${path}`,
      ].join('\n\n'),
    })
  }
}

/** Enqueues the checks that are due (spec administration 1.2, `repository_checks_enabled`). Runs every hour. */
function checkDue(ctx: Ctx): void {
  if (!settingsOf(ctx).repository_checks_enabled) return
  const before = { checked: addDays(ctx.now, -PERIOD_DAYS), created: addDays(ctx.now, -1) }
  for (const project_id of store.due(ctx.db, before, AT_ONCE)) {
    // The same key as housekeeping: a repository is not checked while it is packed.
    const key = `repository.housekeeping:${project_id}`
    enqueue(ctx, check, { project_id }, { key, once: `repository.check:${project_id}` })
  }
}

export const checkJobs: Job[] = [check as Job]

export const crons: CronLine[] = [cron('maintenance.check_repositories', '25 * * * *', checkDue)]
