import type { Board, Card, Column, Patch } from './columns.ts'
import { t } from '../../locales/t.ts'

/** What the cards of a board are grouped by. */
export type GroupBy = 'none' | 'assignee' | 'milestone' | 'label'
export const GROUPINGS = [
  { value: 'none', label: t('boards.no_grouping') },
  { value: 'assignee', label: t('common.assignee') },
  { value: 'label', label: t('boards.label') },
  { value: 'milestone', label: t('common.milestone') },
] as const

/** A grouping by label leaves out the labels that are columns or the scope of the board. */
export type Grouping = { by: GroupBy; without: ReadonlySet<string> }

type Label = Board['labels'][number]

/** A row across all columns. Several assignees together have a lane of their own. */
export type Lane = {
  key: string
  title: string
  by: GroupBy
  assignees: Card['assignees']
  milestone: Card['milestone']
  label: Label | null
}

/** A card that is being dragged, and where it was. */
export type Dragged = { card: Card; column: Column; lane: Lane }

const NOTHING = { assignees: [], milestone: null, label: null }

/** The lane of all cards of a board that is not grouped. */
export const WHOLE: Lane = { key: '', title: '', by: 'none', ...NOTHING }

/** The board asks for labels with their colors. */
const labelsOf = (card: Pick<Card, 'labels'>) => card.labels as readonly Label[]

const labelLanes = (card: Pick<Card, 'labels'>, without: Grouping['without']): Lane[] => {
  const own = labelsOf(card).filter(({ name }) => !without.has(name))
  const by = 'label' as const
  if (own.length === 0) return [{ key: '', title: t('boards.no_label'), by, ...NOTHING }]
  return own.map((label) => ({ key: label.name, title: label.name, by, ...NOTHING, label }))
}

/** The lanes that a card belongs to: one for each of its labels, or a single one. */
export const lanesFor = (card: Card, { by, without }: Grouping): Lane[] => {
  if (by === 'none') return [WHOLE]
  if (by === 'label') return labelLanes(card, without)
  if (by === 'milestone') {
    const { milestone } = card
    const title = milestone?.title ?? t('boards.no_milestone')
    return [{ key: String(milestone?.id ?? ''), title, by, ...NOTHING, milestone }]
  }
  const assignees = card.assignees.toSorted((a, b) => a.name.localeCompare(b.name) || a.id - b.id)
  const title = assignees.map((one) => one.name).join(', ') || t('boards.unassigned')
  return [{ key: assignees.map((one) => one.id).join(','), title, by, ...NOTHING, assignees }]
}

export const isInLane = (card: Card, lane: Lane, grouping: Grouping): boolean =>
  lanesFor(card, grouping).some((one) => one.key === lane.key)

/** The lanes of some cards by title, with the lane of cards without an assignee, label or milestone at the end. */
export const lanesOf = (cards: readonly Card[], grouping: Grouping): Lane[] => {
  if (grouping.by === 'none') return [WHOLE]
  const lanes = new Map(cards.flatMap((card) => lanesFor(card, grouping)).map((lane) => [lane.key, lane]))
  return [...lanes.values()].sort(
    (a, b) => Number(a.key === '') - Number(b.key === '') || a.title.localeCompare(b.title),
  )
}

/** The card as it is once it has moved from one lane to another. Without a label it leaves the lanes of its other labels, too. */
export const withLane = (card: Card, from: Lane, to: Lane, { without }: Grouping): Card => {
  if (from.key === to.key) return card
  if (to.by === 'assignee') return { ...card, assignees: to.assignees }
  if (to.by === 'milestone') return { ...card, milestone: to.milestone }
  if (to.by === 'none') return card
  const { label } = to
  const stay = labelsOf(card).filter(({ name }) =>
    label ? name !== from.label?.name && name !== label.name : without.has(name),
  )
  return { ...card, labels: label ? [...stay, label] : stay }
}

const idsOf = (card: Card) => card.assignees.map((one) => one.id)
const sameSet = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((one) => b.includes(one))

/** The changes of an issue that make it what it is in another lane. */
export const lanePatch = (before: Card, after: Card, { by }: Grouping): Patch => {
  if (by === 'assignee') return sameSet(idsOf(before), idsOf(after)) ? {} : { assignee_ids: idsOf(after) }
  if (by === 'milestone')
    return before.milestone?.id === after.milestone?.id ? {} : { milestone_id: after.milestone?.id ?? 0 }
  if (by === 'none') return {}
  const [names, wanted] = [before, after].map((card) => labelsOf(card).map((one) => one.name))
  const added = wanted!.filter((name) => !names!.includes(name))
  const removed = names!.filter((name) => !wanted!.includes(name))
  return {
    ...(added.length > 0 ? { add_labels: added } : {}),
    ...(removed.length > 0 ? { remove_labels: removed } : {}),
  }
}

/** The changes of a move to another column and another lane. */
export const joinPatches = (column: Patch, lane: Patch): Patch => {
  const both = (field: 'add_labels' | 'remove_labels') => {
    const names = [...new Set([...(column[field] ?? []), ...(lane[field] ?? [])])]
    return names.length > 0 ? { [field]: names } : {}
  }
  return { ...column, ...lane, ...both('add_labels'), ...both('remove_labels') }
}

/** The index in a whole column of the card that comes at an index of one of its lanes. */
export const indexInColumn = (
  cards: readonly Card[],
  lane: Lane,
  index: number,
  grouping: Grouping,
): number => {
  const inLane = cards.filter((card) => isInLane(card, lane, grouping))
  const next = inLane[index]
  if (next) return cards.indexOf(next)
  const last = inLane.at(-1)
  return last ? cards.indexOf(last) + 1 : cards.length
}
