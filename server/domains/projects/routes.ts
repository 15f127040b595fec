import { as, oneOf } from '../../http/entity.ts'
import { atLeastOne, endpoint } from '../../http/endpoint.ts'
import { bool, int, list, text } from '../../http/params.ts'
import { accepted, created, ok, page } from '../../http/returns.ts'
import { isoDate } from '../../lib/clock.ts'
import { customAttributeRoutes } from '../custom_attributes/index.ts'
import { memberEndpoints, projectPlace, usersOfPlace } from '../members/index.ts'
import { GroupPublic } from '../namespaces/entity.ts'
import { groupsOfLineage } from '../namespaces/index.ts'
import { UserBasic } from '../users/entity.ts'
import { createProject, createProjectFor } from './create.ts'
import { Project, ProjectSimple, Starrer } from './entity.ts'
import { listParams, projectPage, showProjects } from './list-params.ts'
import { projectsOfUser } from './of-user.ts'
import { abilities } from './policy.ts'
import { project } from './scope.ts'
import { deleteProject, setArchived, setStar, updateProject } from './service.ts'
import { createSettings, editSettings, settingsToColumns } from './settings-params.ts'
import * as stars from './stars.ts'
import { viewOf } from './views.ts'

const INVALID = 'A value is not acceptable: `{"message": {"<field>": ["…"]}}`'
const search = text({ max: 255 }).optional().describe('Part of the name or user name')
const userParam = { user_id: text({ max: 255 }).describe('Id or name of the user') }

export const listProjects = endpoint('GET /projects', {
  summary: 'List projects that the caller can see',
  can: 'anyone',
  params: listParams,
  pure: true,
  returns: projectPage,
  run: ({ params, paging, ...ctx }) => showProjects(ctx, params, paging),
})

export const listUserProjects = endpoint('GET /users/:user_id/projects', {
  summary: 'List the projects in the personal namespace of a user',
  can: 'anyone',
  params: { ...userParam, ...listParams },
  pure: true,
  returns: projectPage,
  run: ({ params: { user_id, ...params }, paging, ...ctx }) =>
    showProjects(ctx, { ...params, ...projectsOfUser(ctx, user_id, 'owned') }, paging),
})

export const listStarredProjects = endpoint('GET /users/:user_id/starred_projects', {
  summary: 'List the projects that a user starred',
  can: 'anyone',
  params: { ...userParam, ...listParams },
  pure: true,
  returns: projectPage,
  run: ({ params: { user_id, ...params }, paging, ...ctx }) =>
    showProjects(ctx, { ...params, ...projectsOfUser(ctx, user_id, 'starred') }, paging),
})

export const getProject = endpoint('GET /projects/:id', {
  summary: 'Get a project',
  scope: project,
  can: abilities.read_project,
  params: { statistics: bool().optional().describe('Add the sizes, where the caller may see them') },
  pure: true,
  returns: ok(oneOf(ProjectSimple, Project)),
  run: ({ project: owner, params, ...ctx }) => {
    if (ctx.actor.kind === 'anonymous') return as(ProjectSimple, viewOf(ctx, owner))
    return as(Project, viewOf(ctx, owner, { statistics: params.statistics, permissions: true }))
  },
})

const newProject = {
  path: text().optional().describe('Last part of the address; by default made from the name'),
  default_branch: text({ max: 255 }).optional().describe('Name of the first branch'),
  initialize_with_readme: bool().optional().describe('Begin with a commit that has a README'),
  namespace_id: int().optional().describe('Group or personal namespace; by default the own one'),
  import_url: text({ max: 2048 }).optional().describe('Address to import from'),
  ...createSettings,
}

export const create = endpoint('POST /projects', {
  summary: 'Create a project',
  can: 'signed_in',
  params: { name: text().optional().describe('Name; by default the path'), ...newProject },
  together: [atLeastOne('name', 'path')],
  fails: { 400: INVALID, 403: 'The limit of personal projects is reached' },
  returns: created(Project),
  run: async ({ params, ...ctx }) =>
    viewOf(ctx, await createProject(ctx, { ...params, columns: settingsToColumns(params) })),
})

