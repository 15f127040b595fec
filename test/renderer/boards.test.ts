import { describe, expect, it } from 'vitest'
import {
  columnsOf,
  filtersOf,
  isOutside,
  neighbourOf,
  patchOf,
  type Board,
  type Card,
  type Column,
} from '../../renderer/views/boards/columns.ts'
import {
  indexInColumn,
  joinPatches,
  lanePatch,
  lanesFor,
  lanesOf,
  WHOLE,
  withLane,
  type GroupBy,
  type Lane,
} from '../../renderer/views/boards/swimlanes.ts'

const list = (id: number, of: object) => ({ id, position: id, ...of })
const board = {
  hide_backlog_list: false,
  hide_closed_list: false,
  labels: [{ name: 'team' }],
  milestone: null,
  assignee: null,
  lists: [
    list(2, { assignee: { id: 7, name: 'Ada', username: 'ada' } }),
    list(1, { label: { name: 'doing', color: '#123456' } }),
    list(3, { milestone: { id: 4, title: '1.0' } }),
  ],
} as unknown as Board
const columns = columnsOf(board)
const [open, doing, ada, milestone, closed] = columns as [Column, Column, Column, Column, Column]
const card = (fields: object): Card => ({ assignees: [], milestone: null, ...fields }) as unknown as Card

describe('the columns of a board', () => {
  it('are open issues, the lists by position, and closed issues', () => {
    expect(columns.map((column) => column.title)).toEqual(['Open', 'doing', 'Ada', '1.0', 'Closed'])
    expect(columnsOf({ ...board, hide_backlog_list: true, hide_closed_list: true })).toHaveLength(3)
  })

  it('filter issues by the list and by the board', () => {
    expect(filtersOf(board, doing, columns)).toMatchObject({ state: 'opened', labels: ['team', 'doing'] })
    expect(filtersOf(board, ada, columns)).toMatchObject({ assignee_username: ['ada'], labels: ['team'] })
    expect(filtersOf(board, open, columns)).toMatchObject({ not: { labels: ['doing'] } })
    expect(filtersOf(board, closed, columns)).toMatchObject({ state: 'closed', not: undefined })
  })

  it('show an open issue outside of the lists once', () => {
    expect(isOutside(card({}), columns)).toBe(true)
    expect(isOutside(card({ milestone: { id: 4 } }), columns)).toBe(false)
    expect(isOutside(card({ assignees: [{ id: 7 }] }), columns)).toBe(false)
  })
})

