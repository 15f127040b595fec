import { exclusive } from '../../../../http/endpoint.ts'
import { bool, choice, hash } from '../../../../http/params.ts'
import { page } from '../../../../http/returns.ts'
import {
  EXCLUSIVE,
  intNoneAny,
  issuableFilterParams,
  issuableOrders,
  notParams,
  DUE,
} from '../../issuables/list/params.ts'
import type { IssuableFilter } from '../../issuables/list/filter.ts'
import { Issue } from '../entity.ts'
import { ISSUE_TYPES } from '../issue.ts'

/** The filters that only issues have (spec core 6.3). */
const own = {
  confidential: bool().optional().describe('Only confidential issues, or only others'),
  issue_type: choice(...ISSUE_TYPES)
    .optional()
    .describe('Only issues of this type'),
  due_date: choice(...DUE)
    .optional()
    .describe('Filter by due date: `0` for none, `any`, `today`, `tomorrow`, `overdue`, `week`, `month` …'),
  health_status: choice('on_track', 'needs_attention', 'at_risk')
    .optional()
    .describe('Only issues of this health'),
  epic_id: intNoneAny('epic').optional().describe('Only issues without an epic; there are no epics'),
  iteration_id: intNoneAny('iteration')
    .optional()
    .describe('Only issues without an iteration; there are no iterations'),
}

/** The filters of all lists of issues. Statistics take them without the state. */
export const filterParams = {
  ...issuableFilterParams,
  ...own,
  not: hash({ ...notParams, issue_type: choice(...ISSUE_TYPES).optional() })
    .optional()
    .describe('Filters that results must not match'),
}

/** The filters with the state. */
export const listParams = {
  state: choice('opened', 'closed', 'all').default('all').describe('Only open or only closed issues'),
  ...filterParams,
}

/** Filters that exclude each other. */
export const together = EXCLUSIVE.map((names) => exclusive(...names))

/** The page of a list of issues. */
export const issuePage = page(Issue, { order_by: issuableOrders, sort: 'desc' })

/** The given filters. Each has the name of its parameter. */
export interface GivenFilter extends IssuableFilter {
  readonly epic_id?: number | 'None' | 'Any' | undefined
  readonly iteration_id?: number | 'None' | 'Any' | undefined
}
