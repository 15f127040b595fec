import type { RepositoryStorage, StorageMoveLine } from '../../api/schema.gen.ts'
import { byteSize } from '../../composables/time.ts'
import { t } from '../../locales/t.ts'

export type Storage = RepositoryStorage
export type Move = StorageMoveLine
export type Kind = Move['kind']

/** Answers that are stale after a change of storages or moves. */
export const STALE = ['GET /-/admin/storages', 'GET /-/admin/storage_moves', 'GET /application/settings']

/** The kinds of repositories, in words. */
export const KINDS: readonly { value: Kind; label: string; one: string }[] = [
  { value: 'project', label: t('common.projects'), one: t('common.project') },
  { value: 'snippet', label: t('common.snippets'), one: t('storage.snippet') },
  { value: 'group', label: t('storage.group_wikis'), one: t('storage.group_wiki') },
]

/** The content of a storage as text. */
export const heldWords = ({ projects, snippets, group_wikis: wikis }: Storage): string => {
  const parts = [
    projects.count > 0 ? t('count.projects', { count: projects.count }) : null,
    snippets.count > 0 ? t('count.snippets', { count: snippets.count }) : null,
    wikis.count > 0 ? t('count.group_wikis', { count: wikis.count }) : null,
  ].filter(Boolean)
  return parts.length === 0 ? t('storage.empty') : parts.join(', ')
}

export const heldBytes = ({ projects, snippets, group_wikis: wikis }: Storage): number =>
  projects.bytes + snippets.bytes + wikis.bytes

export const isEmpty = ({ projects, snippets, group_wikis: wikis }: Storage): boolean =>
  projects.count + snippets.count + wikis.count === 0

/** Of a hundred new repositories, how many are made in this storage. */
export const shareOf = (storage: Storage, all: readonly Storage[]): number => {
  const total = all.reduce((sum, { weight }) => sum + weight, 0)
  // Without weights all repositories go to the default storage.
  if (total === 0) return storage.origin === 'built_in' ? 100 : 0
  return Math.round((storage.weight / total) * 100)
}

/** The used disk space in percent; null if unknown. */
export const fullness = ({ free_bytes: free, total_bytes: total }: Storage): number | null =>
  free === null || total === null || total === 0 ? null : Math.round((1 - free / total) * 100)

/** True while a move is running. */
export const isUnderWay = ({ state }: Move): boolean =>
  ['initial', 'scheduled', 'started', 'replicated'].includes(state)

/** The progress of the copy in percent. */
export const copied = ({ bytes_done: done, bytes_total: total }: Move): number =>
  total ? Math.min(100, Math.floor((done / total) * 100)) : 0

const WORDS: Readonly<Record<string, { word: string; tone?: 'ok' | 'bad' | 'run' }>> = {
  initial: { word: t('storage.scheduled') },
  scheduled: { word: t('storage.scheduled') },
  started: { word: t('storage.copying'), tone: 'run' },
  replicated: { word: t('storage.cleaning_up'), tone: 'run' },
  finished: { word: t('storage.moved'), tone: 'ok' },
  failed: { word: t('common.failed'), tone: 'bad' },
  'cleanup failed': { word: t('storage.old_copy_left'), tone: 'bad' },
}

/** The state of a move as text. */
export const stateOf = ({ state }: Move) => WORDS[state] ?? { word: state }

/** The details of a move below its title. */
export const aboutOf = (move: Move): string => {
  const way = `${move.source_storage_name} → ${move.destination_storage_name}`
  return move.bytes_total ? `${way} · ${byteSize(move.bytes_total)}` : way
}
