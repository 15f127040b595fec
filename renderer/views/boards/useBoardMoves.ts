import { useQueryCache, type UseQueryEntry } from '@pinia/colada'
import { until } from '@vueuse/core'
import { computed, nextTick, ref, shallowReactive, shallowRef } from 'vue'
import { api } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { readKey } from '../../api/keys.ts'
import { useToasts } from '../../stores/toasts.ts'
import { neighbourOf, patchOf, type Card, type Column, type Patch } from './columns.ts'
import {
  indexInColumn,
  isInLane,
  joinPatches,
  lanePatch,
  lanesOf,
  withLane,
  type Dragged,
  type Grouping,
  type Lane,
} from './swimlanes.ts'
import { t } from '../../locales/t.ts'

/** `index` counts in the whole column. */
type Position = { column: Column; lane: Lane; index: number }
type Lifted = { card: Card; from: Position; at: Position }

/** A card outside of the loaded part of a list would never appear. */
const SETTLE_MS = 3000

const isIssueList = (entry: UseQueryEntry) => /issues/.test(readKey(entry.key)?.endpoint ?? '')

/**
 * Moves of cards by mouse and keyboard. A moved card is shown in its new column at once; when the server refuses the move, it
 * returns and a message says why.
 */
export const useBoardMoves = (columns: () => readonly Column[], grouping: () => Grouping) => {
  const cache = useQueryCache()
  const toasts = useToasts()
  /** The cards that each column has loaded. */
  const loaded = shallowReactive(new Map<string, readonly Card[]>())
  /** Cards that are shown elsewhere until the server has moved them. */
  const moved = shallowReactive(new Map<number, Position & { card: Card }>())
  const lifted = shallowRef<Lifted | null>(null)
  const announcement = ref('')

  /** The cards of a column as they are shown. */
  const cardsOf = (key: string): readonly Card[] => {
    const now = lifted.value
    const elsewhere = [
      ...moved.values(),
      ...(now ? [{ ...now.at, card: withLane(now.card, now.from.lane, now.at.lane, grouping()) }] : []),
    ]
    const ids = new Set(elsewhere.map((one) => one.card.id))
    const cards = (loaded.get(key) ?? []).filter((one) => !ids.has(one.id))
    for (const one of elsewhere) if (one.column.key === key) cards.splice(one.index, 0, one.card)
    return cards
  }
  /** The lane that a lifted card comes from stays, so that it can return there. */
  const lanes = computed(() => {
    const cards = columns().flatMap((column) => cardsOf(column.key))
    return lanesOf(lifted.value ? [...cards, lifted.value.card] : cards, grouping())
  })
  /** The cards of a column in one lane. */
  const cellOf = (key: string, lane: Lane) => cardsOf(key).filter((card) => isInLane(card, lane, grouping()))

  const refetch = () => cache.invalidateQueries({ predicate: isIssueList }).catch(() => undefined)

  const send = async (card: Card, lanes: Patch, from: Position, to: Position): Promise<void> => {
    const issue = { id: card.project_id, issue_iid: card.iid }
    const patch = joinPatches(patchOf(card, from.column, to.column), lanes)
    if (Object.keys(patch).length > 0)
      await api('PUT /projects/:id/issues/:issue_iid', { ...issue, ...patch })
    const others = cardsOf(to.column.key).filter((one) => one.id !== card.id)
    const neighbour = to.column.kind === 'closed' ? null : neighbourOf(others, to.index, card.project_id)
    if (neighbour) await api('PUT /projects/:id/issues/:issue_iid/reorder', { ...issue, ...neighbour })
  }

  const titleOf = ({ column, lane }: Position) =>
    lane.title ? `${column.title}, ${lane.title}` : column.title

  /**
   * True once the columns have loaded the card where the server has it, in its new lanes. Events can repeat a request that is in
   * progress, so a list that is loaded after the move may be older.
   */
  const isLoadedIn = (card: Card, from: Position, to: Position): boolean => {
    const found = (key: string) => loaded.get(key)?.find((one) => one.id === card.id)
    const here = found(to.column.key)
    if (!here || (from.column.key !== to.column.key && found(from.column.key))) return false
    return [from.lane, to.lane].every(
      (lane) => isInLane(here, lane, grouping()) === isInLane(card, lane, grouping()),
    )
  }

  /** `before` is the card that an undo restores. */
  const move = async (card: Card, from: Position, to: Position, before?: Card): Promise<void> => {
    const isSame = from.column.key === to.column.key && from.lane.key === to.lane.key
    if (isSame && from.index === to.index) return
    const after = before ?? withLane(card, from.lane, to.lane, grouping())
    // An undo starts from what the move made of the card; the loaded one may be older.
    const present = before ? withLane(before, to.lane, from.lane, grouping()) : card
    moved.set(card.id, { ...to, card: after })
    try {
      await send(card, lanePatch(present, after, grouping()), from, to)
      await refetch()
      await until(() => isLoadedIn(after, from, to)).toBe(true, { timeout: SETTLE_MS })
      if (!before && !isSame) {
        toasts.show({
          text: t('boards.moved_short_to_title', { short: card.references.short, title: titleOf(to) }),
          action: { label: t('common.undo'), run: () => void undo(card, from, to) },
        })
      }
    } catch (error) {
      toasts.show({ text: messageOf(error), kind: 'bad' })
    } finally {
      const hasFocus = document.activeElement === elementOf(card.id, to.lane)
      moved.delete(card.id)
      if (hasFocus) void focusCard(card.id, to.lane)
    }
  }
  /** The issue has changed meanwhile; its loaded form knows its present assignees. */
  const undo = (card: Card, from: Position, to: Position): Promise<void> => {
    const present = loaded.get(to.column.key)?.find((one) => one.id === card.id) ?? card
    const { assignees, milestone, labels } = card
    return move(present, to, from, { ...present, assignees, milestone, labels })
  }

  const positionOf = ({ card, column, lane }: Dragged): Position => ({
    column,
    lane,
    index: Math.max(
      cardsOf(column.key).findIndex((one) => one.id === card.id),
      0,
    ),
  })
  const elementOf = (id: number, { key }: Lane) =>
    document.querySelector<HTMLElement>(`[data-lane="${CSS.escape(key)}"] [data-card="${id}"]`)
  const focusCard = async (id: number, lane: Lane) => {
    await nextTick()
    elementOf(id, lane)?.focus()
  }
  /** The position of a lifted card among the cards of its lane. */
  const rankInCell = (card: Card, at: Position) => {
    const cell = cellOf(at.column.key, at.lane)
    return { index: cell.findIndex((one) => one.id === card.id) + 1, count: cell.length }
  }
  const announce = (card: Card, at: Position) => {
    announcement.value = t('boards.title_position_index_of_count', {
      title: titleOf(at),
      ...rankInCell(card, at),
    })
  }

  const lift = (one: Dragged) => {
    const { card } = one
    const from = positionOf(one)
    lifted.value = { card, from, at: from }
    announcement.value = t('boards.picked_up_short_move_it_with_the_arrow', { short: card.references.short })
    void focusCard(card.id, from.lane)
  }
  const cancel = () => {
    const now = lifted.value
    lifted.value = null
    announcement.value = t('boards.canceled')
    if (now) void focusCard(now.card.id, now.from.lane)
  }
  const drop = () => {
    const now = lifted.value
    if (!now) return
    announcement.value = t('boards.dropped_in_title_position_index', {
      title: titleOf(now.at),
      index: rankInCell(now.card, now.at).index,
    })
    // Shown as moved before it is no longer lifted, so that it never jumps back.
    void move(now.card, now.from, now.at)
    lifted.value = null
    void focusCard(now.card.id, now.at.lane)
  }
  const step = (across: number, along: number) => {
    const now = lifted.value
    if (!now) return
    const all = columns()
    const column = all[all.findIndex((one) => one.key === now.at.column.key) + across]
    if (!column) return
    const othersIn = (lane: Lane) => cellOf(column.key, lane).filter((one) => one.id !== now.card.id)
    const present = cellOf(now.at.column.key, now.at.lane).findIndex((one) => one.id === now.card.id)
    let { lane } = now.at
    let index = present + along
    // Beyond the ends of a lane comes the one next to it.
    const neighbor = lanes.value[lanes.value.findIndex((one) => one.key === lane.key) + along]
    if (along !== 0 && neighbor && (index < 0 || index > othersIn(lane).length)) {
      lane = neighbor
      index = along < 0 ? othersIn(lane).length : 0
    }
    index = Math.min(Math.max(index, 0), othersIn(lane).length)
    const others = cardsOf(column.key).filter((one) => one.id !== now.card.id)
    const at = { column, lane, index: indexInColumn(others, lane, index, grouping()) }
    lifted.value = { ...now, at }
    announce(now.card, at)
    void focusCard(now.card.id, lane)
  }
  /** Moves a card to an index of a lane, as a drop does. */
  const dropAt = (one: Dragged, to: Position) => {
    const others = cardsOf(to.column.key).filter(({ id }) => id !== one.card.id)
    const index = indexInColumn(others, to.lane, to.index, grouping())
    return move(one.card, positionOf(one), { ...to, index })
  }

  return {
    announcement,
    cardsOf,
    cancel,
    cellOf,
    drop,
    dropAt,
    lanes,
    lift,
    isLifted: (card: Card, lane: Lane) =>
      lifted.value?.card.id === card.id && lifted.value.at.lane.key === lane.key,
    loaded,
    step,
  }
}
export type BoardMoves = ReturnType<typeof useBoardMoves>