describe('the lanes of a grouped board', () => {
  const [ada, ben] = [
    { id: 7, name: 'Ada' },
    { id: 3, name: 'Ben' },
  ]
  const cards = [
    card({ id: 1, assignees: [ben] }),
    card({ id: 2, assignees: [] }),
    card({ id: 3, assignees: [ben, ada] }),
    card({ id: 4, assignees: [ada, ben], milestone: { id: 4, title: '1.0' } }),
    card({ id: 5, assignees: [ben] }),
  ]
  const by = (kind: GroupBy) => ({ by: kind, without: new Set(['doing', 'team']) })
  const titles = (lanes: readonly Lane[]) => lanes.map((lane) => lane.title)
  /** The changes of a card that moves from one lane to another. */
  const change = (card: Card, from: Lane, to: Lane) =>
    lanePatch(card, withLane(card, from, to, by(to.by)), by(to.by))

  it('are one for each set of assignees or milestone, with the rest at the end', () => {
    expect(lanesOf(cards, by('none'))).toEqual([WHOLE])
    expect(titles(lanesOf(cards, by('assignee')))).toEqual(['Ada, Ben', 'Ben', 'Unassigned'])
    expect(titles(lanesOf(cards, by('milestone')))).toEqual(['1.0', 'No milestone'])
  })

  it('update a card that moves between them', () => {
    const [pair, single, free] = lanesOf(cards, by('assignee')) as [Lane, Lane, Lane]
    expect(change(cards[1]!, free, pair)).toEqual({ assignee_ids: [7, 3] })
    expect(change(cards[0]!, single, free)).toEqual({ assignee_ids: [] })
    expect(change(cards[0]!, single, single)).toEqual({})
    const moved = withLane(cards[0]!, single, free, by('assignee'))
    expect(lanesFor(moved, by('assignee'))[0]!.key).toBe(free.key)
    const [first, rest] = lanesOf(cards, by('milestone')) as [Lane, Lane]
    expect(change(cards[0]!, rest, first)).toEqual({ milestone_id: 4 })
    expect(change(cards[3]!, first, rest)).toEqual({ milestone_id: 0 })
  })

  it('are one for each label that is no column and not the scope of the board', () => {
    const named = (...names: string[]) => ({ labels: names.map((name) => ({ name, color: '#123456' })) })
    const both = card({ id: 6, ...named('team', 'bug', 'doing', 'ui') })
    const bug = card({ id: 7, ...named('team', 'bug') })
    const none = card({ id: 8, ...named('team', 'doing') })
    const lanes = lanesOf([none, bug, both], by('label'))
    expect(titles(lanes)).toEqual(['bug', 'ui', 'No label'])
    const [atBug, atUi, rest] = lanes as [Lane, Lane, Lane]
    expect(titles(lanesFor(both, by('label')))).toEqual(['bug', 'ui'])

    expect(change(bug, atBug, atUi)).toEqual({ add_labels: ['ui'], remove_labels: ['bug'] })
    expect(change(both, atBug, atUi)).toEqual({ remove_labels: ['bug'] })
    expect(change(none, rest, atUi)).toEqual({ add_labels: ['ui'] })
    expect(change(both, atUi, rest)).toEqual({ remove_labels: ['bug', 'ui'] })
    expect(change(both, atUi, atUi)).toEqual({})
    // Undo restores all labels that the card had.
    const emptied = withLane(both, atUi, rest, by('label'))
    expect(lanePatch(emptied, both, by('label'))).toEqual({ add_labels: ['bug', 'ui'] })
  })

  it('update labels together with the column', () => {
    const column = { add_labels: ['review'], remove_labels: ['doing'] }
    expect(joinPatches(column, { add_labels: ['ui'], remove_labels: ['doing', 'bug'] })).toEqual({
      add_labels: ['review', 'ui'],
      remove_labels: ['doing', 'bug'],
    })
    expect(joinPatches({ state_event: 'close' }, { milestone_id: 4 })).toEqual({
      state_event: 'close',
      milestone_id: 4,
    })
  })

  it('have their own order within a column', () => {
    const [, single, free] = lanesOf(cards, by('assignee')) as [Lane, Lane, Lane]
    const indexOf = (of: readonly Card[], lane: Lane, index: number) =>
      indexInColumn(of, lane, index, by('assignee'))
    expect(indexOf(cards, single, 0)).toBe(0)
    expect(indexOf(cards, single, 1)).toBe(4)
    expect(indexOf(cards, single, 2)).toBe(5)
    expect(indexOf(cards, free, 1)).toBe(2)
    expect(indexOf([], free, 0)).toBe(0)
  })
})

describe('moving a card', () => {
  const assigned = card({ assignees: [{ id: 7 }, { id: 9 }] })

  it('updates what the two lists filter by', () => {
    expect(patchOf(card({}), open, doing)).toEqual({ add_labels: ['doing'] })
    expect(patchOf(card({}), doing, open)).toEqual({ remove_labels: ['doing'] })
    expect(patchOf(assigned, ada, milestone)).toEqual({ assignee_ids: [9], milestone_id: 4 })
    expect(patchOf(card({}), milestone, ada)).toEqual({ assignee_ids: [7], milestone_id: 0 })
  })

  it('closes and reopens the issue', () => {
    expect(patchOf(card({}), doing, closed)).toEqual({ state_event: 'close' })
    expect(patchOf(card({}), closed, doing)).toEqual({ state_event: 'reopen', add_labels: ['doing'] })
    expect(patchOf(card({}), doing, doing)).toEqual({})
  })

  it('finds its neighbour in the same project', () => {
    const cards = [
      card({ id: 1, project_id: 1 }),
      card({ id: 2, project_id: 2 }),
      card({ id: 3, project_id: 1 }),
    ]
    expect(neighbourOf(cards, 2, 1)).toEqual({ move_before_id: 1 })
    expect(neighbourOf(cards, 0, 2)).toEqual({ move_after_id: 2 })
    expect(neighbourOf(cards, 3, 5)).toBeNull()
  })
})
