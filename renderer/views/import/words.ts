import type { ImportProgress } from '../../api/schema.gen.ts'
import { count } from '../../composables/time.ts'

export type { ImportProgress }

const STEPS: Readonly<Record<string, string>> = {
  download: 'Fetching the archive',
  unpack: 'Unpacking',
  unpacking: 'Unpacking',
  repository: 'Copying the repository',
  wiki: 'Copying the wiki',
  tree: 'Reading records',
  uploads: 'Storing uploads',
  lfs: 'Storing large files',
  lfs_objects: 'Storing large files',
  snippets: 'Storing snippets',
  avatar: 'Storing the picture',
  statistics: 'Counting',
  finish: 'Finishing',
  base_data: 'Labels, milestones and releases',
  relations: 'Writing records',
  uploading: 'Sending the archive',
  packing: 'Packing',
  bundles: 'Packing repositories',
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The current step in words; a step without its own text has the name of what it imports. */
export const stepText = (status: string, step: string | null): string => {
  if (status === 'scheduled' || status === 'queued') return 'Waiting for its turn'
  return step ? (STEPS[step] ?? capital(step.replaceAll('_', ' '))) : 'Beginning'
}

/** The progress in percent; null if unknown. */
export const shareOf = ({ done, total }: { done: number; total: number }): number | null =>
  total > 0 ? Math.min(100, Math.floor((done / total) * 100)) : null

/** `1,204 of 3,870`, nothing where there is nothing to count. */
export const countText = ({ done, total }: { done: number; total: number }): string =>
  total > 0 ? `${count(done)} of ${count(total)}` : ''

export const isUnderWay = (status: string | undefined): boolean =>
  status === 'scheduled' || status === 'started'

const STATES: Readonly<Record<string, { label: string; meaning?: 'ok' | 'bad' | 'warn' | 'run' }>> = {
  scheduled: { label: 'Waiting' },
  started: { label: 'Under way', meaning: 'run' },
  finished: { label: 'Done', meaning: 'ok' },
  failed: { label: 'Failed', meaning: 'bad' },
  canceled: { label: 'Canceled' },
}

/** The state of an import as a tag. */
export const stateOf = (one: Pick<ImportProgress, 'status' | 'failures_count'>) =>
  one.status === 'finished' && one.failures_count > 0
    ? { label: 'Incomplete', meaning: 'warn' as const }
    : (STATES[one.status] ?? { label: one.status, meaning: undefined })

const TYPES: Readonly<Record<string, string>> = {
  hostA: 'code host',
  hostB_server: 'code server',
  git: 'address',
}

/** The source of the import as text. */
export const sourceText = ({ import_type, import_source }: ImportProgress): string => {
  // Templates are brought in as archives are, and called by their titles.
  const other = import_source && !/[./]/.test(import_source) ? 'template' : 'archive'
  const kind = TYPES[import_type ?? ''] ?? other
  return import_source ? `${import_source} · ${kind}` : capital(kind)
}

const KINDS: Readonly<Record<string, string>> = {
  diff_note: 'Comments on lines',
  lfs_object: 'Large files',
  note: 'Comments',
  note_attachment: 'Files in comments',
  protected_branch: 'Protected branches',
  pull_request_merged_by: 'Who merged',
  release_attachment: 'Files in releases',
}

/** Kinds of a source that are counted, in words. */
export const kindText = (kind: string): string => KINDS[kind] ?? `${capital(kind.replaceAll('_', ' '))}s`
