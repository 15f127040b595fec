import type { Card, Patch } from './columns.ts'
import { t } from '../../locales/t.ts'

/** What the cards of a board are grouped by. */
export type GroupBy = 'none' | 'assignee' | 'milestone'
export const GROUPINGS = [
  { value: 'none', label: t('boards.no_grouping') },
  { value: 'assignee', label: t('common.assignee') },
  { value: 'milestone', label: t('common.milestone') },
] as const

/** A row across all columns. Several assignees together have a lane of their own. */
export type Lane = {
  key: string
  title: string
  by: GroupBy
  assignees: Card['assignees']
  milestone: Card['milestone']
}

/** The lane of all cards of a board that is not grouped. */
export const WHOLE: Lane = { key: '', title: '', by: 'none', assignees: [], milestone: null }

/** The lane that a card belongs to. */
export const laneOf = (card: Pick<Card, 'assignees' | 'milestone'>, by: GroupBy): Lane => {
  if (by === 'none') return WHOLE
  if (by === 'milestone') {
    const { milestone } = card
    const title = milestone?.title ?? t('boards.no_milestone')
    return { key: String(milestone?.id ?? ''), title, by, assignees: [], milestone }
  }
  const assignees = card.assignees.toSorted((a, b) => a.name.localeCompare(b.name) || a.id - b.id)
  const title = assignees.map((one) => one.name).join(', ') || t('boards.unassigned')
  return { key: assignees.map((one) => one.id).join(','), title, by, assignees, milestone: null }
}

/** The lanes of some cards by title, with the lane of cards without an assignee or milestone at the end. */
export const lanesOf = (cards: readonly Card[], by: GroupBy): Lane[] => {
  if (by === 'none') return [WHOLE]
  const lanes = new Map(cards.map((card) => laneOf(card, by)).map((lane) => [lane.key, lane]))
  return [...lanes.values()].sort(
    (a, b) => Number(a.key === '') - Number(b.key === '') || a.title.localeCompare(b.title),
  )
}

/** The card as it is once it has moved to a lane. */
export const withLane = (card: Card, lane: Lane): Card => {
  if (lane.by === 'assignee') return { ...card, assignees: lane.assignees }
  return lane.by === 'milestone' ? { ...card, milestone: lane.milestone } : card
}

/** The changes of an issue that move it to a lane. */
export const lanePatch = (from: Lane, to: Lane): Patch => {
  if (from.key === to.key || to.by === 'none') return {}
  if (to.by === 'milestone') return { milestone_id: to.milestone?.id ?? 0 }
  return { assignee_ids: to.assignees.map((one) => one.id) }
}

/** The index in a whole column of the card that comes at an index of one of its lanes. */
export const indexInColumn = (cards: readonly Card[], lane: Lane, index: number): number => {
  const inLane = cards.filter((card) => laneOf(card, lane.by).key === lane.key)
  const next = inLane[index]
  if (next) return cards.indexOf(next)
  const last = inLane.at(-1)
  return last ? cards.indexOf(last) + 1 : cards.length
}
