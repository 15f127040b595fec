import type { BulkImport, BulkImportEntity } from '../../api/schema.gen.ts'
import { t } from '../../locales/t.ts'

export type { BulkImport, BulkImportEntity }

const STEPS: Readonly<Record<string, string>> = {
  repositories: t('group_transfer.copying_wikis'),
  relations: t('group_transfer.reading_groups'),
  packing: t('group_transfer.packing'),
  unpacking: t('group_transfer.unpacking'),
  groups: t('group_transfer.creating_groups'),
}

/** The current step as text. */
export const stepText = (step: string | null): string => STEPS[step ?? ''] ?? t('group_transfer.queued')

/** The progress in percent; null if unknown. */
export const shareOf = (done: number, total: number): number | null =>
  total === 0 ? null : Math.min(100, Math.floor((done / total) * 100))

/** True while something is still to be done. */
export const isUnderWay = (status: string): boolean => status === 'created' || status === 'started'

const STATES: Readonly<Record<string, { label: string; meaning?: 'ok' | 'bad' | 'warn' | 'run' }>> = {
  created: { label: t('common.waiting') },
  started: { label: t('common.in_progress'), meaning: 'run' },
  finished: { label: t('common.done'), meaning: 'ok' },
  timeout: { label: t('group_transfer.timed_out'), meaning: 'bad' },
  failed: { label: t('common.failed'), meaning: 'bad' },
  canceled: { label: t('group_transfer.canceled') },
}

/** A state of taking over, as people read it. */
export const stateOf = (status: string) => STATES[status] ?? { label: status }

/** Relations with exactly one record, which are not shown. */
const PLAIN = new Set(['namespace_settings', 'project_feature', 'ci_cd_settings', 'self'])

/** Relations with what came of them, the largest first: `120 issues, 4 of 5 labels`. */
export const countsText = ({ stats }: Pick<BulkImportEntity, 'stats'>): string =>
  Object.entries(stats)
    .filter(([name, { source }]) => source > 0 && !PLAIN.has(name))
    .sort(([, a], [, b]) => b.source - a.source)
    .slice(0, 5)
    .map(([name, { source, imported }]) => {
      const words = name.replaceAll('_', ' ')
      return imported === source
        ? `${source} ${words}`
        : t('group_transfer.imported_of_source_words', { imported, source, words })
    })
    .join(', ')
