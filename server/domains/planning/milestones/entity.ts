import { z } from 'zod'

import { date, entity, time, type Presentation } from '../../../http/entity.ts'
import type { MilestoneRow } from './store.ts'

function webUrlOf(row: MilestoneRow, at: Presentation): string {
  const path = row.group_id === null ? row.owner_path : `groups/${row.owner_path}`
  return `${at.url}/${path}/-/milestones/${row.iid}`
}

/** A milestone (spec core 0.1). It expires at the end of its due date. */
export const Milestone = entity(
  'Milestone',
  {
    id: z.int(),
    iid: z.int(),
    project_id: z.int().optional(),
    group_id: z.int().optional(),
    title: z.string(),
    description: z.string().nullable(),
    state: z.string(),
    created_at: time(),
    updated_at: time(),
    due_date: date().nullable(),
    start_date: date().nullable(),
    expired: z.boolean(),
    web_url: z.string(),
  },
  (row: MilestoneRow, at) => ({
    id: row.id,
    iid: row.iid,
    ...(row.project_id === null ? {} : { project_id: row.project_id }),
    ...(row.group_id === null ? {} : { group_id: row.group_id }),
    title: row.title,
    description: row.description,
    state: row.state,
    created_at: row.created_at,
    updated_at: row.updated_at,
    due_date: row.due_date,
    start_date: row.start_date,
    expired: row.due_date !== null && row.due_date < at.now.slice(0, 10),
    web_url: webUrlOf(row, at),
  }),
)

/** A change of an issue in a milestone. */
export interface BurndownRow {
  readonly created_at: string
  readonly weight: number | null
  readonly action: string
}

/** A step in the burndown chart of a milestone (spec core 6.2). */
export const BurndownEvent = entity(
  'BurndownEvent',
  { created_at: time(), weight: z.int().nullable(), action: z.string() },
  (row: BurndownRow) => row,
)
