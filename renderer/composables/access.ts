import { t } from '../locales/t.ts'
/** The levels a member can have, lowest first. */
export const ACCESS_LEVELS = [
  { value: 10, label: t('common.guest') },
  { value: 20, label: t('common.reporter') },
  { value: 30, label: t('common.developer') },
  { value: 40, label: t('common.maintainer') },
  { value: 50, label: t('common.owner') },
] as const

/** A level with its word, as a choice. */
export type LevelOption = { value: number; label: string; disabled?: boolean }

const MINIMAL: LevelOption = { value: 5, label: t('common.minimal_access') }

/** What each level may do, in a few words. */
export const ACCESS_HELP: Readonly<Record<number, string>> = {
  5: t('common.member_of_the_group_without_access_to'),
  10: t('common.sees_the_project_and_takes_part_in'),
  20: t('common.also_reads_and_downloads_code'),
  30: t('common.pushes_to_unprotected_branches'),
  40: t('common.merges_into_protected_branches_and'),
  50: t('common.everything_including_transfer_and'),
}

/** The word for a level. */
export const accessLabel = (level: number): string =>
  [MINIMAL, ...ACCESS_LEVELS].find((one) => one.value === level)?.label ?? t('common.level_level', { level })

/** The access levels that a user may grant: up to their own level. Groups also have Minimal access. */
export const levelOptions = (kind: 'project' | 'group', upTo = 50): LevelOption[] => [
  ...(kind === 'group' ? [MINIMAL] : []),
  ...ACCESS_LEVELS.map((one) => ({ ...one, disabled: one.value > upTo })),
]
