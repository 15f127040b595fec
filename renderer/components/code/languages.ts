import { BY_ENDING, BY_NAME, FENCE_ALIASES, IMAGES, TITLES, TITLE_BY_ENDING } from './language-tables.ts'
import { t } from '../../locales/t.ts'

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase()
}

function ending(path: string): string {
  const name = baseName(path)
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot + 1)
}

function own<T>(table: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** The grammar for a file name; null for plain text. */
export function languageOf(path: string): string | null {
  const name = baseName(path)
  if (name.startsWith('dockerfile.')) return 'dockerfile'
  return own(BY_NAME, name) ?? own(BY_ENDING, ending(path)) ?? null
}

/** The name people use for the language of a file. */
export function languageTitle(path: string): string {
  const language = languageOf(path)
  if (!language) return t('code.plain_text')
  return (
    own(TITLE_BY_ENDING, ending(path)) ??
    own(TITLES, language) ??
    language[0]?.toUpperCase() + language.slice(1)
  )
}

/** The media type of a file a browser can draw, or null. */
export function imageType(path: string): string | null {
  return own(IMAGES, ending(path)) ?? null
}

/** A language named on a Markdown code fence (`ts`, `shell`, `Rust`). */
export function languageOfFence(name: string): string | null {
  const key = name.trim().toLowerCase()
  return own(BY_ENDING, key) ?? (FENCES.has(key) ? key : own(FENCE_ALIASES, key)) ?? null
}

const FENCES = new Set([...Object.values(BY_ENDING), ...Object.values(BY_NAME)])
