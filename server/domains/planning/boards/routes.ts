import type { Ctx } from '../../../ctx.ts'
import { ownedEndpoint, exactlyOne, type Endpoint } from '../../../http/endpoint.ts'
import { bool, int, list as listOf, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import type { Ability, Scope } from '../../../policy/ability.ts'
import { group, type Group } from '../../groups/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { project, projectById, viewOf, type Project } from '../../projects/index.ts'
import { usersById } from '../../users/index.ts'
import { groupOwner, projectOwner, type PlanningOwner } from '../types-owner.ts'
import type { OwnerContext } from '../labels/owner-kind.ts'
import { labelsByIds } from '../labels/store.ts'
import { milestonesByIds } from '../milestones/store.ts'
import type { BoardRow, ListRow } from './store.ts'
import { Board, BoardList, type BoardGroup, type BoardView, type ListView } from './entity.ts'
import { addList, findList, limitList, moveList, removeList } from './lists.ts'
import { abilities, groupAbilities } from '../policy.ts'
import { createBoard, findBoard, updateBoard } from './service.ts'
import * as store from './store.ts'

const idsOf = (ids: readonly (number | null)[]): number[] => [
  ...new Set(ids.filter((id): id is number => id !== null)),
]

/** Loads lists with their labels, assignees and milestones. */
function listViews(ctx: Ctx, lists: readonly ListRow[]): ListView[] {
  const labels = labelsByIds(ctx.db, idsOf(lists.map((list) => list.label_id)))
  const users = usersById(ctx.db, idsOf(lists.map((list) => list.assignee_id)))
  const milestones = milestonesByIds(ctx.db, idsOf(lists.map((list) => list.milestone_id)))
  return lists.map((list) => ({
    list,
    label: labels.get(list.label_id ?? 0),
    assignee: users.get(list.assignee_id ?? 0),
    milestone: milestones.get(list.milestone_id ?? 0),
  }))
}

/** Loads the views of the boards of one owner. */
function boardViews(ctx: Ctx, boards: readonly BoardRow[]): BoardView[] {
  const [first] = boards
  if (!first) return []
  const ids = boards.map((board) => board.id)
  const lists = listViews(ctx, store.listsOf(ctx.db, ids))
  const boardLabels = store.labelIds(ctx.db, ids)
  const labels = labelsByIds(ctx.db, idsOf(boardLabels.map((boardLabel) => boardLabel.label_id)))
  const users = usersById(ctx.db, idsOf(boards.map((board) => board.assignee_id)))
  const milestones = milestonesByIds(ctx.db, idsOf(boards.map((board) => board.milestone_id)))
  const project = first.project_id === null ? undefined : viewOf(ctx, projectById(ctx.db, first.project_id)!)
  const group = first.group_id === null ? undefined : namespaceById(ctx.db, first.group_id)
  return boards.map((board) => ({
    board,
    project,
    group: group as BoardGroup | undefined,
    milestone: milestones.get(board.milestone_id ?? 0),
    assignee: users.get(board.assignee_id ?? 0),
    labels: boardLabels
      .filter((boardLabel) => boardLabel.board_id === board.id)
      .flatMap((boardLabel) => labels.get(boardLabel.label_id) ?? []),
    lists: lists.filter((view) => view.list.board_id === board.id),
  }))
}

/** The differences between the board endpoints of projects and of groups. */
interface BoardOwnerKind<Name extends string, Owner> {
  readonly scope: Scope<Name, Owner>
  readonly noun: 'project' | 'group'
  /** The path of the list of boards, such as `/projects/:id/boards`. */
  readonly path: `/${string}`
  readonly can: { readonly read: Ability<Owner>; readonly admin: Ability<Owner> }
  owner(ctx: OwnerContext<Name, Owner>): PlanningOwner
}

const projectKind: BoardOwnerKind<'project', Project> = {
  scope: project,
  noun: 'project',
  path: '/projects/:id/boards',
  can: { read: abilities.read_board, admin: abilities.admin_board },
  owner: (ctx) => projectOwner(ctx.project),
}

const groupKind: BoardOwnerKind<'group', Group> = {
  scope: group,
  noun: 'group',
  path: '/groups/:id/boards',
  can: { read: groupAbilities.read_group_board, admin: groupAbilities.admin_group_board },
  owner: (ctx) => groupOwner(ctx.group),
}

const boardId = { board_id: int({ min: 1 }).describe('The ID of the board') }
const listId = { ...boardId, list_id: int({ min: 1 }).describe('The ID of the list') }
const name = () => text({ max: 255, notEmpty: true })

const boardView = (ctx: Ctx, board: BoardRow) => boardViews(ctx, [board])[0]!
const listView = (ctx: Ctx, list: ListRow) => listViews(ctx, [list])[0]!

function boardReads<Name extends string, Owner>(kind: BoardOwnerKind<Name, Owner>): Endpoint[] {
  const { scope, noun, path } = kind
  const common = { scope, can: kind.can.read, pure: true }
  return [
    ownedEndpoint(`GET ${path}`, {
      ...common,
      summary: `List ${noun} issue boards`,
      returns: page(Board),
      run: (ctx) => {
        const { rows, total } = store.list(ctx.db, kind.owner(ctx), ctx.paging)
        return { rows: boardViews(ctx, rows), total }
      },
    }),
    ownedEndpoint(`GET ${path}/:board_id`, {
      ...common,
      summary: `Get a ${noun} issue board`,
      params: boardId,
      returns: ok(Board),
      run: (ctx) => boardView(ctx, findBoard(ctx, kind.owner(ctx), ctx.params.board_id)),
    }),
  ]
}

function boardWrites<Name extends string, Owner>(kind: BoardOwnerKind<Name, Owner>): Endpoint[] {
  const { scope, noun, path } = kind
  const common = { scope, can: kind.can.admin }
  return [
    ownedEndpoint(`POST ${path}`, {
      ...common,
      summary: `Create a ${noun} issue board`,
      params: { name: name().describe('The name of the board') },
      returns: created(Board),
      run: (ctx) => boardView(ctx, createBoard(ctx, kind.owner(ctx), ctx.params.name)),
    }),
    ownedEndpoint(`PUT ${path}/:board_id`, {
      ...common,
      summary: `Update a ${noun} issue board`,
      params: {
        ...boardId,
        name: name().optional().describe('The new name of the board'),
        hide_backlog_list: bool().optional().describe('Hide the backlog list'),
        hide_closed_list: bool().optional().describe('Hide the closed list'),
        milestone_id: int({ min: 0 })
          .nullable()
          .optional()
          .describe('Show only issues with this milestone, by ID. `0` shows all'),
        assignee_id: int({ min: 0 })
          .nullable()
          .optional()
          .describe('Show only issues of this assignee, by ID. `0` shows all'),
        weight: int({ min: 0 }).nullable().optional().describe('Show only issues with this weight'),
        labels: listOf(text()).optional().describe('Show only issues with all of these labels, by title'),
      },
      fails: { 400: 'The milestone or user does not exist, or the board cannot use it' },
      returns: ok(Board),
      run: (ctx) => {
        const { board_id, ...changes } = ctx.params
        const owner = kind.owner(ctx)
        return boardView(ctx, updateBoard(ctx, owner, findBoard(ctx, owner, board_id), changes))
      },
    }),
    ownedEndpoint(`DELETE ${path}/:board_id`, {
      ...common,
      summary: `Delete a ${noun} issue board`,
      params: boardId,
      returns: noContent,
      run: (ctx) => {
        const board = findBoard(ctx, kind.owner(ctx), ctx.params.board_id)
        ctx.http.unmodifiedSince(board.updated_at)
        store.remove(ctx.db, board.id)
      },
    }),
  ]
}

function listReads<Name extends string, Owner>(kind: BoardOwnerKind<Name, Owner>): Endpoint[] {
  const { scope, noun } = kind
  const path = `${kind.path}/:board_id/lists` as const
  const common = { scope, can: kind.can.read, pure: true }
  return [
    ownedEndpoint(`GET ${path}`, {
      ...common,
      summary: `List ${noun} board lists`,
      params: boardId,
      returns: page(BoardList),
      run: (ctx) => {
        const board = findBoard(ctx, kind.owner(ctx), ctx.params.board_id)
        const rows = store.listsOf(ctx.db, [board.id])
        const { offset, limit } = ctx.paging
        return { rows: listViews(ctx, rows.slice(offset, offset + limit)), total: rows.length }
      },
    }),
    ownedEndpoint(`GET ${path}/:list_id`, {
      ...common,
      summary: `Get a ${noun} board list`,
      params: listId,
      returns: ok(BoardList),
      run: (ctx) => {
        const board = findBoard(ctx, kind.owner(ctx), ctx.params.board_id)
        return listView(ctx, findList(ctx, board, ctx.params.list_id))
      },
    }),
  ]
}

function listWrites<Name extends string, Owner>(kind: BoardOwnerKind<Name, Owner>): Endpoint[] {
  const { scope, noun } = kind
  const path = `${kind.path}/:board_id/lists` as const
  const common = { scope, can: kind.can.admin }
  return [
    ownedEndpoint(`POST ${path}`, {
      ...common,
      summary: `Create a ${noun} board list`,
      params: {
        ...boardId,
        label_id: int({ min: 1 }).optional().describe('The ID of the label of the list'),
        assignee_id: int({ min: 1 }).optional().describe('The ID of the assignee of the list'),
        milestone_id: int({ min: 1 }).optional().describe('The ID of the milestone of the list'),
      },
      parameterRules: [exactlyOne('label_id', 'assignee_id', 'milestone_id')],
      fails: { 400: 'The board cannot use the label, assignee or milestone, or already has a list for it' },
      returns: created(BoardList),
      run: (ctx) => {
        const { board_id, ...changes } = ctx.params
        const owner = kind.owner(ctx)
        return listView(ctx, addList(ctx, owner, findBoard(ctx, owner, board_id), changes))
      },
    }),
    ownedEndpoint(`PUT ${path}/:list_id`, {
      ...common,
      summary: `Reorder a ${noun} board list`,
      params: { ...listId, position: int().describe('The new position of the list, counted from 0') },
      fails: { 400: 'List could not be moved!' },
      returns: ok(BoardList),
      run: (ctx) => {
        const board = findBoard(ctx, kind.owner(ctx), ctx.params.board_id)
        const list = findList(ctx, board, ctx.params.list_id)
        return listView(ctx, moveList(ctx, board, list, ctx.params.position))
      },
    }),
    ownedEndpoint(`PUT /-${path}/:list_id/limit`, {
      ...common,
      summary: `Limit the issues of a ${noun} board list`,
      params: {
        ...listId,
        max_issue_count: int({ min: 0, max: 10_000 }).describe(
          'The maximum number of issues. `0` removes the limit',
        ),
      },
      returns: ok(BoardList),
      run: (ctx) => {
        const board = findBoard(ctx, kind.owner(ctx), ctx.params.board_id)
        const list = findList(ctx, board, ctx.params.list_id)
        return listView(ctx, limitList(ctx, board, list, ctx.params.max_issue_count))
      },
    }),
    ownedEndpoint(`DELETE ${path}/:list_id`, {
      ...common,
      summary: `Delete a ${noun} board list`,
      params: listId,
      returns: noContent,
      run: (ctx) => {
        const board = findBoard(ctx, kind.owner(ctx), ctx.params.board_id)
        const list = findList(ctx, board, ctx.params.list_id)
        ctx.http.unmodifiedSince(list.updated_at)
        removeList(ctx, board, list)
      },
    }),
  ]
}

/** Declares the board endpoints of projects or groups (spec core 6.4). */
function endpointsOf<Name extends string, Owner>(kind: BoardOwnerKind<Name, Owner>): Endpoint[] {
  return [...boardReads(kind), ...boardWrites(kind), ...listReads(kind), ...listWrites(kind)]
}

export const boards: Endpoint[] = [...endpointsOf(projectKind), ...endpointsOf(groupKind)]
