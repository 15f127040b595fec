import type { Ctx } from '../../ctx.ts'
import { atLeastOne, endpoint, exclusive } from '../../http/endpoint.ts'
import { as, oneOf, type PresentedRow } from '../../http/entity.ts'
import { bool, int, text } from '../../http/params.ts'
import { created, ok } from '../../http/returns.ts'
import { notFound } from '../../lib/fail.ts'
import { memberEndpoints, projectSource } from '../members/index.ts'
import { namespaceOfUser } from '../namespaces/index.ts'
import { settingsOf } from '../settings/index.ts'
import { customAttributeRoutes, userById, userByUsername, withAttributesParam } from '../users/index.ts'
import { createProject, createProjectFor } from './lifecycle/create.ts'
import { Project, ProjectSimple } from './entity.ts'
import { licenseOf } from './repository/license.ts'
import { listParams, projectPage, showProjects } from './lists/params.ts'
import type { ListRequest } from './lists/service.ts'
import { abilities } from './policy.ts'
import type { Project as ProjectRow } from './types.ts'
import { project } from './service-scope.ts'
import { settingsToColumns, createSettings, editSettings } from './settings-params.ts'
import { updateProject } from './lifecycle/update.ts'
import { viewOf, type ViewOptions } from './service-views.ts'

const INVALID = 'A value is invalid: `{"message": {"<field>": ["…"]}}`'
const NO_REPOSITORY = '`import_url` is not the address of a repository'
const userParam = { user_id: text({ max: 255 }).describe('The ID or username of the user') }

/**
 * The number of project lists that one IP address may request in ten minutes without signing in (spec administration
 * 1.2).
 */
const LIST_LIMIT = {
  max: 400,
  per: 600,
  maxOf: (ctx: Ctx) =>
    ctx.actor.kind === 'anonymous' ? settingsOf(ctx).projects_api_rate_limit_unauthenticated : 0,
}

export const listProjects = endpoint('GET /projects', {
  summary: 'List all projects',
  can: 'anyone',
  params: listParams,
  pure: true,
  limit: LIST_LIMIT,
  returns: projectPage,
  run: ({ params, paging, ...ctx }) => showProjects(ctx, params, paging),
})

export const listUserProjects = endpoint('GET /users/:user_id/projects', {
  summary: 'List user projects',
  can: 'anyone',
  params: { ...userParam, ...listParams },
  pure: true,
  returns: projectPage,
  run: ({ params: { user_id, ...params }, paging, ...ctx }) =>
    showProjects(ctx, { ...params, ...projectsOfUser(ctx, user_id, 'owned') }, paging),
})

export const listStarredProjects = endpoint('GET /users/:user_id/starred_projects', {
  summary: 'List projects starred by a user',
  can: 'anyone',
  params: { ...userParam, ...listParams },
  pure: true,
  returns: projectPage,
  run: ({ params: { user_id, ...params }, paging, ...ctx }) =>
    showProjects(ctx, { ...params, ...projectsOfUser(ctx, user_id, 'starred') }, paging),
})

export const getProject = endpoint('GET /projects/:id', {
  summary: 'Get a single project',
  scope: project,
  can: abilities.read_project,
  params: {
    statistics: bool().optional().describe('Include project statistics'),
    license: bool().optional().describe('Include the license'),
    ...withAttributesParam,
  },
  // The license comes from git, but every move of a branch also writes to the database, and an asynchronous result
  // counts as read from all tables.
  pure: true,
  returns: ok(oneOf(ProjectSimple, Project)),
  run: ({ project: owner, params: { license: withLicense, ...options }, ...ctx }) => {
    if (withLicense) return withLicenseOf(ctx, owner, options)
    if (ctx.actor.kind === 'anonymous') return as(ProjectSimple, viewOf(ctx, owner))
    return as(Project, viewOf(ctx, owner, { ...options, permissions: true }))
  },
})