export const createForUser = endpoint('POST /projects/user/:user_id', {
  summary: 'Create a project for another user',
  can: 'admin',
  params: { user_id: int().describe('Id of the user'), name: text().describe('Name'), ...newProject },
  fails: { 400: INVALID },
  returns: created(Project),
  run: async ({ params: { user_id, ...params }, ...ctx }) =>
    viewOf(ctx, await createProjectFor(ctx, user_id, { ...params, columns: settingsToColumns(params) })),
})

const changeable = {
  name: text().optional().describe('Name'),
  path: text().optional().describe('Last part of the address'),
  default_branch: text({ max: 255 }).optional().describe('Branch that is shown first'),
  ...editSettings,
}

export const update = endpoint('PUT /projects/:id', {
  summary: 'Change a project',
  scope: project,
  can: abilities.update_project,
  params: changeable,
  together: [atLeastOne(...Object.keys(changeable))],
  fails: { 400: INVALID },
  returns: ok(Project),
  run: async ({ project: owner, params, ...ctx }) => {
    const { name, path, default_branch } = params
    const own = Object.fromEntries(
      Object.entries({ name, path, default_branch }).filter(([, value]) => value !== undefined),
    )
    return viewOf(ctx, await updateProject(ctx, owner, { ...own, ...settingsToColumns(params) }))
  },
})

export const remove = endpoint('DELETE /projects/:id', {
  summary: 'Delete a project with everything in it',
  scope: project,
  can: abilities.delete_project,
  returns: accepted,
  run: ({ project: owner, http, ...ctx }) => {
    http.unmodifiedSince(owner.updated_at)
    deleteProject(ctx, owner)
  },
})

export const starring = ([true, false] as const).map((starred) =>
  endpoint(`POST /projects/:id/${starred ? 'star' : 'unstar'}`, {
    summary: starred ? 'Star a project' : 'Take the star from a project',
    scope: project,
    can: abilities.star_project,
    fails: { 304: 'It is so already' },
    returns: created(Project),
    run: ({ project: owner, ...ctx }) => viewOf(ctx, setStar(ctx, owner, starred)),
  }),
)

export const archiving = ([true, false] as const).map((archived) =>
  endpoint(`POST /projects/:id/${archived ? 'archive' : 'unarchive'}`, {
    summary: archived
      ? 'Archive a project: it can be read and not changed'
      : 'Take a project out of the archive',
    scope: project,
    can: abilities.archive_project,
    returns: created(Project),
    run: ({ project: owner, ...ctx }) => viewOf(ctx, setArchived(ctx, owner, archived)),
  }),
)

export const listStarrers = endpoint('GET /projects/:id/starrers', {
  summary: 'List the users who starred a project',
  scope: project,
  can: abilities.read_project,
  params: { search },
  returns: page(Starrer),
  run: ({ project: owner, params, paging, db }) =>
    stars.list(db, { project_id: owner.id, ...params }, paging),
})

export const listUsers = endpoint('GET /projects/:id/users', {
  summary: 'List the users of a project, inherited members included',
  scope: project,
  can: abilities.read_project,
  params: { search, skip_users: list(int()).optional().describe('Not these users') },
  returns: page(UserBasic),
  run: ({ project: owner, params, paging, db, now }) =>
    usersOfPlace(
      db,
      projectPlace(owner),
      { query: params.search, skip_users: params.skip_users, today: isoDate(now) },
      paging,
    ),
})

export const listGroups = endpoint('GET /projects/:id/groups', {
  summary: 'List the groups that a project is in',
  scope: project,
  can: abilities.read_project,
  params: {
    search: text({ max: 255 }).optional().describe('Part of the name or full path'),
    skip_groups: list(int()).optional().describe('Not these groups'),
  },
  returns: page(GroupPublic),
  run: ({ project: owner, params, paging, ...ctx }) =>
    groupsOfLineage(ctx, owner.lineage, { search: params.search, skip: params.skip_groups }, paging),
})

export const members = memberEndpoints(
  project,
  {
    read: abilities.read_project_members,
    manage: abilities.manage_project_members,
    leave: abilities.leave_project,
  },
  projectPlace,
)

export const customAttributes = customAttributeRoutes(project)
