import type { Ctx } from '../../../ctx.ts'
import { type Database, tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { notFound } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import { LabelCreated } from '../events.ts'
import { abilities } from '../policy.ts'
import { type LabelRow, DEFAULT_COLOR, titleProblem } from './label.ts'
import { type PlanningOwner, projectOwner } from '../types-owner.ts'
import * as store from './store.ts'

/**
 * Finds a label by its ID, or else by its title. `inherited` includes the labels of parent groups. Throws `404 Label Not
 * Found`.
 */
export function findLabel(ctx: Ctx, owner: PlanningOwner, reference: string, inherited: boolean): LabelRow {
  const isUsable = (row: LabelRow): boolean => isOwn(owner, row) || (inherited && isInherited(owner, row))
  const byId = /^\d{1,15}$/.test(reference) ? store.byId(ctx.db, Number(reference)) : undefined
  if (byId && isUsable(byId)) return byId
  const row = store.labelsWithTitles(ctx.db, owner, [reference]).find(isUsable)
  if (!row) throw notFound('Label')
  return row
}

/** Whether a label belongs to the owner itself. */
export function isOwn(owner: PlanningOwner, row: LabelRow): boolean {
  return owner.kind === 'project' ? row.project_id === owner.id : row.group_id === owner.id
}

function isInherited(owner: PlanningOwner, row: LabelRow): boolean {
  return row.group_id !== null && (JSON.parse(owner.lineage) as number[]).includes(row.group_id)
}

/** Returns the label with this ID if it belongs to the owner or to one of its parent groups. */
export function usableLabel(db: Database, owner: PlanningOwner, id: number): LabelRow | undefined {
  const row = store.byId(db, id)
  return row && (isOwn(owner, row) || isInherited(owner, row)) ? row : undefined
}

/**
 * Returns the labels with these titles, of the project or else of the nearest parent group. With `create`, creates
 * missing labels in the project if the actor may do so. Otherwise ignores unknown titles.
 */
export function labelsNamed(
  ctx: Ctx,
  project: Project,
  titles: readonly string[],
  options: { readonly create: boolean },
): LabelRow[] {
  const uniqueTitles = [...new Set(titles.map((title) => title.trim()))].filter((title) => title !== '')
  const byTitle = new Map<string, LabelRow>()
  for (const row of store.labelsWithTitles(ctx.db, projectOwner(project), uniqueTitles))
    if (!byTitle.has(row.title)) byTitle.set(row.title, row)
  const mayCreate = options.create && hasAbility(ctx, scope, abilities.admin_label, project, true)
  return uniqueTitles.flatMap((title) => {
    const existing = byTitle.get(title)
    if (existing) return [existing]
    return mayCreate && titleProblem(title) === undefined ? [createFromTitle(ctx, project, title)] : []
  })
}

function createFromTitle(ctx: Ctx, project: Project, title: string): LabelRow {
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
