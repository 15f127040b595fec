import type { BulkImport, BulkImportEntity } from '../../api/schema.gen.ts'

export type { BulkImport, BulkImportEntity }

const STEPS: Readonly<Record<string, string>> = {
  repositories: 'Copying wikis',
  relations: 'Reading groups',
  packing: 'Packing',
  unpacking: 'Unpacking',
  groups: 'Making groups',
}

/** The current step as text. */
export const stepText = (step: string | null): string => STEPS[step ?? ''] ?? 'Waiting for its turn'

/** The progress in percent; null if unknown. */
export const shareOf = (done: number, total: number): number | null =>
  total === 0 ? null : Math.min(100, Math.floor((done / total) * 100))

/** True while something is still to be done. */
export const isUnderWay = (status: string): boolean => status === 'created' || status === 'started'

const STATES: Readonly<Record<string, { label: string; meaning?: 'ok' | 'bad' | 'warn' | 'run' }>> = {
  created: { label: 'Waiting' },
  started: { label: 'Under way', meaning: 'run' },
  finished: { label: 'Done', meaning: 'ok' },
  timeout: { label: 'Too late', meaning: 'bad' },
  failed: { label: 'Failed', meaning: 'bad' },
  canceled: { label: 'Taken back' },
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
      return imported === source ? `${source} ${words}` : `${imported} of ${source} ${words}`
    })
    .join(', ')
