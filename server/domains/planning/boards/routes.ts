import type { Ctx } from '../../../ctx.ts'
import { endpoint, exactlyOne, type Endpoint } from '../../../http/endpoint.ts'
import { bool, int, list as listOf, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import type { Scope } from '../../../policy/ability.ts'
import { group, type Group } from '../../groups/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { project, projectById, viewOf, type Project } from '../../projects/index.ts'
import { usersById } from '../../users/index.ts'
import { groupOwner, projectOwner, type LabelOwner } from '../labels/owner.ts'
import { labelsByIds } from '../labels/store.ts'
import { milestonesByIds } from '../milestones/store.ts'
import type { BoardRow, ListRow } from './board.ts'
import { Board, BoardList, type BoardGroup, type BoardView, type ListView } from './entity.ts'
import { addList, findList, moveList, removeList } from './lists.ts'
import { abilities, groupAbilities } from './policy.ts'
import { createBoard, findBoard, updateBoard } from './service.ts'
import * as store from './store.ts'

const idsOf = (ids: readonly (number | null)[]): number[] => [
  ...new Set(ids.filter((id): id is number => id !== null)),
]

/** Lists with what they are about. */
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

/** Boards of one owner as their answers show them. */
function boardViews(ctx: Ctx, boards: readonly BoardRow[]): BoardView[] {
  const [first] = boards
  if (!first) return []
  const ids = boards.map((board) => board.id)
  const lists = listViews(ctx, store.listsOf(ctx.db, ids))
  const limits = store.labelIds(ctx.db, ids)
  const labels = labelsByIds(ctx.db, idsOf(limits.map((limit) => limit.label_id)))
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
    labels: limits
      .filter((limit) => limit.board_id === board.id)
      .flatMap((limit) => labels.get(limit.label_id) ?? []),
    lists: lists.filter((view) => view.list.board_id === board.id),
  }))
}

/** What the board endpoints of projects and those of groups differ in. */
interface BoardOwnerKind {
  readonly scope: Scope
  readonly thing: 'project' | 'group'
  /** First segments of the address, `/projects/:id/boards`. */
  readonly at: `/${string}`
  readonly can: { readonly read: never; readonly admin: never }
  owner(ctx: object): LabelOwner
}

/** Boards of projects. */
const ofProjects: BoardOwnerKind = {
  scope: project as unknown as Scope,
  thing: 'project',
  at: '/projects/:id/boards',
  can: { read: abilities.read_board as never, admin: abilities.admin_board as never },
  owner: (ctx) => projectOwner((ctx as { readonly project: Project }).project),
}

/** Boards of groups. */
const ofGroups: BoardOwnerKind = {
  scope: group as unknown as Scope,
  thing: 'group',
  at: '/groups/:id/boards',
  can: { read: groupAbilities.read_group_board as never, admin: groupAbilities.admin_group_board as never },
  owner: (ctx) => groupOwner((ctx as { readonly group: Group }).group),
}

const boardId = { board_id: int({ min: 1 }).describe('Id of the board') }
const listId = { ...boardId, list_id: int({ min: 1 }).describe('Id of the list') }
const name = () => text({ max: 255, notEmpty: true })

const shown = (ctx: Ctx, board: BoardRow) => boardViews(ctx, [board])[0]!
const shownList = (ctx: Ctx, list: ListRow) => listViews(ctx, [list])[0]!

function boardReads(kind: BoardOwnerKind): Endpoint[] {
  const { scope, thing, at } = kind
  const common = { scope, can: kind.can.read, pure: true }
  return [
    endpoint(`GET ${at}`, {
      ...common,
      summary: `List the boards of a ${thing}`,
      returns: page(Board),
      run: (ctx) => {
        const { rows, total } = store.list(ctx.db, kind.owner(ctx), ctx.paging)
        return { rows: boardViews(ctx, rows), total }
      },
    }),
    endpoint(`GET ${at}/:board_id`, {
      ...common,
      summary: `Get a board of a ${thing}`,
      params: boardId,
      returns: ok(Board),
      run: (ctx) => shown(ctx, findBoard(ctx, kind.owner(ctx), ctx.params.board_id)),
    }),
  ]
}

