import { endpoint } from '../../../http/endpoint.ts'
import { int, text, choice } from '../../../http/params.ts'
import { accepted, created, ok, page } from '../../../http/returns.ts'
import { notFound } from '../../../lib/fail.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'
import { snippetById } from '../../snippets/index.ts'
import type { Ctx } from '../../../ctx.ts'
import { GroupStorageMove, ProjectStorageMove, SnippetStorageMove, StorageMoveLine } from './entity.ts'
import { scheduleMove } from './jobs.ts'
import {
  findMove,
  listMoves,
  scheduleBulkMove,
  withGroup,
  withGroups,
  withProject,
  withProjects,
  withSnippet,
  withSnippets,
  allMoves,
} from './service.ts'

export const listAllMoves = endpoint('GET /-/admin/storage_moves', {
  summary: 'List the storage moves of all kinds for the window',
  can: 'admin',
  params: {
    state: choice('open', 'failed').optional().describe('Limit to running or failed moves'),
  },
  returns: page(StorageMoveLine),
  run: ({ params, paging, ...ctx }) => allMoves(ctx, params, paging),
})

const can = 'admin' as const
const repository_storage_move_id = int().describe('The ID of the storage move')
const destination_storage_name = text({ max: 255, notEmpty: true })
  .optional()
  .describe('Name of the destination storage. By default it is selected by the storage weights')
const bulkParams = {
  source_storage_name: text({ max: 255, notEmpty: true }).describe('Name of the source storage'),
  destination_storage_name,
}
const fails = {
  400: 'The repository is already read-only, or the storage does not exist: `{"message": {"project": ["is read-only"]}}`',
}
const bulkFails = { 400: 'The storage does not exist: `{"error": "… does not have a valid value"}`' }
const id = { id: int().describe('The ID of the snippet') }

function snippetOf(ctx: Ctx, snippetId: number): number {
  if (!snippetById(ctx.db, snippetId)) throw notFound('Snippet')
  return snippetId
}

// Repositories of projects.

export const listOfProjects = endpoint('GET /project_repository_storage_moves', {
  summary: 'List all project repository storage moves, newest first',
  can,
  returns: page(ProjectStorageMove),
  run: (ctx) => withProjects(ctx, listMoves(ctx, { kind: 'project' }, ctx.paging)),
})

export const getOfProjects = endpoint('GET /project_repository_storage_moves/:repository_storage_move_id', {
  summary: 'Get a project repository storage move',
  can,
  params: { repository_storage_move_id },
  returns: ok(ProjectStorageMove),
  run: ({ params, ...ctx }) =>
    withProject(ctx, findMove(ctx, params.repository_storage_move_id, { kind: 'project' })),
})

export const moveProjects = endpoint('POST /project_repository_storage_moves', {
  summary: 'Schedule the storage moves of all project repositories on a storage',
  can,
  params: bulkParams,
  fails: bulkFails,
  returns: accepted,
  run: ({ params, ...ctx }) => scheduleBulkMove(ctx, 'project', params),
})

export const listOfProject = endpoint('GET /projects/:id/repository_storage_moves', {
  summary: 'List the repository storage moves of a project, newest first',
  scope: project,
  can,
  returns: page(ProjectStorageMove),
  run: ({ project: { id: container_id }, paging, ...ctx }) =>
    withProjects(ctx, listMoves(ctx, { kind: 'project', container_id }, paging)),
})

export const getOfProject = endpoint(
  'GET /projects/:id/repository_storage_moves/:repository_storage_move_id',
  {
    summary: 'Get a repository storage move of a project',
    scope: project,
    can,
    params: { repository_storage_move_id },
    returns: ok(ProjectStorageMove),
    run: ({ project: { id: container_id }, params, ...ctx }) =>
      withProject(ctx, findMove(ctx, params.repository_storage_move_id, { kind: 'project', container_id })),
  },
)

export const moveProject = endpoint('POST /projects/:id/repository_storage_moves', {
  summary: 'Schedule a repository storage move of a project',
  scope: project,
  can,
  params: { destination_storage_name },
  fails,
  returns: created(ProjectStorageMove),
  run: ({ project: { id: container }, params, ...ctx }) => {
    const { destination_storage_name: destination } = params
    return withProject(ctx, scheduleMove(ctx, 'project', container, { destination, actor_id: ctx.actor.id }))
  },
})

// Snippets.

export const listOfSnippets = endpoint('GET /snippet_repository_storage_moves', {
  summary: 'List all snippet repository storage moves, newest first',
  can,
  returns: page(SnippetStorageMove),
  run: (ctx) => withSnippets(ctx, listMoves(ctx, { kind: 'snippet' }, ctx.paging)),
})

