import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entity, time, row } from '../../../http/entity.ts'
import { bool, day, int, intChoice, list, text } from '../../../http/params.ts'
import { created, noContent, page } from '../../../http/returns.ts'
import { isoDate } from '../../../lib/clock.ts'
import { projectSource, usersOfSource } from '../../members/index.ts'
import { GroupPublic } from '../../namespaces/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import * as store from './store.ts'
import { groupsOfProject, shareLocations, type ProjectShareRow, type StarRow } from './store.ts'
import { importMembers, shareProject, unshareProject } from './service.ts'
import { abilities } from '../policy.ts'
import { project } from '../service-scope.ts'

/** A group that a project is shared with (spec core 1.3). */
const ProjectGroupLink = entity(
  'ProjectGroupLink',
  {
    id: z.int(),
    project_id: z.int(),
    group_id: z.int(),
    group_access: z.int(),
    expires_at: z.iso.date().nullable(),
  },
  row<ProjectShareRow>(),
  (share) => ({
    group_access: share.access_level,
  }),
)

/** The result of a request that succeeded. */
const ImportResult = entity(
  'Outcome',
  { status: z.string(), message: z.string() },
  (outcome: { status: string; message: string }) => outcome,
)

/** A user who starred a project. */
const Starrer = entity('Starrer', { starred_since: time(), user: UserBasic.schema }, (row: StarRow, at) => ({
  starred_since: row.starred_since,
  user: UserBasic.present(row, at),
}))

const search = text({ max: 255 }).optional().describe('Part of the name or user name')
const groupParam = { group_id: int({ min: 1 }).describe('The ID of the group') }

export const listStarrers = endpoint('GET /projects/:id/starrers', {
  summary: 'List the starrers of a project',
  scope: project,
  can: abilities.read_project,
  params: { search },
  returns: page(Starrer),
  run: ({ project: owner, params, paging, db }) =>
    store.starrers(db, { project_id: owner.id, ...params }, paging),
})

export const listUsers = endpoint('GET /projects/:id/users', {
  summary: 'List the users of a project',
  scope: project,
  can: abilities.read_project,
  params: { search, skip_users: list(int()).optional().describe('Users to leave out, by ID') },
  returns: page(UserBasic),
  run: ({ project: owner, params, paging, db, now }) =>
    usersOfSource(
      db,
      projectSource(owner),
      { query: params.search, skip_users: params.skip_users, today: isoDate(now) },
      paging,
    ),
})

export const listGroups = endpoint('GET /projects/:id/groups', {
  summary: 'List the groups of a project',
  scope: project,
  can: abilities.read_project,
  params: {
    search: text({ max: 255 }).optional().describe('Part of the name or full path'),
    skip_groups: list(int()).optional().describe('Groups to leave out, by ID'),
    with_shared: bool().optional().describe('Include groups that the project is shared with'),
    shared_visible_only: bool()
      .optional()
      .describe('Limit the shared groups to those that the current user may see'),
    shared_min_access_level: intChoice(10, 20, 30, 40, 50)
      .optional()
      .describe('Limit the shared groups to this access level or higher'),
  },
  returns: page(GroupPublic),
  run: ({ project: owner, params, paging, ...ctx }) => groupsOfProject(ctx, owner, params, paging),
})

export const listInvitedGroups = endpoint('GET /projects/:id/invited_groups', {
  summary: 'List the groups invited to a project',
  scope: project,
  can: abilities.read_project,
  params: {
    search: text({ max: 255 }).optional().describe('Part of the name or full path'),
    min_access_level: intChoice(10, 20, 30, 40, 50)
      .optional()
      .describe('Limit to this access level or higher'),
  },
  returns: page(GroupPublic),
  run: ({ project: owner, params: { search: words, min_access_level }, paging, ...ctx }) =>
    groupsOfProject(
      ctx,
      owner,
      { search: words, only_shared: true, shared_min_access_level: min_access_level },
      paging,
    ),
})

export const listShareLocations = endpoint('GET /projects/:id/share_locations', {
  summary: 'List groups to share a project with',
  scope: project,
  can: abilities.share_project,
  params: { search: text({ max: 255 }).optional().describe('Part of the name or full path') },
  returns: page(GroupPublic),
  run: ({ project: owner, params, paging, ...ctx }) => shareLocations(ctx, owner, params.search, paging),
})

export const share = endpoint('POST /projects/:id/share', {
  summary: 'Share a project with a group',
  scope: project,
  can: abilities.share_project,
  params: {
    ...groupParam,
    group_access: intChoice(10, 20, 30, 40, 50).describe('Maximum access level of the members of the group'),
    expires_at: day().nullable().optional().describe('The date on which the share ends'),
  },
  fails: {
    400: 'Sharing is locked, or the date is in the past',
    409: 'The project is already shared with the group',
  },
  returns: created(ProjectGroupLink),
  run: ({ project: owner, params, ...ctx }) => shareProject(ctx, owner, params),
})

export const unshare = endpoint('DELETE /projects/:id/share/:group_id', {
  summary: 'Delete a shared project link within a group',
  scope: project,
  can: abilities.share_project,
  params: groupParam,
  returns: noContent,
  run: ({ project: owner, params, ...ctx }) => unshareProject(ctx, owner, params.group_id),
})

export const importProjectMembers = endpoint('POST /projects/:id/import_project_members/:project_id', {
  summary: 'Import members from another project',
  scope: project,
  can: abilities.manage_project_members,
  params: { project_id: int({ min: 1 }).describe('The ID of the other project') },
  fails: { 422: 'Import failed' },
  returns: created(ImportResult),
  run: ({ project: owner, params, ...ctx }) => {
    importMembers(ctx, owner, params.project_id)
    return { status: 'success', message: 'Successfully imported' }
  },
})
