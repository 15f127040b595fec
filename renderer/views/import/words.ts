import type { ImportProgress } from '../../api/schema.gen.ts'
import { count } from '../../composables/time.ts'
import { t } from '../../locales/t.ts'

export type { ImportProgress }

const STEPS: Readonly<Record<string, string>> = {
  download: t('import.fetching_the_archive'),
  unpack: t('import.unpacking'),
  unpacking: t('import.unpacking'),
  repository: t('import.copying_the_repository'),
  wiki: t('import.copying_the_wiki'),
  tree: t('import.reading_records'),
  uploads: t('import.storing_uploads'),
  lfs: t('import.storing_large_files'),
  lfs_objects: t('import.storing_large_files'),
  snippets: t('import.storing_snippets'),
  avatar: t('import.storing_the_picture'),
  statistics: t('import.counting'),
  finish: t('import.finishing'),
  base_data: t('import.labels_milestones_and_releases'),
  relations: t('import.writing_records'),
  uploading: t('import.uploading_the_archive'),
  packing: t('import.packing'),
  bundles: t('import.packing_repositories'),
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The current step in words; a step without its own text has the name of what it imports. */
export const stepText = (status: string, step: string | null): string => {
  if (status === 'scheduled' || status === 'queued') return t('import.queued')
  return step ? (STEPS[step] ?? capital(step.replaceAll('_', ' '))) : t('import.starting')
}

/** The progress in percent; null if unknown. */
export const shareOf = ({ done, total }: { done: number; total: number }): number | null =>
  total > 0 ? Math.min(100, Math.floor((done / total) * 100)) : null

/** `1,204 of 3,870`, nothing where there is nothing to count. */
export const countText = ({ done, total }: { done: number; total: number }): string =>
  total > 0 ? t('import.done_of_total', { done: count(done), total: count(total) }) : ''

export const isUnderWay = (status: string | undefined): boolean =>
  status === 'scheduled' || status === 'started'

const STATES: Readonly<Record<string, { label: string; meaning?: 'ok' | 'bad' | 'warn' | 'run' }>> = {
  scheduled: { label: t('common.waiting') },
  started: { label: t('common.in_progress'), meaning: 'run' },
  finished: { label: t('common.done'), meaning: 'ok' },
  failed: { label: t('common.failed'), meaning: 'bad' },
  canceled: { label: t('import.canceled') },
}

/** The state of an import as a tag. */
export const stateOf = (one: Pick<ImportProgress, 'status' | 'failures_count'>) =>
  one.status === 'finished' && one.failures_count > 0
    ? { label: t('import.incomplete'), meaning: 'warn' as const }
    : (STATES[one.status] ?? { label: one.status, meaning: undefined })

const TYPES: Readonly<Record<string, string>> = {
  hostA: t('import.code_host'),
  hostB_server: t('import.code_server'),
  git: t('common.url'),
}

/** The source of the import as text. */
export const sourceText = ({ import_type, import_source }: ImportProgress): string => {
  // Templates are brought in as archives are, and called by their titles.
  const other = import_source && !/[./]/.test(import_source) ? 'template' : 'archive'
  const kind = TYPES[import_type ?? ''] ?? other
  return import_source ? `${import_source} · ${kind}` : capital(kind)
}

const KINDS: Readonly<Record<string, string>> = {
  diff_note: t('import.line_comments'),
  lfs_object: t('import.lfs_objects'),
  note: t('common.comments'),
  note_attachment: t('import.comment_attachments'),
  protected_branch: t('common.protected_branches'),
  pull_request_merged_by: t('import.merged_by'),
  release_attachment: t('import.release_assets'),
}

/** Kinds of a source that are counted, in words. */
export const kindText = (kind: string): string => KINDS[kind] ?? `${capital(kind.replaceAll('_', ' '))}s`
