import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { findGroup, group as groupScope } from '../../groups/index.ts'
import type { Project } from '../../projects/index.ts'
import { LabelPromoted } from './events.ts'
import { findLabel } from './find.ts'
import type { LabelRow } from './label.ts'
import { projectOwner } from '../types-owner.ts'
import { groupAbilities } from './policy.ts'
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
  if (!isAble(ctx, groupScope, groupAbilities.admin_group_label, group, true)) throw fail('forbidden')
  return tx(ctx.db, () => {
    const merged = store.inProjectsBelow(ctx.db, group.id, label.title)
    const promoted = store.ofGroup(ctx.db, group.id, label.title) ?? asGroupLabel(ctx, label, group.id)
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

function asGroupLabel(ctx: Ctx, label: LabelRow, groupId: number): LabelRow {
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

/** Tables that refer to labels. A row that would be a duplicate is deleted with the old label. */
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
