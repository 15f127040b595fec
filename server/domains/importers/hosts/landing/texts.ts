import { CannotLand } from './cannot-land.ts'

const MAX_TEXT = 1_000_000
const MAX_TITLE = 255

/** A text as it can be stored: no NUL, no halves of characters, not endless. */
export function textOf(text: string | null | undefined): string {
  return (text ?? '').replaceAll('\0', '').toWellFormed().slice(0, MAX_TEXT)
}

/** A title: one line of at most 255 characters; `fallback` where there is none. */
export function titleOf(title: string | null | undefined, fallback: string): string {
  const line = textOf(title).replace(/\s+/g, ' ').trim()
  return [...(line || fallback)].slice(0, MAX_TITLE).join('')
}

/** A time as columns keep it. Throws CannotLand for what is none. */
export function timeOf(time: string): string {
  const value = Date.parse(time)
  if (Number.isNaN(value)) throw new CannotLand('A time is no time.')
  return new Date(value).toISOString()
}

/** The same, null where there is none. */
export function maybeTime(time: string | null | undefined): string | null {
  return time ? timeOf(time) : null
}
