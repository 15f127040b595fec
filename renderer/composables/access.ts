/** The levels a member can have, lowest first. */
export const ACCESS_LEVELS = [
  { value: 10, label: 'Guest' },
  { value: 20, label: 'Reporter' },
  { value: 30, label: 'Developer' },
  { value: 40, label: 'Maintainer' },
  { value: 50, label: 'Owner' },
] as const

/** A level with its word, as a choice. */
export type LevelOption = { value: number; label: string; disabled?: boolean }

const MINIMAL: LevelOption = { value: 5, label: 'Minimal access' }

/** What each level may do, in a few words. */
export const ACCESS_HELP: Readonly<Record<number, string>> = {
  5: 'Member of the group without access to its contents.',
  10: 'Sees the project and writes in its discussions.',
  20: 'Reads and downloads the code, too.',
  30: 'Pushes to branches that are not protected.',
  40: 'Changes protected branches and the settings.',
  50: 'Everything, moving and deleting as well.',
}

/** The word for a level. */
export const accessLabel = (level: number): string =>
  [MINIMAL, ...ACCESS_LEVELS].find((one) => one.value === level)?.label ?? `Level ${level}`

/** The access levels that a user may grant: up to their own level. Groups also have Minimal access. */
export const levelOptions = (kind: 'project' | 'group', upTo = 50): LevelOption[] => [
  ...(kind === 'group' ? [MINIMAL] : []),
  ...ACCESS_LEVELS.map((one) => ({ ...one, disabled: one.value > upTo })),
]
