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
    .describe('Only items with this action, or one of several'),
  author_id: ids().describe('Only items that this user, or one of several, caused'),
  project_id: ids().describe('Only items of this project, or of one of several'),
  group_id: ids().describe('Only items of this group and all below it, or of one of several'),
  type: list(choice(...TARGET_TYPES))
    .optional()
    .describe('Only items about this type of subject, or one of several'),
}
const stateParam = {
  state: list(choice('pending', 'done'))
    .optional()
    .describe('Only pending items (the default), or done ones'),
}
const idParam = { id: int({ min: 1 }).describe('Id of the item') }

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
  summary: 'Mark all to-do items, or those of a filter, as done',
  can: 'signed_in',
  params: { ...filterParams, ...stateParam },
  returns: noContent,
  run: ({ params, ...ctx }) => finishTodos(ctx, params),
})

const adding = {
  scope: project,
  can: abilities.keep_todo,
  fails: { 304: 'The item exists already' },
  returns: created(Todo),
}
const iid = (noun: string) => int({ min: 1 }).describe(`Number of the ${noun}`)

export const addIssue = endpoint('POST /projects/:id/issues/:issue_iid/todo', {
  summary: 'Create a to-do item for an issue',
  ...adding,
  params: { issue_iid: iid('issue') },
  run: (ctx) => markTodo(ctx, 'Issue', ctx.project, ctx.params.issue_iid),
})

export const addMergeRequest = endpoint('POST /projects/:id/merge_requests/:merge_request_iid/todo', {
  summary: 'Create a to-do item for a merge request',
  ...adding,
  params: { merge_request_iid: iid('merge request') },
  run: (ctx) => markTodo(ctx, 'MergeRequest', ctx.project, ctx.params.merge_request_iid),
})
