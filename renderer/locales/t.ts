/// <reference types="vite/client" />
import type messages from './en.json'
import de from './de.json?url'
import en from './en.json?url'
import { locale } from './locale.ts'

type Messages = typeof messages
/** `group.key` of every message in `en.json`. */
export type MessageKey = { [G in keyof Messages]: `${G}.${keyof Messages[G] & string}` }[keyof Messages]
/** A message, or its forms by the plural categories of the language. */
export type Message = string | { one?: string; few?: string; many?: string; other: string }
const FILES = { en, de }
type Value = string | number | null | undefined

/** Reads a file of texts. */
export const loadTexts = async <Texts>(address: string): Promise<Texts> => {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`The texts of the window answered with status ${response.status}.`)
  return (await response.json()) as Texts
}

const load = async (): Promise<Record<string, Record<string, Message>>> => {
  // Unit tests have no server.
  if (import.meta.env.MODE === 'test') return (await import('./en.json')).default
  return loadTexts(FILES[locale])
}

// Data, not code: the engine reads JSON faster than a module. Modules with texts at their top level wait here, so that
// every text exists when their code runs.
const groups = await load()
const plurals = new Intl.PluralRules(locale)
const numbers = new Intl.NumberFormat(locale)

const messageOf = (key: MessageKey): Message | undefined => {
  const dot = key.indexOf('.')
  return groups[key.slice(0, dot)]?.[key.slice(dot + 1)]
}

const formOf = (message: Message, count: Value): string => {
  if (typeof message === 'string') return message
  const form = plurals.select(Number(count ?? 0))
  return (form in message ? message[form as 'other'] : undefined) ?? message.other
}

/**
 * Returns the text of a message in the language of the window. `{name}` in the message becomes the value of that name;
 * nothing is left for null and undefined. `count` selects the plural form and is written as a number of the language.
 */
export const t = (key: MessageKey, values?: Record<string, Value>): string => {
  const message = messageOf(key)
  if (message === undefined) return key
  const text = formOf(message, values?.['count'])
  if (!values) return text
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    if (!(name in values)) return whole
    const value = values[name]
    return name === 'count' && typeof value === 'number' ? numbers.format(value) : String(value ?? '')
  })
}
