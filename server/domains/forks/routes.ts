import { endpoint } from '../../http/endpoint.ts'
import { bool, choice, int, text } from '../../http/params.ts'
import { created, noContent } from '../../http/returns.ts'
import { Project } from '../projects/entity.ts'
import { abilities, listParams, project, projectPage, showProjects, viewOf } from '../projects/index.ts'
import { forkProject, linkFork, unlinkFork } from './service.ts'

export const fork = endpoint('POST /projects/:id/fork', {
  summary: 'Fork a project; its repository is copied in the background',
  scope: project,
  can: abilities.fork_project,
  params: {
    namespace: text({ max: 1024 }).optional().describe('Id or full path of the namespace (older way)'),
    namespace_id: int({ min: 1 }).optional().describe('Id of the namespace; by default the own one'),
    namespace_path: text({ max: 1024 }).optional().describe('Full path of the namespace'),
    path: text({ max: 255 }).optional().describe('Last part of the address; by default the same'),
    name: text({ max: 255 }).optional().describe('Name; by default the same'),
    description: text().optional().describe('What the fork is; by default the same'),
    visibility: choice('private', 'internal', 'public')
      .optional()
      .describe('Who may see it; at most who may see the original'),
    mr_default_target_self: bool()
      .optional()
      .describe('Merge requests are for the fork itself, not for what it came from'),
  },
  fails: { 403: 'The limit of personal projects is reached', 409: 'Name or path are taken' },
  returns: created(Project),
  run: async ({ project: owner, params, ...ctx }) => viewOf(ctx, await forkProject(ctx, owner, params)),
})

export const listForks = endpoint('GET /projects/:id/forks', {
  summary: 'List the forks of a project that the caller can see',
  scope: project,
  can: abilities.read_project,
  params: listParams,
  pure: true,
  returns: projectPage,
  run: ({ project: owner, params, paging, ...ctx }) =>
    showProjects(ctx, { ...params, forked_from: owner.id }, paging),
})

export const link = endpoint('POST /projects/:id/fork/:forked_from_id', {
  summary: 'Make a project a fork of another',
  scope: project,
  can: abilities.link_fork,
  params: { forked_from_id: int({ min: 1 }).describe('Id of the project that it came from') },
  fails: { 409: 'Project already forked' },
  returns: created(Project),
  run: ({ project: owner, params, ...ctx }) => viewOf(ctx, linkFork(ctx, owner, params.forked_from_id)),
})

export const unlink = endpoint('DELETE /projects/:id/fork', {
  summary: 'Let a fork stand for itself',
  scope: project,
  can: abilities.unlink_fork,
  fails: { 304: 'It is no fork' },
  returns: noContent,
  run: ({ project: owner, ...ctx }) => unlinkFork(ctx, owner),
})
