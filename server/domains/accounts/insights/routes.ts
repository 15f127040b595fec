import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { choice, int } from '../../../http/params.ts'
import { ok, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { countTodos } from '../../todos/index.ts'
import { userOf } from '../../users/index.ts'
import * as store from './store.ts'
import { openWorkOf, type Associations, type MembershipRow } from './store.ts'

/** A direct membership of a user (spec core 7.3). */
const Membership = entity(
  'Membership',
  {
    source_id: z.int(),
    source_name: z.string(),
    source_type: z.enum(['Project', 'Namespace']),
    access_level: z.int(),
  },
  (row: MembershipRow) => row,
)

/** The numbers of a user's groups, projects, issues and merge requests (spec core 7.3). */
const AssociationsCount = entity(
  'AssociationsCount',
  {
    groups_count: z.int(),
    projects_count: z.int(),
    issues_count: z.int(),
    merge_requests_count: z.int(),
  },
  (counts: Associations) => counts,
)

/** Numbers of open items that are assigned to a user or wait for the user. */
interface OpenWork {
  assigned_issues: number
  assigned_merge_requests: number
  review_requested_merge_requests: number
  todos: number
}

/** The open work of the current user (spec core 7.2). `merge_requests` counts assigned ones and review requests. */
const UserCounts = entity(
  'UserCounts',
  {
    merge_requests: z.int(),
    assigned_issues: z.int(),
    assigned_merge_requests: z.int(),
    review_requested_merge_requests: z.int(),
    todos: z.int(),
  },
  (openWork: OpenWork) => ({
    merge_requests: openWork.assigned_merge_requests + openWork.review_requested_merge_requests,
    ...openWork,
  }),
)

const userId = { id: int({ min: 1 }).describe('The ID of the user') }

export const listMemberships = endpoint('GET /users/:id/memberships', {
  summary: 'List the direct memberships of a user',
  can: 'admin',
  params: {
    ...userId,
    type: choice('Project', 'Namespace').optional().describe('Limit to memberships of this type'),
  },
  pure: true,
  returns: page(Membership),
  run: ({ params, paging, ...ctx }) =>
    store.memberships(ctx.db, userOf(ctx, params.id).id, params.type, paging),
})

export const countAssociations = endpoint('GET /users/:id/associations_count', {
  summary: 'Get the associations count of a user',
  can: 'signed_in',
  params: userId,
  pure: true,
  returns: ok(AssociationsCount),
  run: ({ params, ...ctx }) => {
    if (!ctx.actor.is_admin && ctx.actor.id !== params.id) throw fail('forbidden')
    return store.associations(ctx.db, userOf(ctx, params.id).id)
  },
})

export const countOwn = endpoint('GET /user_counts', {
  summary: 'Get the numbers of assigned issues, merge requests and to-do items',
  can: 'signed_in',
  token: ['read_user'],
  returns: ok(UserCounts),
  run: (ctx) => ({ ...openWorkOf(ctx.db, ctx), todos: countTodos(ctx) }),
})
