import type { Ctx } from '../../ctx.ts'
import { tx, type Database } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail } from '../../lib/fail.ts'
import { isListed } from '../../policy/actor.ts'
import { settingsOf } from '../settings/index.ts'
import { DownloadsExceeded } from './events.ts'

/** Users → the projects that they took lately, with the time (milliseconds). */
function projectsOf(db: Database, userId: number): Map<number, number> {
  const users = db.instance('repository.downloads', () => new Map<number, Map<number, number>>())
  const projects = users.get(userId) ?? new Map<number, number>()
  users.set(userId, projects)
  return projects
}

/**
 * Counts a project whose code a user takes away: by git, or as an archive. One project more than the settings allow
 * within their time is told, refused with 403, and ends in a ban where they say so (spec administration 1.2,
 * `max_number_of_repository_downloads`). Administrators and those of the list are free.
 */
export function countDownload(ctx: Ctx, projectId: number): void {
  const settings = settingsOf(ctx)
  const max = settings.max_number_of_repository_downloads
  const seconds = settings.max_number_of_repository_downloads_within_time_period
  const { actor } = ctx
  if (max === 0 || seconds === 0 || actor.kind !== 'user' || actor.is_admin) return
  if (isListed(actor, settings.git_rate_limit_users_allowlist)) return
  const now = Date.parse(ctx.now)
  const projects = projectsOf(ctx.db, actor.id)
  for (const [id, at] of projects) if (at <= now - seconds * 1000) projects.delete(id)
  const isNew = !projects.has(projectId)
  if (!isNew) projects.set(projectId, now)
  else if (projects.size < max) projects.set(projectId, now)
  else {
    const is_banned = settings.auto_ban_user_on_excessive_projects_download
    tx(ctx.db, () => publish(ctx, DownloadsExceeded, { user_id: actor.id, count: max + 1, is_banned }))
    throw fail('forbidden', '403 Forbidden - You have downloaded too many projects.')
  }
}
