import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { isAble } from '../../../policy/ability.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import { LabelCreated } from './events.ts'
import { DEFAULT_COLOR, titleProblem, type LabelRow } from './label.ts'
import { projectOwner } from '../types-owner.ts'
import { abilities } from './policy.ts'
import * as store from './store.ts'

/**
 * Returns the labels with these titles: of the project, or of the nearest parent group. With `create`, unknown titles
 * become labels of the project if the actor may create them. Other unknown titles are ignored.
 */
export function labelsNamed(
  ctx: Ctx,
  project: Project,
  titles: readonly string[],
  options: { readonly create: boolean },
): LabelRow[] {
  const wanted = [...new Set(titles.map((title) => title.trim()))].filter((title) => title !== '')
  const known = new Map<string, LabelRow>()
  for (const row of store.titled(ctx.db, projectOwner(project), wanted))
    if (!known.has(row.title)) known.set(row.title, row)
  const isMaking = options.create && isAble(ctx, scope, abilities.admin_label, project, true)
  return wanted.flatMap((title) => {
    const found = known.get(title)
    if (found) return [found]
    return isMaking && titleProblem(title) === undefined ? [make(ctx, project, title)] : []
  })
}

function make(ctx: Ctx, project: Project, title: string): LabelRow {
  return tx(ctx.db, () => {
    const label = store.insert(ctx.db, {
      project_id: project.id,
      group_id: null,
      title,
      color: DEFAULT_COLOR,
      description: null,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    publish(ctx, LabelCreated, { label_id: label.id, project_id: project.id, actor_id: ctx.actor.id })
    return label
  })
}
