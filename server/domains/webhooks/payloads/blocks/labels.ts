import type { Ctx } from '../../../../ctx.ts'
import { type LabelRow, labelsByIds } from '../../../planning/index.ts'
import { hookTime } from './times.ts'

function labelBlock(label: LabelRow) {
  return {
    id: label.id,
    title: label.title,
    color: label.color,
    project_id: label.project_id,
    created_at: hookTime(label.created_at),
    updated_at: hookTime(label.updated_at),
    template: false,
    description: label.description,
    type: label.project_id === null ? 'GroupLabel' : 'ProjectLabel',
    group_id: label.group_id,
  }
}

/** A label in an event. */
export type LabelBlock = ReturnType<typeof labelBlock>

/** Labels in an event, by title (spec administration 3.8, L); those that are gone are left out. */
export function labelBlocks(ctx: Pick<Ctx, 'db'>, ids: readonly number[]): LabelBlock[] {
  if (ids.length === 0) return []
  const labels = labelsByIds(ctx.db, ids)
  return ids
    .flatMap((id) => labels.get(id) ?? [])
    .sort((a, b) => (a.title < b.title ? -1 : 1))
    .map(labelBlock)
}
