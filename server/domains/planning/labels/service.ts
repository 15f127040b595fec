import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { findGroup, group as groupScope } from '../../groups/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import type { Project } from '../../projects/index.ts'
import { groupAbilities } from '../policy.ts'
import { LabelCreated, LabelDeleted, LabelUpdated, LabelPromoted } from '../events.ts'
import type { LabelCounts } from './entity.ts'
import { findLabel, isOwn } from './find.ts'
import { titleProblem, type LabelRow, colorCode, renderLine } from './label.ts'
import { ownerColumns, type PlanningOwner, projectOwner } from '../types-owner.ts'
import { issues, requests, type Viewer } from './store-counts.ts'
import * as store from './store.ts'

/**
 * Makes a project label a group label. Labels with the same title in all projects below the group are merged into it.
 * Throws 400 for a project without a group, 403 if the actor may not change the group's labels.
 */
export function promoteLabel(ctx: Ctx, project: Project, reference: string): LabelRow {
  const label = findLabel(ctx, projectOwner(project), reference, true)
  const group = findGroup(ctx, String(project.namespace_id))
  if (!group || label.project_id === null)
    throw fail('bad_request', 'Failed to promote project label to group label')
  if (!hasAbility(ctx, groupScope, groupAbilities.admin_group_label, group, true)) throw fail('forbidden')
  return tx(ctx.db, () => {
    const merged = store.inProjectsBelow(ctx.db, group.id, label.title)
    const promoted = store.ofGroup(ctx.db, group.id, label.title) ?? insertGroupLabel(ctx, label, group.id)
    for (const old of merged) moveUses(ctx.db, old, promoted.id)
    const ids = merged.map((old) => old.id)
    store.remove(ctx.db, ids)
    publish(ctx, LabelPromoted, {
      label_id: promoted.id,
      group_id: group.id,
      actor_id: ctx.actor.id,
      merged_ids: ids,
    })
    return promoted
  })
}

