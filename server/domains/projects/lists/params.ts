import type { Ctx } from '../../../ctx.ts'
import { as, oneOf, type PresentedRow } from '../../../http/entity.ts'
import { keysetPage } from '../../../http/paging.ts'
import { bool, choice, int, intChoice, list, text, timestamp } from '../../../http/params.ts'
import { page, type ListOptions, type Paging, type Rows } from '../../../http/returns.ts'
import { attributeParams } from '../../users/index.ts'
import { Project, ProjectSimple } from '../entity.ts'
import { SIZE_ORDERS } from './store.ts'
import { findProjects, type ListRequest } from './service.ts'
import { viewsOf } from '../service-views.ts'

/** Filters of all project lists (spec core 1.3). */
export const listParams = {
  archived: bool().optional().describe('Limit by archived status'),
  visibility: choice('public', 'internal', 'private').optional().describe('Limit by visibility'),
  search: text({ max: 255 }).optional().describe('Search in name, path and description'),
  search_namespaces: bool().optional().describe('Include the namespaces in the search'),
  owned: bool().optional().describe('Limit to projects that the current user owns'),
  starred: bool().optional().describe('Limit to projects that the current user starred'),
  membership: bool().optional().describe('Limit to projects that the current user is a member of'),
  min_access_level: intChoice(5, 10, 20, 30, 40, 50)
    .optional()
    .describe('Limit to projects with at least this access level of the current user'),
  id_after: int().optional().describe('Limit to projects with an ID greater than this'),
  id_before: int().optional().describe('Limit to projects with an ID less than this'),
  last_activity_after: timestamp().optional().describe('Limit to projects with activity after this time'),
  last_activity_before: timestamp()
    .optional()
    .describe('Limit to projects with the last activity before this time'),
  updated_after: timestamp().optional().describe('Limit to projects updated after this time'),
  updated_before: timestamp().optional().describe('Limit to projects updated before this time'),
  topic: list(text({ max: 255 }), { max: 20 })
    .optional()
    .describe('Limit to projects with all of these topics'),
  topic_id: int({ min: 1 }).optional().describe('Limit to projects with the topic of this ID'),
  with_programming_language: text({ max: 255 })
    .optional()
    .describe('Limit to projects with code in this language'),
  imported: bool().optional().describe('Limit to projects that the current user imported'),
  with_issues_enabled: bool().optional().describe('Limit to projects with issues enabled'),
  with_merge_requests_enabled: bool().optional().describe('Limit to projects with merge requests enabled'),
  repository_storage: text({ max: 255 })
    .optional()
    .describe('Limit to projects on this storage. Administrators only'),
  repository_checksum_failed: bool()
    .optional()
    .describe('Limit to projects with a damaged repository. Administrators only'),
  wiki_checksum_failed: bool()
    .optional()
    .describe('Limit to projects with a failed wiki checksum. Administrators only'),
  ...attributeParams,
  simple: bool().optional().describe('Return only the fields of the simple view'),
  statistics: bool().optional().describe('Include project statistics'),
}

const options: ListOptions = {
  order_by: [
    'created_at',
    'id',
    'name',
    'path',
    'updated_at',
    'last_activity_at',
    'similarity',
    ...SIZE_ORDERS,
  ],
  sort: 'desc',
  keyset: ['id'],
  type: 'Project',
}

/** A page of projects, in the simple or the full view. */
export const projectPage = page(oneOf(ProjectSimple, Project), options)

/** Returns a page of projects: in the simple view for anonymous callers or on request, otherwise in the full view. */
export function showProjects(
  ctx: Ctx,
  request: ListRequest & {
    simple?: boolean | undefined
    statistics?: boolean | undefined
    with_custom_attributes?: boolean | undefined
  },
  paging: Paging,
  permissions = true,
): Rows<PresentedRow> {
  const { simple: onlySimple, statistics, with_custom_attributes, ...filter } = request
  const result = findProjects(ctx, filter, paging)
  const { rows, next } = paging.keyset
    ? keysetPage(result.rows, paging)
    : { rows: result.rows, next: undefined }
  const views = viewsOf(ctx, rows, { statistics, permissions, with_custom_attributes })
  const simple = (onlySimple ?? false) || ctx.actor.kind === 'anonymous'
  // Both views use the same row; only their fields differ.
  return {
    rows: views.map((view) => as(simple ? ProjectSimple : Project, view) as PresentedRow),
    total: result.total,
    next,
  }
}
