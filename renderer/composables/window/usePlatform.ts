import { t } from '../../locales/t.ts'

export type Platform = 'mac' | 'win' | 'web'

/** The kind of window frame: `win` for Windows and Linux, `web` for a browser. */
export const platform = (): Platform => {
  const desktop = window.desktop
  if (!desktop) return 'web'
  return desktop.platform === 'darwin' ? 'mac' : 'win'
}

/** Whether shortcuts are shown with ⌘. */
export const isMac = navigator.platform.startsWith('Mac')

const GLYPHS: Record<string, string> = {
  mod: isMac ? '⌘' : 'Ctrl',
  shift: isMac ? '⇧' : 'Shift',
  enter: '↵',
  escape: 'Esc',
  arrowup: '↑',
  arrowdown: '↓',
}

const glyph = (part: string) => GLYPHS[part.toLowerCase()] ?? (part.length === 1 ? part.toUpperCase() : part)

/** The chords of a shortcut as they are printed on this machine: `⌘K` or `Ctrl K`; `g p` is `G` and `P`. */
export const keyCaps = (keys: string): string[] =>
  keys.split(' ').map((chord) =>
    chord
      .split('+')
      .map(glyph)
      .join(isMac ? '' : ' '),
  )

/** The same in one text: `G then P`. */
export const keyLabel = (keys: string): string =>
  keyCaps(keys).reduce((first, second) => t('common.first_then_second', { first, second }))