function insertGroupLabel(ctx: Ctx, label: LabelRow, groupId: number): LabelRow {
  const { title, color, description, description_html, locked } = label
  return store.insert(ctx.db, {
    title,
    color,
    description,
    description_html,
    locked,
    project_id: null,
    group_id: groupId,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
}

/** The tables that refer to labels. A row that would become a duplicate stays, and is deleted with the old label. */
const USES = [
  'issue_labels',
  'merge_request_labels',
  'label_priorities',
  'resource_label_events',
  'board_labels',
  'board_lists',
] as const

function moveUses(db: Database, old: LabelRow, to: number): void {
  for (const table of USES)
    db.exec(`UPDATE OR IGNORE ${table} SET label_id = ? WHERE label_id = ?`, to, old.id)
  // Subscribers of a project label get notifications about the group label in that project.
  db.exec(
    `UPDATE OR IGNORE subscriptions SET subscribable_id = ?, project_id = ?
     WHERE subscribable_type = 'Label' AND subscribable_id = ?`,
    to,
    old.project_id,
    old.id,
  )
}

const NO_COUNTS: LabelCounts = { open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 }

/** Counts the uses of labels that the viewer may see, in a project or in all projects below a group. */
export function countsOf(
  db: Database,
  viewer: Viewer,
  owner: PlanningOwner,
  ids: readonly number[],
): Map<number, LabelCounts> {
  const counts = new Map(ids.map((id) => [id, NO_COUNTS]))
  const setCounts = (id: number, changed: Partial<LabelCounts>): void => {
    counts.set(id, { ...counts.get(id)!, ...changed })
  }
  for (const { label_id, state, count } of issues(db, viewer, owner, ids))
    setCounts(label_id, state === 'opened' ? { open_issues_count: count } : { closed_issues_count: count })
  for (const { label_id, count } of requests(db, viewer, owner, ids))
    setCounts(label_id, { open_merge_requests_count: count })
  return counts
}

/** The content of a new label. */
export interface NewLabel {
  readonly name: string
  readonly color: string
  readonly description?: string | null | undefined
  /** Priority in the project. */
  readonly priority?: number | null | undefined
  readonly lock_on_merge?: boolean | undefined
}

/** The changes of a label. Undefined fields stay unchanged. */
export interface LabelChanges extends Partial<Omit<NewLabel, 'name'>> {
  readonly new_name?: string | undefined
}

/**
 * Creates a label. Throws 409 if the owner has or inherits a label with the title, 400 for an invalid title or color.
 */
export async function createLabel(ctx: Ctx, owner: PlanningOwner, input: NewLabel): Promise<LabelRow> {
  const title = input.name.trim()
  if (store.labelsWithTitles(ctx.db, owner, [title]).length > 0)
    throw fail('conflict', 'Label already exists')
  const { color } = checkInput({ title, color: input.color })
  const description = input.description ?? null
  const description_html = await renderLine(description)
  return tx(ctx.db, () => {
    if (store.labelsWithTitles(ctx.db, owner, [title]).length > 0)
      throw fail('conflict', 'Label already exists')
    const label = store.insert(ctx.db, {
      ...ownerColumns(owner),
      title,
      color: color!,
      description,
      description_html,
      locked: input.lock_on_merge,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    if (owner.kind === 'project' && input.priority !== undefined)
      store.setPriority(ctx.db, owner.id, label.id, input.priority)
    publish(ctx, LabelCreated, eventFields(ctx, label))
    return label
  })
}

/**
 * Updates a label of the owner. A project may also set the priority of labels that it inherits. Throws 404 for an
 * unknown label, 400 for a title in use or an invalid title or color.
 */
export async function updateLabel(
  ctx: Ctx,
  owner: PlanningOwner,
  reference: string,
  changes: LabelChanges,
): Promise<LabelRow> {
  const { new_name, color: requestedColor, description, priority, lock_on_merge } = changes
  const changesOnlyPriority = Object.entries(changes).every(
    ([name, value]) => name === 'priority' || value === undefined,
  )
  const label = findLabel(ctx, owner, reference, owner.kind === 'project' && changesOnlyPriority)
  const title = new_name?.trim()
  const { color } = checkInput({ title, color: requestedColor })
  const texts =
    description === undefined ? {} : { description, description_html: await renderLine(description) }
  return tx(ctx.db, () => {
    if (title !== undefined && title !== label.title) checkTitleUnused(ctx, owner, title)
    const columns = {
      ...(title === undefined ? {} : { title }),
      ...(color === undefined ? {} : { color }),
      ...(lock_on_merge === undefined ? {} : { locked: lock_on_merge }),
      ...texts,
    }
    if (owner.kind === 'project' && priority !== undefined)
      store.setPriority(ctx.db, owner.id, label.id, priority)
    const updated = isOwn(owner, label)
      ? store.update(ctx.db, label.id, { ...columns, updated_at: ctx.now })
      : label
    const names = [...Object.keys(columns), ...(priority === undefined ? [] : ['priority'])]
    const changed = names.filter((name) => name !== 'description_html')
    publish(ctx, LabelUpdated, { ...eventFields(ctx, label), changed })
    return updated
  })
}

/** Deletes a label and removes it from all issues, merge requests and boards. Throws 400 if it is locked. */
export function deleteLabel(ctx: Ctx, label: LabelRow): void {
  if (label.locked) throw fail('bad_request', 'Label is locked and was not removed')
  tx(ctx.db, () => {
    store.remove(ctx.db, [label.id])
    publish(ctx, LabelDeleted, { ...eventFields(ctx, label), title: label.title })
  })
}

/** Returns the fields that every event about a label has. */
export function eventFields(ctx: Ctx, { id, project_id, group_id }: LabelRow) {
  return {
    label_id: id,
    actor_id: ctx.actor.id,
    ...(project_id === null ? {} : { project_id }),
    ...(group_id === null ? {} : { group_id }),
  }
}

/** Returns the color to store. Throws 400 with the problems of the title and the color. */
function checkInput(input: { title: string | undefined; color: string | undefined }): {
  color: string | undefined
} {
  const color = input.color === undefined ? undefined : colorCode(input.color)
  const titleText = input.title === undefined ? undefined : titleProblem(input.title)
  const problems = {
    ...(input.color !== undefined && color === undefined ? { color: 'must be a valid color code' } : {}),
    ...(titleText === undefined ? {} : { title: titleText }),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  return { color }
}

/** Throws 400 if the owner has or inherits a label with the title. */
function checkTitleUnused(ctx: Ctx, owner: PlanningOwner, title: string): void {
  const [label] = store.labelsWithTitles(ctx.db, owner, [title])
  if (!label) return
  if (isOwn(owner, label)) throw invalid({ title: 'has already been taken' })
  const name = namespaceById(ctx.db, label.group_id!)?.name
  throw invalid({ title: `already exists at group level for ${name}. Please choose another one.` })
}