async function withLicenseOf(ctx: Ctx, owner: ProjectRow, options: ViewOptions): Promise<PresentedRow> {
  const mayRead = viewOf(ctx, owner).readsCode
  const license = mayRead ? await licenseOf(ctx, owner) : undefined
  const isAnonymous = ctx.actor.kind === 'anonymous'
  const view = viewOf(ctx, owner, { ...options, license, permissions: !isAnonymous })
  return as(isAnonymous ? ProjectSimple : Project, view) as PresentedRow
}

const createParams = {
  path: text().optional().describe('Path of the project; by default derived from the name'),
  default_branch: text({ max: 255 }).optional().describe('Name of the default branch'),
  initialize_with_readme: bool().optional().describe('Create a README in the first commit'),
  namespace_id: int().optional().describe('The ID of the namespace; by default that of the current user'),
  import_url: text({ max: 2048 }).optional().describe('Address to import from'),
  template_name: text({ max: 255 }).optional().describe('Name of the project template'),
  template_project_id: int().optional().describe('The ID of the project to use as template'),
  use_custom_template: bool().optional().describe('Use a template of a group'),
  group_with_project_templates_id: int().optional().describe('The ID of the group with the template'),
  ...createSettings,
}

const parameterRules = [exclusive('import_url', 'template_name', 'template_project_id')]

export const create = endpoint('POST /projects', {
  summary: 'Create a project',
  can: 'signed_in',
  params: { name: text().optional().describe('Name; by default the path'), ...createParams },
  parameterRules: [atLeastOne('name', 'path'), ...parameterRules],
  fails: { 400: INVALID, 403: 'The limit of personal projects is reached', 422: NO_REPOSITORY },
  returns: created(Project),
  run: async ({ params, ...ctx }) =>
    viewOf(ctx, await createProject(ctx, { ...params, columns: settingsToColumns(params) })),
})

export const createForUser = endpoint('POST /projects/user/:user_id', {
  summary: 'Create a project for a user',
  can: 'admin',
  params: { user_id: int().describe('The ID of the user'), name: text().describe('Name'), ...createParams },
  parameterRules,
  fails: { 400: INVALID, 422: NO_REPOSITORY },
  returns: created(Project),
  run: async ({ params: { user_id, ...params }, ...ctx }) =>
    viewOf(ctx, await createProjectFor(ctx, user_id, { ...params, columns: settingsToColumns(params) })),
})

const updateParams = {
  name: text().optional().describe('Name'),
  path: text().optional().describe('Path of the project'),
  default_branch: text({ max: 255 }).optional().describe('Name of the default branch'),
  ...editSettings,
}

export const update = endpoint('PUT /projects/:id', {
  summary: 'Update a project',
  scope: project,
  can: abilities.update_project,
  params: updateParams,
  parameterRules: [atLeastOne(...Object.keys(updateParams))],
  fails: { 400: INVALID, 422: 'The address to pull from is invalid' },
  returns: ok(Project),
  run: async ({ project: owner, params, ...ctx }) => {
    const { name, path, default_branch, import_url, avatar } = params
    const columnsOfSameName = Object.fromEntries(
      Object.entries({ name, path, default_branch, import_url }).filter(([, value]) => value !== undefined),
    )
    const columns = { ...columnsOfSameName, ...settingsToColumns(params, owner.container_expiration_policy) }
    return viewOf(ctx, await updateProject(ctx, owner, columns, avatar))
  },
})

export const members = memberEndpoints(
  project,
  {
    read: abilities.read_project_members,
    manage: abilities.manage_project_members,
    leave: abilities.leave_project,
  },
  projectSource,
)

export const attributes = customAttributeRoutes(project)

/**
 * Limits a list to the projects that a user owns or starred; `reference` is an id or a user name. Throws `404 User
 * Not Found`.
 */
function projectsOfUser(ctx: Ctx, reference: string, kind: 'owned' | 'starred'): ListRequest {
  const user = /^\d{1,15}$/.test(reference)
    ? userById(ctx.db, Number(reference))
    : userByUsername(ctx.db, reference)
  if (!user) throw notFound('User')
  if (kind === 'starred') return { starred_by: user.id }
  const namespace = namespaceOfUser(ctx.db, user.id)
  return { namespace_ids: namespace ? [namespace.id] : [] }
}