function boardWrites(kind: BoardOwnerKind): Endpoint[] {
  const { scope, thing, at } = kind
  const common = { scope, can: kind.can.admin }
  return [
    endpoint(`POST ${at}`, {
      ...common,
      summary: `Make a board in a ${thing}`,
      params: { name: name().describe('Name') },
      returns: created(Board),
      run: (ctx) => shown(ctx, createBoard(ctx, kind.owner(ctx), ctx.params.name)),
    }),
    endpoint(`PUT ${at}/:board_id`, {
      ...common,
      summary: `Change a board of a ${thing}`,
      params: {
        ...boardId,
        name: name().optional().describe('New name'),
        hide_backlog_list: bool().optional().describe('Do not show what has no list'),
        hide_closed_list: bool().optional().describe('Do not show what is closed'),
        milestone_id: int({ min: 0 })
          .nullable()
          .optional()
          .describe('Only what has this milestone; 0 for any'),
        assignee_id: int({ min: 0 })
          .nullable()
          .optional()
          .describe('Only what is assigned to this user; 0 for anybody'),
        weight: int({ min: 0 }).nullable().optional().describe('Only what has this weight'),
        labels: listOf(text()).optional().describe('Only what has all labels of these titles'),
      },
      fails: { 400: 'Milestone or user cannot be used here' },
      returns: ok(Board),
      run: (ctx) => {
        const { board_id, ...changes } = ctx.params
        const owner = kind.owner(ctx)
        return shown(ctx, updateBoard(ctx, owner, findBoard(ctx, owner, board_id), changes))
      },
    }),
    endpoint(`DELETE ${at}/:board_id`, {
      ...common,
      summary: `Delete a board of a ${thing}`,
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

function listReads(kind: BoardOwnerKind): Endpoint[] {
  const { scope, thing } = kind
  const at = `${kind.at}/:board_id/lists` as const
  const common = { scope, can: kind.can.read, pure: true }
  return [
    endpoint(`GET ${at}`, {
      ...common,
      summary: `List the lists of a board of a ${thing}`,
      params: boardId,
      returns: page(BoardList),
      run: (ctx) => {
        const board = findBoard(ctx, kind.owner(ctx), ctx.params.board_id)
        const rows = store.listsOf(ctx.db, [board.id])
        const { offset, limit } = ctx.paging
        return { rows: listViews(ctx, rows.slice(offset, offset + limit)), total: rows.length }
      },
    }),
    endpoint(`GET ${at}/:list_id`, {
      ...common,
      summary: `Get a list of a board of a ${thing}`,
      params: listId,
      returns: ok(BoardList),
      run: (ctx) => {
        const board = findBoard(ctx, kind.owner(ctx), ctx.params.board_id)
        return shownList(ctx, findList(ctx, board, ctx.params.list_id))
      },
    }),
  ]
}

function listWrites(kind: BoardOwnerKind): Endpoint[] {
  const { scope, thing } = kind
  const at = `${kind.at}/:board_id/lists` as const
  const common = { scope, can: kind.can.admin }
  return [
    endpoint(`POST ${at}`, {
      ...common,
      summary: `Add a list to a board of a ${thing}`,
      params: {
        ...boardId,
        label_id: int({ min: 1 }).optional().describe('Label that the list is for'),
        assignee_id: int({ min: 1 }).optional().describe('User that the list is for'),
        milestone_id: int({ min: 1 }).optional().describe('Milestone that the list is for'),
      },
      together: [exactlyOne('label_id', 'assignee_id', 'milestone_id')],
      fails: { 400: 'What the list is for cannot be used here, or has a list already' },
      returns: created(BoardList),
      run: (ctx) => {
        const { board_id, ...given } = ctx.params
        const owner = kind.owner(ctx)
        return shownList(ctx, addList(ctx, owner, findBoard(ctx, owner, board_id), given))
      },
    }),
    endpoint(`PUT ${at}/:list_id`, {
      ...common,
      summary: `Move a list of a board of a ${thing}`,
      params: { ...listId, position: int().describe('Place from the left, from 0') },
      fails: { 400: 'List could not be moved!' },
      returns: ok(BoardList),
      run: (ctx) => {
        const board = findBoard(ctx, kind.owner(ctx), ctx.params.board_id)
        const list = findList(ctx, board, ctx.params.list_id)
        return shownList(ctx, moveList(ctx, board, list, ctx.params.position))
      },
    }),
    endpoint(`DELETE ${at}/:list_id`, {
      ...common,
      summary: `Take a list off a board of a ${thing}`,
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

/** Boards of projects and of groups (spec core 6.4). */
export const boards: Endpoint[] = [ofProjects, ofGroups].flatMap((kind) => [
  ...boardReads(kind),
  ...boardWrites(kind),
  ...listReads(kind),
  ...listWrites(kind),
])
