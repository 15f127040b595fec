import type { Item } from '../../api/client.ts'
import { isColour, readableOn } from './colours.ts'

/** A broadcast message. */
export type Broadcast = Item<'GET /-/broadcast_messages'>

/** The colours of the themes, background and text; each pair is read with at least 4.5 to 1. */
export const THEMES = {
  indigo: ['#292961', '#ffffff'],
  'light-indigo': ['#4b4ba3', '#ffffff'],
  blue: ['#1a3652', '#ffffff'],
  'light-blue': ['#2261a1', '#ffffff'],
  green: ['#0e4328', '#ffffff'],
  'light-green': ['#156b39', '#ffffff'],
  red: ['#691911', '#ffffff'],
  'light-red': ['#a62e21', '#ffffff'],
  dark: ['#303030', '#ffffff'],
  light: ['#f0f0f0', '#333333'],
} as const
export type Theme = keyof typeof THEMES

const USUAL = 'indigo'

/** The colors of a message: its own colors, those of its theme, or a readable text color. */
export const coloursOf = (said: { color: string | null; font: string | null; theme: string }) => {
  const [background, text] = THEMES[said.theme as Theme] ?? THEMES[USUAL]
  const font = said.font && isColour(said.font) ? said.font : null
  if (said.color && isColour(said.color))
    return { background: said.color, color: font ?? readableOn(said.color) }
  return { background, color: font ?? text }
}

/** Whether a path matches a pattern with `*` wildcards, case-insensitive. */
export const matchesPath = (pattern: string | null, path: string): boolean => {
  if (!pattern) return true
  const [first = '', ...rest] = pattern.toLowerCase().split('*')
  const text = (path.startsWith('/') ? path : `/${path}`).toLowerCase()
  if (rest.length === 0) return text === first
  if (!text.startsWith(first)) return false
  const last = rest.pop() ?? ''
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** Where a window is and who looks at it. */
export type Sight = {
  now: number
  path: string
  /** The user's role in the shown project or group, or null. */
  level: number | null
}

/** Whether a message is shown there and then. */
export const isShown = (message: Broadcast, { now, path, level }: Sight): boolean =>
  Date.parse(message.starts_at) <= now &&
  now < Date.parse(message.ends_at) &&
  matchesPath(message.target_path, path) &&
  (message.target_access_levels.length === 0 ||
    (level !== null && message.target_access_levels.includes(level)))

/** Whether a message can be dismissed. A notification always can, because it covers the page. */
export const canPutAway = (message: Pick<Broadcast, 'broadcast_type' | 'dismissable'>): boolean =>
  message.dismissable || message.broadcast_type === 'notification'
