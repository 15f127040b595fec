import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { canRead, isAble } from '../../policy/ability.ts'
import { insertMember, isLocked, projectPlace, roleOnProject } from '../members/index.ts'
import { abilities } from './policy.ts'
import type { Project } from './project.ts'
import { project as scope } from './scope.ts'
import * as store from './store.ts'

interface DirectMember {
  readonly user_id: number
  readonly access_level: number
  readonly expires_at: string | null
}

/** The people; the bot of a token stays where it is made. */
const DIRECT = `SELECT m.user_id, m.access_level, m.expires_at FROM members m JOIN users u ON u.id = m.user_id
  WHERE m.project_id = ? AND (m.expires_at IS NULL OR m.expires_at > ?) AND u.kind = 'human' ORDER BY m.id`

/**
 * Makes the direct members of another project members of this one, at no more than the actor's own level; who belongs
 * already stays as they are. Throws 404 for a project that is not seen, 403 for one whose members the actor does not
 * manage, 422 for the project itself, and where a group above keeps its members to itself.
 */
export function importMembers(ctx: Ctx, project: Project, sourceId: number): void {
  const source = store.byId(ctx.db, sourceId)
  if (!source || !canRead(ctx, scope, source)) throw notFound('Project')
  if (!isAble(ctx, scope, abilities.manage_project_members, source)) throw fail('forbidden')
  const place = projectPlace(project)
  if (source.id === project.id || isLocked(ctx.db, place)) throw fail('unprocessable', 'Import failed')
  const today = isoDate(ctx.now)
  tx(ctx.db, () => {
    const present = new Set(ctx.db.many<DirectMember>(DIRECT, project.id, today).map((one) => one.user_id))
    const own = ctx.actor.is_admin ? Infinity : roleOnProject(ctx, project)
    for (const member of ctx.db.many<DirectMember>(DIRECT, source.id, today)) {
      if (present.has(member.user_id)) continue
      insertMember(ctx, place, member.user_id, {
        access_level: Math.min(member.access_level, own),
        expires_at: member.expires_at,
      })
    }
  })
}