export const getOfSnippets = endpoint('GET /snippet_repository_storage_moves/:repository_storage_move_id', {
  summary: 'Get a snippet repository storage move',
  can,
  params: { repository_storage_move_id },
  returns: ok(SnippetStorageMove),
  run: ({ params, ...ctx }) =>
    withSnippet(ctx, findMove(ctx, params.repository_storage_move_id, { kind: 'snippet' })),
})

export const moveSnippets = endpoint('POST /snippet_repository_storage_moves', {
  summary: 'Schedule the storage moves of all snippet repositories on a storage',
  can,
  params: bulkParams,
  fails: bulkFails,
  returns: accepted,
  run: ({ params, ...ctx }) => scheduleBulkMove(ctx, 'snippet', params),
})

export const listOfSnippet = endpoint('GET /snippets/:id/repository_storage_moves', {
  summary: 'List the repository storage moves of a snippet, newest first',
  can,
  params: id,
  returns: page(SnippetStorageMove),
  run: ({ params, paging, ...ctx }) => {
    const container_id = snippetOf(ctx, params.id)
    return withSnippets(ctx, listMoves(ctx, { kind: 'snippet', container_id }, paging))
  },
})

export const getOfSnippet = endpoint(
  'GET /snippets/:id/repository_storage_moves/:repository_storage_move_id',
  {
    summary: 'Get a repository storage move of a snippet',
    can,
    params: { ...id, repository_storage_move_id },
    returns: ok(SnippetStorageMove),
    run: ({ params, ...ctx }) => {
      const container_id = snippetOf(ctx, params.id)
      return withSnippet(
        ctx,
        findMove(ctx, params.repository_storage_move_id, { kind: 'snippet', container_id }),
      )
    },
  },
)

export const moveSnippet = endpoint('POST /snippets/:id/repository_storage_moves', {
  summary: 'Schedule a repository storage move of a snippet',
  can,
  params: { ...id, destination_storage_name },
  fails,
  returns: created(SnippetStorageMove),
  run: ({ params, ...ctx }) => {
    const { destination_storage_name: destination } = params
    const input = { destination, actor_id: ctx.actor.id }
    return withSnippet(ctx, scheduleMove(ctx, 'snippet', snippetOf(ctx, params.id), input))
  },
})

// Wikis of groups.

export const listOfGroups = endpoint('GET /group_repository_storage_moves', {
  summary: 'List all group repository storage moves, newest first',
  can,
  returns: page(GroupStorageMove),
  run: (ctx) => withGroups(ctx, listMoves(ctx, { kind: 'group' }, ctx.paging)),
})

export const getOfGroups = endpoint('GET /group_repository_storage_moves/:repository_storage_move_id', {
  summary: 'Get a group repository storage move',
  can,
  params: { repository_storage_move_id },
  returns: ok(GroupStorageMove),
  run: ({ params, ...ctx }) =>
    withGroup(ctx, findMove(ctx, params.repository_storage_move_id, { kind: 'group' })),
})

export const moveGroups = endpoint('POST /group_repository_storage_moves', {
  summary: 'Schedule the storage moves of all group repositories on a storage',
  can,
  params: bulkParams,
  fails: bulkFails,
  returns: accepted,
  run: ({ params, ...ctx }) => scheduleBulkMove(ctx, 'group', params),
})

export const listOfGroup = endpoint('GET /groups/:id/repository_storage_moves', {
  summary: 'List the repository storage moves of a group, newest first',
  scope: group,
  can,
  returns: page(GroupStorageMove),
  run: ({ group: { id: container_id }, paging, ...ctx }) =>
    withGroups(ctx, listMoves(ctx, { kind: 'group', container_id }, paging)),
})

export const getOfGroup = endpoint('GET /groups/:id/repository_storage_moves/:repository_storage_move_id', {
  summary: 'Get a repository storage move of a group',
  scope: group,
  can,
  params: { repository_storage_move_id },
  returns: ok(GroupStorageMove),
  run: ({ group: { id: container_id }, params, ...ctx }) =>
    withGroup(ctx, findMove(ctx, params.repository_storage_move_id, { kind: 'group', container_id })),
})

export const moveGroup = endpoint('POST /groups/:id/repository_storage_moves', {
  summary: 'Schedule a repository storage move of a group',
  scope: group,
  can,
  params: { destination_storage_name },
  fails,
  returns: created(GroupStorageMove),
  run: ({ group: { id: container }, params, ...ctx }) => {
    const { destination_storage_name: destination } = params
    return withGroup(ctx, scheduleMove(ctx, 'group', container, { destination, actor_id: ctx.actor.id }))
  },
})
