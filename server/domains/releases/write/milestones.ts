import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import { milestoneFor, milestoneTitled } from '../../planning/index.ts'
import type { Project } from '../../projects/index.ts'

/** Milestones as they are named in a request. */
export interface NamedMilestones {
  readonly milestones?: readonly string[] | undefined
  readonly milestone_ids?: readonly number[] | undefined
}

/**
 * Ids of the milestones that a request names: those of the project, or of groups above it. Undefined where it names none
 * at all. Throws 400 with those that are not there.
 */
export function milestoneIds(ctx: Ctx, project: Project, given: NamedMilestones): number[] | undefined {
  if (given.milestones !== undefined) {
    const find = (title: string) => milestoneTitled(ctx.db, project, title)
    return found(given.milestones, find, 'Milestone(s) not found')
  }
  if (given.milestone_ids === undefined) return undefined
  return found(given.milestone_ids, (id) => milestoneFor(ctx.db, project, id), 'Milestone id(s) not found')
}

function found<Name extends string | number>(
  names: readonly Name[],
  find: (name: Name) => { readonly id: number } | undefined,
  text: string,
): number[] {
  const rows = [...new Set(names)].map((name) => ({ name, id: find(name)?.id }))
  const missing = rows.flatMap((row) => (row.id === undefined ? [row.name] : []))
  if (missing.length > 0) throw fail('bad_request', `${text}: ${missing.join(', ')}`)
  return rows.map((row) => row.id!)
}
