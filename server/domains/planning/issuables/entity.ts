import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import { LabelBasic } from '../labels/entity.ts'
import type { LabelRow } from '../labels/label.ts'
import { Milestone } from '../milestones/entity.ts'
import type { MilestoneRow } from '../milestones/milestone.ts'
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

/** How it is named in texts (spec core 5.1). */
export const ReferencesShape = z.strictObject({ short: z.string(), relative: z.string(), full: z.string() })

/** Boxes in the description. */
export const TaskCompletionShape = z.strictObject({ count: z.int(), completed_count: z.int() })

/** What happened to a label, a milestone or the state, as stored, with everybody and everything that it shows. */
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

function basicOf(event: ResourceEventView, at: At) {
  return {
    id: event.id,
    user: event.user && UserBasic.present(event.user, at),
    created_at: event.created_at,
    resource_type: event.resource_type as 'Issue' | 'MergeRequest',
    resource_id: event.resource_id,
  }
}

/** A label was given or taken; null for one that is gone. */
export const ResourceLabelEvent = entity(
  'ResourceLabelEvent',
  { ...fields, label: LabelBasic.schema.nullable(), action: z.string() },
  (event: ResourceEventView, at) => ({
    ...basicOf(event, at),
    label: event.label ? LabelBasic.present(event.label, at) : null,
    action: event.action!,
  }),
)

/** It was put into a milestone or taken out of one. */
export const ResourceMilestoneEvent = entity(
  'ResourceMilestoneEvent',
  { ...fields, milestone: Milestone.schema.nullable(), action: z.string(), state: z.string() },
  (event: ResourceEventView, at) => ({
    ...basicOf(event, at),
    milestone: event.milestone ? Milestone.present(event.milestone, at) : null,
    action: event.action!,
    state: event.state!,
  }),
)

/** It was closed, opened again or merged, and what did that. */
export const ResourceStateEvent = entity(
  'ResourceStateEvent',
  {
    ...fields,
    state: z.string(),
    source_commit: z.string().nullable(),
    source_merge_request_iid: z.int().nullable(),
  },
  (event: ResourceEventView, at) => ({
    ...basicOf(event, at),
    state: event.state!,
    source_commit: event.source_commit ?? null,
    source_merge_request_iid: event.source_merge_request_iid ?? null,
  }),
)
