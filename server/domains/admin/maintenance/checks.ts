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

/** A repository is looked at once in so many days, and a new one after a day. */
const PERIOD_DAYS = 30
/** Repositories that one hour begins with. */
const AT_ONCE = 50
const MAX_LINES = 20

/** Looks at all objects of a repository. Administrators hear of damage that was not there before. */
const check = job(
  'maintenance.check_repository',
  { args: { project_id: z.number() }, retries: 1 },
  async (ctx, { project_id }) => {
    const project = projectById(ctx.db, project_id)
    if (!project || project.repository_state !== 'ready') return
    const problems = await problemsOf(ctx, project)
    tx(ctx.db, () => {
      const failed = problems.length > 0
      if (failed && project.last_repository_check_failed !== true) tellAdministrators(ctx, project, problems)
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
    // Git cannot even begin.
    return [(error as Error).message]
  }
}

function tellAdministrators(ctx: Ctx, project: Project, problems: readonly string[]): void {
  const path = fullPath(project)
  for (const to of store.administrators(ctx.db)) {
    queueMail(ctx, {
      to: [to],
      subject: `${path} | The repository is damaged`,
      text: [
        `The check of the repository of ${path} found something wrong:`,
        problems.slice(0, MAX_LINES).join('\n'),
        `${ctx.config.url}/${path}`,
      ].join('\n\n'),
    })
  }
}

/** Has those looked at whose turn it is (spec administration 1.2, `repository_checks_enabled`). Called every hour. */
function checkDue(ctx: Ctx): void {
  if (!settingsOf(ctx).repository_checks_enabled) return
  const before = { checked: addDays(ctx.now, -PERIOD_DAYS), created: addDays(ctx.now, -1) }
  for (const project_id of store.due(ctx.db, before, AT_ONCE)) {
    // The same key as tidying up: what is packed is not looked at in the meantime.
    const key = `repository.housekeeping:${project_id}`
    enqueue(ctx, check, { project_id }, { key, once: `repository.check:${project_id}` })
  }
}

export const checkJobs: Job[] = [check as Job]

export const crons: CronLine[] = [cron('maintenance.check_repositories', '25 * * * *', checkDue)]
