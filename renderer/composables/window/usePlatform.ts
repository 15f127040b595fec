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

/** `mod+k` as it is printed on this machine: `⌘K` or `Ctrl K`; `g p` becomes `G then P`. */
export const keyLabel = (keys: string): string =>
  keys
    .split(' ')
    .map((chord) =>
      chord
        .split('+')
        .map(glyph)
        .join(isMac ? '' : ' '),
    )
    .join(' then ')
