import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import { type LabelRow, textColorOn } from './label.ts'

const basicFields = {
  id: z.int(),
  name: z.string(),
  description: z.string().nullable(),
  description_html: z.string(),
  text_color: z.string(),
  color: z.string(),
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function presentBasic(row: LabelRow) {
  return {
    id: row.id,
    name: row.title,
    description: row.description,
    description_html: row.description_html ?? escape(row.description ?? ''),
    text_color: textColorOn(row.color),
    color: row.color,
  }
}

/** A label inside another answer (spec core 0.1). */
export const LabelBasic = entity('LabelBasic', basicFields, presentBasic)

/** The number of uses of a label that the reader may see. */
export interface LabelCounts {
  readonly open_issues_count: number
  readonly closed_issues_count: number
  readonly open_merge_requests_count: number
}

/** A label with the data of its entity in a project or group. */
export interface LabelView {
  readonly label: LabelRow
  readonly counts: LabelCounts | undefined
  readonly subscribed: boolean
  /** The priority in the project; null if it has none. Undefined in groups. */
  readonly priority?: number | null
}

const ownerFields = {
  ...basicFields,
  open_issues_count: z.int().optional(),
  closed_issues_count: z.int().optional(),
  open_merge_requests_count: z.int().optional(),
  subscribed: z.boolean(),
}

function presentForOwner({ label, counts, subscribed }: LabelView) {
  return { ...presentBasic(label), ...counts, subscribed }
}

/** A label in the answers of a project (spec core 6.1). */
export const Label = entity(
  'Label',
  { ...ownerFields, priority: z.int().nullable(), is_project_label: z.boolean() },
  (view: LabelView) => ({
    ...presentForOwner(view),
    priority: view.priority ?? null,
    is_project_label: view.label.project_id !== null,
  }),
)

/** A label in the answers of a group (spec core 6.1). */
export const GroupLabel = entity('GroupLabel', ownerFields, presentForOwner)
