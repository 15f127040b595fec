import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { MAINTAINER } from '../../policy/levels.ts'
import { isoDate } from '../../lib/clock.ts'
import { findGroup } from '../groups/index.ts'
import { groupPlace, membersFrom, projectPlace } from '../members/index.ts'
import { projectById } from '../projects/index.ts'
import { addTodos } from './add.ts'
import { finishRequests } from './done.ts'
import type { TodoSubject } from './todo.ts'

/** A project or group that somebody asked to belong to. */
export interface Asked {
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
  readonly user_id: number
}

/** At most so many people hear of one request. */
const MAX_TOLD = 10

function subjectOf({ project_id, group_id }: Asked): TodoSubject {
  return {
    target_type: project_id === undefined ? 'Namespace' : 'Project',
    target_id: project_id ?? group_id ?? null,
    commit_id: null,
    project_id: project_id ?? null,
    group_id: group_id ?? null,
  }
}

/** Those who decide: owners and maintainers of the place, the most recently active first. */
function deciders(ctx: Ctx, asked: Asked): number[] {
  const today = isoDate(ctx.now)
  const project = asked.project_id === undefined ? undefined : projectById(ctx.db, asked.project_id)
  const group = asked.group_id === undefined ? undefined : findGroup(ctx, String(asked.group_id))
  const source = project ? projectPlace(project) : group ? groupPlace(group) : undefined
  if (!source) return []
  const members = membersFrom(ctx.db, source, { level: MAINTAINER, today, limit: MAX_TOLD })
  // The owner of a personal namespace need not be a member of what is in it.
  return [...new Set([...(source.owner_id === null ? [] : [source.owner_id]), ...members])].slice(0, MAX_TOLD)
}

/** Somebody asks for access: at most ten who can decide about it are told (7.2). */
export function tellOfRequest(ctx: Ctx, asked: Asked): void {
  const told = deciders(ctx, asked)
  const given = {
    action: 'member_access_requested',
    subject: subjectOf(asked),
    author_id: asked.user_id,
  } as const
  tx(ctx.db, () => addTodos(ctx, given, told))
}

/** A request was granted, turned down or taken back. */
export function endRequest(ctx: Ctx, asked: Asked): void {
  tx(ctx.db, () => finishRequests(ctx, subjectOf(asked), asked.user_id))
}
