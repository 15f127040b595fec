import { endpoint } from '../../http/endpoint.ts'
import { choice, int, list } from '../../http/params.ts'
import { created, noContent, page } from '../../http/returns.ts'
import { project } from '../projects/index.ts'
import { Todo } from './entity.ts'
import { abilities } from './policy.ts'
import { finishTodo, finishTodos, findTodos, markTodo, restoreTodo } from './service.ts'
import { ACTIONS, TARGET_TYPES } from './types.ts'

const ids = () => list(int(), { max: 100 }).optional()

const filterParams = {
  action: list(choice(...ACTIONS))
    .optional()
    .describe('Filter by one or several actions'),
  author_id: ids().describe('Filter by the IDs of one or several authors'),
  project_id: ids().describe('Filter by the IDs of one or several projects'),
  group_id: ids().describe('Filter by the IDs of one or several groups, with their subgroups and projects'),
  type: list(choice(...TARGET_TYPES))
    .optional()
    .describe('Filter by one or several types of the subject'),
}
const stateParam = {
  state: list(choice('pending', 'done')).optional().describe('Filter by state. Default: `pending`'),
}
const idParam = { id: int({ min: 1 }).describe('The ID of the to-do item') }

export const listTodos = endpoint('GET /todos', {
  summary: 'List to-do items',
  can: 'signed_in',
  params: { ...filterParams, ...stateParam },
  returns: page(Todo),
  run: ({ params, paging, ...ctx }) => findTodos(ctx, params, paging),
})

export const markAsDone = endpoint('POST /todos/:id/mark_as_done', {
  summary: 'Mark a to-do item as done',
  can: 'signed_in',
  params: idParam,
  returns: created(Todo),
  run: ({ params, ...ctx }) => finishTodo(ctx, params.id),
})

export const markAsPending = endpoint('POST /todos/:id/mark_as_pending', {
  summary: 'Mark a to-do item as pending',
  can: 'signed_in',
  params: idParam,
  returns: created(Todo),
  run: ({ params, ...ctx }) => restoreTodo(ctx, params.id),
})

export const markAllAsDone = endpoint('POST /todos/mark_as_done', {
  summary: 'Mark all to-do items that match the filters as done',
  can: 'signed_in',
  params: { ...filterParams, ...stateParam },
  returns: noContent,
  run: ({ params, ...ctx }) => finishTodos(ctx, params),
})

const common = {
  scope: project,
  can: abilities.keep_todo,
  fails: { 304: 'The to-do item exists already' },
  returns: created(Todo),
}
const iid = (noun: string) => int({ min: 1 }).describe(`The internal ID (IID) of the ${noun}`)

export const addIssue = endpoint('POST /projects/:id/issues/:issue_iid/todo', {
  summary: 'Create a to-do item for an issue',
  ...common,
  params: { issue_iid: iid('issue') },
  run: (ctx) => markTodo(ctx, 'Issue', ctx.project, ctx.params.issue_iid),
})

export const addMergeRequest = endpoint('POST /projects/:id/merge_requests/:merge_request_iid/todo', {
  summary: 'Create a to-do item for a merge request',
  ...common,
  params: { merge_request_iid: iid('merge request') },
  run: (ctx) => markTodo(ctx, 'MergeRequest', ctx.project, ctx.params.merge_request_iid),
})
