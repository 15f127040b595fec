import { computed } from 'vue'
import { api } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { usePage } from '../../api/usePage.ts'
import type { FilterOwner } from '../../components/filter/filters.ts'
import type { Board, Column } from './columns.ts'
import { t } from '../../locales/t.ts'

const STALE = ['GET /projects/:id/boards*', 'GET /groups/:id/boards*']

/** The boards of a project or group, and their changes. */
export const useBoards = (owner: () => NonNullable<FilterOwner>, boardId: () => number | null) => {
  const at = (kind: 'project' | 'group') =>
    owner().kind === kind ? { id: owner().id, page: 1, per_page: 100 } : null
  const ofProject = usePage('GET /projects/:id/boards', () => at('project'))
  const ofGroup = usePage('GET /groups/:id/boards', () => at('group'))
  const list = computed(() => (owner().kind === 'project' ? ofProject : ofGroup))
  const boards = computed(() => list.value.items.value as readonly Board[])
  const board = computed(() => boards.value.find((one) => one.id === boardId()) ?? boards.value[0])

  const isProject = () => owner().kind === 'project'
  const ownerParams = () => ({ id: owner().id })
  const create = useAction({
    report: 'form',
    invalidates: STALE,
    run: (name: string) =>
      isProject()
        ? api('POST /projects/:id/boards', { ...ownerParams(), name })
        : api('POST /groups/:id/boards', { ...ownerParams(), name }),
  })
  const update = useAction({
    report: 'form',
    invalidates: STALE,
    run: (
      one: Board,
      changes: { name?: string; hide_backlog_list?: boolean; hide_closed_list?: boolean },
    ): Promise<unknown> => {
      const params = { ...ownerParams(), board_id: one.id, ...changes }
      return isProject()
        ? api('PUT /projects/:id/boards/:board_id', params)
        : api('PUT /groups/:id/boards/:board_id', params)
    },
  })
  const remove = useAction({
    invalidates: STALE,
    done: t('boards.board_deleted'),
    run: (one: Board): Promise<unknown> =>
      isProject()
        ? api('DELETE /projects/:id/boards/:board_id', { ...ownerParams(), board_id: one.id })
        : api('DELETE /groups/:id/boards/:board_id', { ...ownerParams(), board_id: one.id }),
  })
  const addList = useAction({
    report: 'form',
    invalidates: STALE,
    run: (
      one: Board,
      of: { label_id?: number; assignee_id?: number; milestone_id?: number },
    ): Promise<unknown> => {
      const params = { ...ownerParams(), board_id: one.id, ...of }
      return isProject()
        ? api('POST /projects/:id/boards/:board_id/lists', params)
        : api('POST /groups/:id/boards/:board_id/lists', params)
    },
  })
  const moveList = useAction({
    invalidates: STALE,
    run: (one: Board, column: Column, position: number): Promise<unknown> => {
      const params = { ...ownerParams(), board_id: one.id, list_id: column.list?.id ?? 0, position }
      return isProject()
        ? api('PUT /projects/:id/boards/:board_id/lists/:list_id', params)
        : api('PUT /groups/:id/boards/:board_id/lists/:list_id', params)
    },
  })
  const removeList = useAction({
    invalidates: STALE,
    run: (one: Board, column: Column): Promise<unknown> => {
      const params = { ...ownerParams(), board_id: one.id, list_id: column.list?.id ?? 0 }
      return isProject()
        ? api('DELETE /projects/:id/boards/:board_id/lists/:list_id', params)
        : api('DELETE /groups/:id/boards/:board_id/lists/:list_id', params)
    },
  })
  const setLimit = useAction({
    report: 'form',
    invalidates: STALE,
    run: (one: Board, column: Column, max_issue_count: number): Promise<unknown> => {
      const params = { ...ownerParams(), board_id: one.id, list_id: column.list?.id ?? 0, max_issue_count }
      return isProject()
        ? api('PUT /-/projects/:id/boards/:board_id/lists/:list_id/limit', params)
        : api('PUT /-/groups/:id/boards/:board_id/lists/:list_id/limit', params)
    },
  })
  return { list, boards, board, create, update, remove, addList, moveList, removeList, setLimit }
}
