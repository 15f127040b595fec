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
import { ownerColumns, type LabelOwner } from './owner.ts'
import * as store from './store.ts'

/** What a label is made from. */
export interface NewLabel {
  readonly name: string
  readonly color: string
  readonly description?: string | null | undefined
  /** Rank in the project. */
  readonly priority?: number | null | undefined
  readonly lock_on_merge?: boolean | undefined
}

/** What can be changed of it. */
export interface LabelChanges extends Partial<Omit<NewLabel, 'name'>> {
  readonly new_name?: string | undefined
}

/** Makes a label. Throws 409 when its owner has or inherits one of that title, 400 for a title or color that is none. */
export async function createLabel(ctx: Ctx, owner: LabelOwner, given: NewLabel): Promise<LabelRow> {
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
 * Changes a label of the owner itself; a project may also rank the labels it inherits. Throws 404, and 400 for a title
 * that is taken and for what creating refuses.
 */
export async function updateLabel(
  ctx: Ctx,
  owner: LabelOwner,
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

/** Removes a label from its owner and from everything that has it. Throws 400 when it is locked. */
export function deleteLabel(ctx: Ctx, label: LabelRow): void {
  if (label.locked) throw fail('bad_request', 'Label is locked and was not removed')
  tx(ctx.db, () => {
    store.remove(ctx.db, [label.id])
    publish(ctx, LabelDeleted, { ...eventOf(ctx, label), title: label.title })
  })
}

/** The ids that every event of a label has. */
export function eventOf(ctx: Ctx, { id, project_id, group_id }: LabelRow) {
  return {
    label_id: id,
    actor_id: ctx.actor.id,
    ...(project_id === null ? {} : { project_id }),
    ...(group_id === null ? {} : { group_id }),
  }
}

/** The color as it is stored. Throws 400 with what is wrong with either. */
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

/** Throws 400 when the owner has a label of that title or inherits one. */
function checkFree(ctx: Ctx, owner: LabelOwner, title: string): void {
  const [found] = store.titled(ctx.db, owner, [title])
  if (!found) return
  if (isOwn(owner, found)) throw invalid({ title: 'has already been taken' })
  const name = namespaceById(ctx.db, found.group_id!)?.name
  throw invalid({ title: `already exists at group level for ${name}. Please choose another one.` })
}
