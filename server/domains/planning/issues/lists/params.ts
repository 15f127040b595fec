import { exclusive } from '../../../../http/endpoint.ts'
import { bool, choice, hash } from '../../../../http/params.ts'
import { page } from '../../../../http/returns.ts'
import { DUE } from '../../issuables/list/plan-parts.ts'
import {
  EXCLUSIVE,
  intNoneAny,
  issuableFilterParams,
  issuableOrders,
  notParams,
} from '../../issuables/list/params.ts'
import type { IssuableFilter } from '../../issuables/list/filter.ts'
import { Issue } from '../entity.ts'
import { ISSUE_TYPES } from '../issue.ts'

/** Filters of issues beside those that merge requests have too (spec core 6.3). */
const own = {
  confidential: bool().optional().describe('Only confidential issues, or only others'),
  issue_type: choice(...ISSUE_TYPES)
    .optional()
    .describe('Only issues of this type'),
  due_date: choice(...DUE)
    .optional()
    .describe('When it is due: 0 for never, any, today, tomorrow, overdue, week, month, …'),
  health_status: choice('on_track', 'needs_attention', 'at_risk')
    .optional()
    .describe('Only issues of this health'),
  epic_id: intNoneAny('epic').optional().describe('Only issues without an epic; there are no epics'),
  iteration_id: intNoneAny('iteration')
    .optional()
    .describe('Only issues without an iteration; there are no iterations'),
}

/** Filters of every list of issues; statistics take them without the state. */
export const filterParams = {
  ...issuableFilterParams,
  ...own,
  not: hash({ ...notParams, issue_type: choice(...ISSUE_TYPES).optional() })
    .optional()
    .describe('Filters that must not hold'),
}

/** The same with the state. */
export const listParams = {
  state: choice('opened', 'closed', 'all').default('all').describe('Only open or only closed issues'),
  ...filterParams,
}

/** Filters of which only one can be given. */
export const together = EXCLUSIVE.map((names) => exclusive(...names))

/** A page of issues. */
export const issuePage = page(Issue, { order_by: issuableOrders, sort: 'desc' })

/** What requests give; the names of the parameters are those of the filters. */
export interface GivenFilter extends IssuableFilter {
  readonly epic_id?: number | 'None' | 'Any' | undefined
  readonly iteration_id?: number | 'None' | 'Any' | undefined
}
