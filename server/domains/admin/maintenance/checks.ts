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

/** The number of days between two checks of a repository. A new repository is checked after a day. */
const PERIOD_DAYS = 30
/** The maximum number of checks that one run of the cron starts. */
const CHECKS_PER_RUN = 50
const MAX_PROBLEMS = 20

/** Checks all objects of a repository. Sends an email to administrators if damage is new. */
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
    // Git could not be started.
    return [(error as Error).message]
  }
}

function notifyAdministrators(ctx: Ctx, project: Project, problems: readonly string[]): void {
  const path = fullPath(project)
  for (const to of store.administratorEmails(ctx.db)) {
    queueMail(ctx, {
      to: [to],
      subject: `${path} | The repository is damaged`,
      text: [
        `The check of the repository of ${path} found problems:`,
        problems.slice(0, MAX_PROBLEMS).join('\n'),
        `${ctx.config.url}/${path}`,
      ].join('\n\n'),
    })
  }
}

/** Enqueues the checks that are due (spec administration 1.2, `repository_checks_enabled`). Runs every hour. */
function enqueueDueChecks(ctx: Ctx): void {
  if (!settingsOf(ctx).repository_checks_enabled) return
  const before = { checked: addDays(ctx.now, -PERIOD_DAYS), created: addDays(ctx.now, -1) }
  for (const project_id of store.projectsToCheck(ctx.db, before, CHECKS_PER_RUN)) {
    // Housekeeping has the same key, so that a repository is not checked while it is packed.
    const key = `repository.housekeeping:${project_id}`
    enqueue(ctx, check, { project_id }, { key, once: `repository.check:${project_id}` })
  }
}

export const checkJobs: Job[] = [check as Job]

export const crons: CronLine[] = [cron('maintenance.check_repositories', '25 * * * *', enqueueDueChecks)]
