import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { Associations, MembershipRow } from './store.ts'

/** A direct membership of a user (spec core 7.3). */
export const Membership = entity(
  'Membership',
  {
    source_id: z.int(),
    source_name: z.string(),
    source_type: z.enum(['Project', 'Namespace']),
    access_level: z.int(),
  },
  (row: MembershipRow) => row,
)

/** How many groups, projects, issues and merge requests belong to a user (spec core 7.3). */
export const AssociationsCount = entity(
  'AssociationsCount',
  {
    groups_count: z.int(),
    projects_count: z.int(),
    issues_count: z.int(),
    merge_requests_count: z.int(),
  },
  (counts: Associations) => counts,
)

/** Counts of the open work of a user. */
export interface Waiting {
  assigned_issues: number
  assigned_merge_requests: number
  review_requested_merge_requests: number
  todos: number
}

/** The open work of the current user (spec core 7.2); merge requests count as assignee and as reviewer. */
export const UserCounts = entity(
  'UserCounts',
  {
    merge_requests: z.int(),
    assigned_issues: z.int(),
    assigned_merge_requests: z.int(),
    review_requested_merge_requests: z.int(),
    todos: z.int(),
  },
  (waiting: Waiting) => ({
    merge_requests: waiting.assigned_merge_requests + waiting.review_requested_merge_requests,
    ...waiting,
  }),
)
