import type { Discussion, Note } from '../discussion/target.ts'
import { t } from '../../locales/t.ts'

type User = Note['author']
type Label = { name: string; color: string }
export type LabelEvent = {
  id: number
  user: User | null
  created_at: string
  action: string
  label?: Label | null
}
export type MilestoneEvent = {
  id: number
  user: User | null
  created_at: string
  action: string
  milestone?: { title: string } | null
}
export type StateEvent = { id: number; user: User | null; created_at: string; state: string }

/** Labels that a user added and removed in one action. */
export interface LabelChange {
  added: Label[]
  removed: Label[]
}

/** An entry of the timeline. */
export type TimelineEntry = { key: string; at: string } & (
  | { kind: 'note'; thread: Discussion; note: Note }
  | { kind: 'thread'; thread: Discussion }
  | { kind: 'system'; note: Note }
  | { kind: 'labels'; user: User | null; change: LabelChange }
  | { kind: 'said'; user: User | null; words: string; what?: string }
)

const STATE_WORDS: Record<string, string> = {
  closed: t('issuable.closed_this'),
  reopened: t('issuable.reopened_this'),
  opened: t('issuable.reopened_this'),
  merged: t('issuable.merged_this'),
}
const TOGETHER_MS = 2000

/** Notes, threads, system notes and resource events as one timeline, oldest first. */
export const timelineOf = (
  discussions: readonly Discussion[],
  events: {
    labels: readonly LabelEvent[]
    milestones: readonly MilestoneEvent[]
    states: readonly StateEvent[]
  },
): TimelineEntry[] => {
  const entries: TimelineEntry[] = [
    ...discussions.flatMap(entryOf),
    ...labelEntries(events.labels),
    ...events.milestones.map((event): TimelineEntry => ({
      key: `m${event.id}`,
      at: event.created_at,
      kind: 'said',
      user: event.user,
      words: event.action === 'add' ? t('issuable.set_the_milestone') : t('issuable.removed_the_milestone'),
      what: event.milestone?.title ?? t('issuable.a_deleted_one'),
    })),
    ...events.states.map((event): TimelineEntry => ({
      key: `s${event.id}`,
      at: event.created_at,
      kind: 'said',
      user: event.user,
      words: STATE_WORDS[event.state] ?? event.state,
    })),
  ]
  return entries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

const entryOf = (thread: Discussion): TimelineEntry[] => {
  const [first] = thread.notes
  if (!first) return []
  const key = `d${thread.id}`
  if (first.system) return [{ key, at: first.created_at, kind: 'system', note: first }]
  if (thread.individual_note) return [{ key, at: first.created_at, kind: 'note', thread, note: first }]
  return [{ key, at: first.created_at, kind: 'thread', thread }]
}

const labelEntries = (events: readonly LabelEvent[]): TimelineEntry[] => {
  const out: Extract<TimelineEntry, { kind: 'labels' }>[] = []
  for (const event of events) {
    const last = out.at(-1)
    const isSame =
      last?.user?.id === event.user?.id &&
      Math.abs(Date.parse(event.created_at) - Date.parse(last?.at ?? '')) < TOGETHER_MS
    const entry =
      last && isSame
        ? last
        : {
            key: `l${event.id}`,
            at: event.created_at,
            kind: 'labels' as const,
            user: event.user,
            change: { added: [], removed: [] },
          }
    if (entry !== last) out.push(entry)
    const label = event.label ?? { name: t('issuable.a_deleted_label'), color: '#888888' }
    const list: Label[] = event.action === 'add' ? entry.change.added : entry.change.removed
    list.push(label)
  }
  return out
}
