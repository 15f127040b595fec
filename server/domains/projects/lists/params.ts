import type { Ctx } from '../../../ctx.ts'
import { as, oneOf, type Shown } from '../../../http/entity.ts'
import { keysetPage } from '../../../http/paging.ts'
import { bool, choice, int, intChoice, list, text, timestamp } from '../../../http/params.ts'
import { page, type ListOptions, type Paging, type Rows } from '../../../http/returns.ts'
import { attributeParams } from '../../users/index.ts'
import { Project, ProjectSimple } from '../entity.ts'
import { SIZE_ORDERS } from './store.ts'
import { findProjects, type ListRequest } from './service.ts'
import { viewsOf } from '../service-views.ts'

/** Filters of every project list (spec core 1.3). */
export const listParams = {
  archived: bool().optional().describe('Only archived projects, or only others'),
  visibility: choice('public', 'internal', 'private').optional().describe('Only projects of this visibility'),
  search: text({ max: 255 }).optional().describe('Part of the name, path or description'),
  search_namespaces: bool().optional().describe('Search the names of the namespaces too'),
  owned: bool().optional().describe('Only projects the caller owns'),
  starred: bool().optional().describe('Only projects the caller starred'),
  membership: bool().optional().describe('Only projects the caller is a member of'),
  min_access_level: intChoice(5, 10, 20, 30, 40, 50)
    .optional()
    .describe('Only projects where the caller has at least this level'),
  id_after: int().optional().describe('Only projects with a higher id'),
  id_before: int().optional().describe('Only projects with a lower id'),
  last_activity_after: timestamp().optional().describe('Only projects with activity since'),
  last_activity_before: timestamp().optional().describe('Only projects without activity since'),
  updated_after: timestamp().optional().describe('Only projects changed since'),
  updated_before: timestamp().optional().describe('Only projects not changed since'),
  topic: list(text({ max: 255 }), { max: 20 })
    .optional()
    .describe('Only projects with all of these topics'),
  topic_id: int({ min: 1 }).optional().describe('Only projects with the topic of this id'),
  with_programming_language: text({ max: 255 })
    .optional()
    .describe('Only projects with code in this language'),
  imported: bool().optional().describe('Only projects the caller imported'),
  with_issues_enabled: bool().optional().describe('Only projects with issues'),
  with_merge_requests_enabled: bool().optional().describe('Only projects with merge requests'),
  repository_storage: text({ max: 255 })
    .optional()
    .describe('Only projects on this storage (administrators)'),
  repository_checksum_failed: bool()
    .optional()
    .describe('Only projects whose repository was found damaged (administrators)'),
  wiki_checksum_failed: bool()
    .optional()
    .describe('Only projects whose wiki was copied badly (administrators)'),
  ...attributeParams,
  simple: bool().optional().describe('Only the fields of the simple view'),
  statistics: bool().optional().describe('Add the sizes, where the caller may see them'),
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

/** A page of projects, in the view that the caller gets. */
export const projectPage = page(oneOf(ProjectSimple, Project), options)

/** Finds a page of projects and shows it: the simple view for anonymous callers or on request, else the full one. */
export function showProjects(
  ctx: Ctx,
  request: ListRequest & {
    simple?: boolean | undefined
    statistics?: boolean | undefined
    with_custom_attributes?: boolean | undefined
  },
  paging: Paging,
  permissions = true,
): Rows<Shown> {
  const { simple: onlySimple, statistics, with_custom_attributes, ...filter } = request
  const found = findProjects(ctx, filter, paging)
  const { rows, next } = paging.keyset
    ? keysetPage(found.rows, paging)
    : { rows: found.rows, next: undefined }
  const views = viewsOf(ctx, rows, { statistics, permissions, with_custom_attributes })
  const simple = (onlySimple ?? false) || ctx.actor.kind === 'anonymous'
  // Both views take the same row; only their fields differ.
  return {
    rows: views.map((view) => as(simple ? ProjectSimple : Project, view) as Shown),
    total: found.total,
    next,
  }
}
