import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import { LabelBasic } from '../labels/entity.ts'
import type { LabelRow } from '../labels/label.ts'
import { Milestone } from '../milestones/entity.ts'
import type { MilestoneRow } from '../milestones/store.ts'
import { UserBasic } from '../../users/entity.ts'
import type { UserBasicRow } from '../../users/index.ts'
import { timeStats } from './time.ts'

/** Estimated and spent time (spec core 0.1). */
export const TimeStats = entity(
  'TimeStats',
  {
    time_estimate: z.int(),
    total_time_spent: z.int(),
    human_time_estimate: z.string().nullable(),
    human_total_time_spent: z.string().nullable(),
  },
  (row: { readonly time_estimate: number; readonly total_time_spent: number }, at) =>
    timeStats(row, at.inHours),
)

/** The names of an issue or merge request in texts (spec core 5.1). */
export const ReferencesShape = z.strictObject({ short: z.string(), relative: z.string(), full: z.string() })

/** The number of task list items in the description, and of the completed ones. */
export const TaskCompletionShape = z.strictObject({ count: z.int(), completed_count: z.int() })

/** A change of a label, milestone or state, with the data of its entity. */
export interface ResourceEventView {
  readonly id: number
  readonly created_at: string
  readonly resource_type: string
  readonly resource_id: number
  readonly user: UserBasicRow | null
  readonly action?: string
  readonly state?: string
  readonly label?: LabelRow | null
  readonly milestone?: MilestoneRow | null
  readonly source_commit?: string | null
  readonly source_merge_request_iid?: number | null
}

const fields = {
  id: z.int(),
  user: UserBasic.schema.nullable(),
  created_at: time(),
  resource_type: z.enum(['Issue', 'MergeRequest']),
  resource_id: z.int(),
}

type At = Parameters<typeof UserBasic.present>[1]

function presentBase(event: ResourceEventView, at: At) {
  return {
    id: event.id,
    user: event.user && UserBasic.present(event.user, at),
    created_at: event.created_at,
    resource_type: event.resource_type as 'Issue' | 'MergeRequest',
    resource_id: event.resource_id,
  }
}

/** A label was added or removed. The label is null if it was deleted. */
export const ResourceLabelEvent = entity(
  'ResourceLabelEvent',
  { ...fields, label: LabelBasic.schema.nullable(), action: z.string() },
  (event: ResourceEventView, at) => ({
    ...presentBase(event, at),
    label: event.label ? LabelBasic.present(event.label, at) : null,
    action: event.action!,
  }),
)

/** A milestone was set or removed. */
export const ResourceMilestoneEvent = entity(
  'ResourceMilestoneEvent',
  { ...fields, milestone: Milestone.schema.nullable(), action: z.string(), state: z.string() },
  (event: ResourceEventView, at) => ({
    ...presentBase(event, at),
    milestone: event.milestone ? Milestone.present(event.milestone, at) : null,
    action: event.action!,
    state: event.state!,
  }),
)

/** The issue or merge request was closed, reopened or merged, with the commit or merge request that caused it. */
export const ResourceStateEvent = entity(
  'ResourceStateEvent',
  {
    ...fields,
    state: z.string(),
    source_commit: z.string().nullable(),
    source_merge_request_iid: z.int().nullable(),
  },
  (event: ResourceEventView, at) => ({
    ...presentBase(event, at),
    state: event.state!,
    source_commit: event.source_commit ?? null,
    source_merge_request_iid: event.source_merge_request_iid ?? null,
  }),
)
