import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, int, text } from '../../../http/params.ts'
import { created, noContent } from '../../../http/returns.ts'
import { Project } from '../../projects/entity.ts'
import { abilities, listParams, project, projectPage, showProjects, viewOf } from '../../projects/index.ts'
import { forkProject, linkFork, unlinkFork } from './service.ts'

export const fork = endpoint('POST /projects/:id/fork', {
  summary: 'Fork a project',
  scope: project,
  can: abilities.fork_project,
  params: {
    namespace: text({ max: 1024 }).optional().describe('The ID or path of the target namespace (deprecated)'),
    namespace_id: int({ min: 1 })
      .optional()
      .describe('The ID of the target namespace. Default: the personal namespace'),
    namespace_path: text({ max: 1024 }).optional().describe('The full path of the target namespace'),
    path: text({ max: 255 }).optional().describe('The path of the fork. Default: that of the project'),
    name: text({ max: 255 }).optional().describe('The name of the fork. Default: that of the project'),
    description: text().optional().describe('The description of the fork. Default: that of the project'),
    visibility: choice('private', 'internal', 'public')
      .optional()
      .describe('The visibility of the fork, at most that of the project'),
    mr_default_target_self: bool()
      .optional()
      .describe('Merge requests of the fork target the fork by default'),
  },
  fails: { 403: 'The limit of personal projects is reached', 409: 'The name or path is taken' },
  returns: created(Project),
  run: async ({ project: owner, params, ...ctx }) => viewOf(ctx, await forkProject(ctx, owner, params)),
})

export const listForks = endpoint('GET /projects/:id/forks', {
  summary: 'List forks of a project',
  scope: project,
  can: abilities.read_project,
  params: listParams,
  pure: true,
  returns: projectPage,
  run: ({ project: owner, params, paging, ...ctx }) =>
    showProjects(ctx, { ...params, forked_from: owner.id }, paging),
})

export const link = endpoint('POST /projects/:id/fork/:forked_from_id', {
  summary: 'Create a fork relationship between projects',
  scope: project,
  can: abilities.link_fork,
  params: { forked_from_id: int({ min: 1 }).describe('The ID of the project that was forked') },
  fails: { 409: 'Project already forked' },
  returns: created(Project),
  run: ({ project: owner, params, ...ctx }) => viewOf(ctx, linkFork(ctx, owner, params.forked_from_id)),
})

export const unlink = endpoint('DELETE /projects/:id/fork', {
  summary: 'Delete a fork relationship between projects',
  scope: project,
  can: abilities.unlink_fork,
  fails: { 304: 'The project is not a fork' },
  returns: noContent,
  run: ({ project: owner, ...ctx }) => unlinkFork(ctx, owner),
})
