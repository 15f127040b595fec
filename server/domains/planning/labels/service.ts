import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { colorCode } from './color.ts'
import { renderLine } from './description.ts'
import { LabelCreated, LabelDeleted, LabelUpdated } from './events.ts'
import { findLabel, isOwn } from './find.ts'
import { titleProblem, type LabelRow } from './label.ts'
import { ownerColumns, type PlanningOwner } from '../types-owner.ts'
import * as store from './store.ts'

/** The content of a new label. */
export interface NewLabel {
  readonly name: string
  readonly color: string
  readonly description?: string | null | undefined
  /** Priority in the project. */
  readonly priority?: number | null | undefined
  readonly lock_on_merge?: boolean | undefined
}

/** The changes of a label. Undefined fields stay as they are. */
export interface LabelChanges extends Partial<Omit<NewLabel, 'name'>> {
  readonly new_name?: string | undefined
}

/**
 * Creates a label. Throws 409 if the owner has or inherits a label with the title, 400 for an invalid title or color.
 */
export async function createLabel(ctx: Ctx, owner: PlanningOwner, given: NewLabel): Promise<LabelRow> {
  const title = given.name.trim()
  if (store.titled(ctx.db, owner, [title]).length > 0) throw fail('conflict', 'Label already exists')
  const { color } = checked({ title, color: given.color })
  const description = given.description ?? null
  const description_html = await renderLine(description)
  return tx(ctx.db, () => {
    if (store.titled(ctx.db, owner, [title]).length > 0) throw fail('conflict', 'Label already exists')
    const label = store.insert(ctx.db, {
      ...ownerColumns(owner),
      title,
      color: color!,
      description,
      description_html,
      locked: given.lock_on_merge,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    if (owner.kind === 'project' && given.priority !== undefined)
      store.setPriority(ctx.db, owner.id, label.id, given.priority)
    publish(ctx, LabelCreated, eventOf(ctx, label))
    return label
  })
}

/**
 * Updates a label of the owner. A project may also set the priority of labels that it inherits. Throws 404, 400 for a
 * title in use, and 400 as creating does.
 */
export async function updateLabel(
  ctx: Ctx,
  owner: PlanningOwner,
  reference: string,
  changes: LabelChanges,
): Promise<LabelRow> {
  const { new_name, color: wantedColor, description, priority, lock_on_merge } = changes
  const isRankOnly = Object.entries(changes).every(
    ([name, value]) => name === 'priority' || value === undefined,
  )
  const label = findLabel(ctx, owner, reference, owner.kind === 'project' && isRankOnly)
  const title = new_name?.trim()
  const { color } = checked({ title, color: wantedColor })
  const texts =
    description === undefined ? {} : { description, description_html: await renderLine(description) }
  return tx(ctx.db, () => {
    if (title !== undefined && title !== label.title) checkFree(ctx, owner, title)
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
    publish(ctx, LabelUpdated, { ...eventOf(ctx, label), changed })
    return updated
  })
}

/** Deletes a label and removes it from everything that has it. Throws 400 if it is locked. */
export function deleteLabel(ctx: Ctx, label: LabelRow): void {
  if (label.locked) throw fail('bad_request', 'Label is locked and was not removed')
  tx(ctx.db, () => {
    store.remove(ctx.db, [label.id])
    publish(ctx, LabelDeleted, { ...eventOf(ctx, label), title: label.title })
  })
}

/** Makes the fields that every event about a label has. */
export function eventOf(ctx: Ctx, { id, project_id, group_id }: LabelRow) {
  return {
    label_id: id,
    actor_id: ctx.actor.id,
    ...(project_id === null ? {} : { project_id }),
    ...(group_id === null ? {} : { group_id }),
  }
}

/** Returns the title and the color to store. Throws 400 with the problems of both. */
function checked(given: { title: string | undefined; color: string | undefined }): {
  color: string | undefined
} {
  const color = given.color === undefined ? undefined : colorCode(given.color)
  const titleText = given.title === undefined ? undefined : titleProblem(given.title)
  const problems = {
    ...(given.color !== undefined && color === undefined ? { color: 'must be a valid color code' } : {}),
    ...(titleText === undefined ? {} : { title: titleText }),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  return { color }
}

/** Throws 400 if the owner has or inherits a label with the title. */
function checkFree(ctx: Ctx, owner: PlanningOwner, title: string): void {
  const [found] = store.titled(ctx.db, owner, [title])
  if (!found) return
  if (isOwn(owner, found)) throw invalid({ title: 'has already been taken' })
  const name = namespaceById(ctx.db, found.group_id!)?.name
  throw invalid({ title: `already exists at group level for ${name}. Please choose another one.` })
}
