/// <reference types="vite/client" />
import type { ApiError } from '../api/errors.ts'
import { locale } from './locale.ts'
import de from './server-errors.de.json?url'
import { loadTexts } from './t.ts'

type Texts = Readonly<Record<string, string>>

/**
 * Error sentences of the server, and their translations. `{1}` is a name or number in the sentence. The translation has
 * it as it is, or translated as `{1*}`.
 */
export interface ErrorTexts {
  /** Names of fields, which start a sentence. */
  readonly fields: Texts
  /** What is wrong with a field. It follows the name of the field, or stands next to the field without the name. */
  readonly rules: Texts
  /** Nouns and values that `{1*}` translates. */
  readonly words: Texts
  /** Whole sentences. */
  readonly sentences: Texts
}

const own = (texts: Texts, key: string): string | undefined =>
  Object.hasOwn(texts, key) ? texts[key] : undefined

const PLACEHOLDER = /\{\d\}/
const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
const literal = (text: string) => text.split(PLACEHOLDER).join('')
/** The longest part between the placeholders. Whether a text has it is quickly known. */
const longestPart = (text: string) =>
  text.split(PLACEHOLDER).reduce((longest, part) => (part.length > longest.length ? part : longest))

/** The regular expression for a sentence with placeholders. */
export const patternOf = (sentence: string): RegExp =>
  new RegExp(`^${sentence.split(PLACEHOLDER).map(escaped).join('(.+)')}$`, 's')

/** Finds the translation of a text. The pattern with the most words of its own wins. */
const finder = (texts: Texts, word: (text: string) => string) => {
  const patterns = Object.entries(texts)
    .filter(([english]) => PLACEHOLDER.test(english))
    .sort(([a], [b]) => literal(b).length - literal(a).length)
    .map(([english, german]) => ({ part: longestPart(english), pattern: patternOf(english), german }))
  return (text: string): string | undefined => {
    const whole = own(texts, text)
    if (whole !== undefined) return whole
    for (const { part, pattern, german } of patterns) {
      const match = text.includes(part) ? pattern.exec(text) : null
      if (match)
        return german.replaceAll(/\{(\d)(\*?)\}/g, (_, index: string, star: string) => {
          const value = match[Number(index)] ?? ''
          return star ? word(value) : value
        })
    }
    return undefined
  }
}

/** `403 Forbidden - ` in front of a sentence. */
const STATUS = /^\d{3} [A-Z][a-z]+(?: [a-z]+)? - /
const KEYS = /^(?:[a-z_]+(?::| config )|jobs |!reference \[|.+: .* in `extends`)/
const BETWEEN = /, | and |(?<=[.!?]) /g
/** A longer text is a list of something, not several sentences. */
const MAX_LENGTH = 1000
const MOST_WORDS = 6

/** Translates error sentences with these texts. What is not known as a whole stays English. */
export const errorTranslator = (texts: ErrorTexts) => {
  const word = (text: string): string =>
    own(texts.words, text) ?? own(texts.fields, text.replaceAll(' ', '_')) ?? translated(text) ?? text
  const sentenceOf = finder(texts.sentences, word)
  const ruleOf = finder(texts.rules, word)

  const labelOf = (field: string) => own(texts.fields, field) ?? `„${field}“`

  /** `Path has already been taken`, `order_by is invalid`. */
  const aboutField = (text: string): string | undefined => {
    const words = text.split(' ', MOST_WORDS)
    for (let count = words.length - 1; count > 0; count -= 1) {
      const subject = words.slice(0, count).join(' ')
      const field = subject.toLowerCase().replaceAll(' ', '_')
      const isField = Object.hasOwn(texts.fields, field) || /^[a-z0-9_]+(\[[^\]]*\])*$/.test(subject)
      const rule = isField ? ruleOf(text.slice(subject.length + 1)) : undefined
      if (rule !== undefined) return `${labelOf(field)} ${rule}`
    }
    return undefined
  }

  /** `jobs:test:script config should be a string`: the keys that lead to a value of a CI configuration. */
  const aboutKeys = (text: string): string | undefined => {
    if (!KEYS.test(text)) return undefined
    for (let at = text.indexOf(' '); at > 0; at = text.indexOf(' ', at + 1)) {
      const rule = ruleOf(text.slice(at + 1))
      if (rule !== undefined) return `„${text.slice(0, at).replace(/ config$|:$/, '')}“ ${rule}`
    }
    return undefined
  }

  const one = (text: string): string | undefined => {
    const found = own(texts.sentences, text) ?? aboutField(text) ?? sentenceOf(text) ?? aboutKeys(text)
    return found ?? (STATUS.test(text) ? one(text.replace(STATUS, '')) : undefined)
  }

  const joined = (list: readonly string[]) =>
    list.reduce((all, next) => `${all}${/[.!?]$/.test(all) ? '' : ','} ${next}`)

  /** Several sentences, which the server joins with commas or spaces. */
  const translated = (text: string): string | undefined => {
    const whole = one(text)
    if (whole !== undefined || text.length > MAX_LENGTH) return whole
    for (const { index, 0: separator } of text.matchAll(BETWEEN)) {
      const first = one(text.slice(0, index))
      const rest = first === undefined ? undefined : translated(text.slice(index + separator.length))
      if (first !== undefined && rest !== undefined) return joined([first, rest])
    }
    return undefined
  }

  const atField = (text: string) => ruleOf(text) ?? translated(text) ?? text

  return {
    text: (text: string): string => translated(text) ?? text,
    fields: (fields: Readonly<Record<string, string[]>>): Record<string, string[]> =>
      Object.fromEntries(Object.entries(fields).map(([field, list]) => [field, list.map(atField)])),
    /** The sentence about all fields. */
    summary: (fields: Readonly<Record<string, string[]>>): string =>
      joined(
        Object.entries(fields).flatMap(([field, list]) =>
          list.map((text) => {
            const rule = field === 'base' ? undefined : ruleOf(text)
            return rule === undefined ? atField(text) : `${labelOf(field)} ${rule}`
          }),
        ),
      ),
  }
}

const NONE: ErrorTexts = { fields: {}, rules: {}, words: {}, sentences: {} }
// Unit tests have no server.
const isEnglish = locale === 'en' || import.meta.env.MODE === 'test'
/** The German texts; none in an English window. */
export const errorTexts = isEnglish ? NONE : await loadTexts<ErrorTexts>(de)
const translator = errorTranslator(errorTexts)

/** What the server says about a failure, in the language of the window. */
export const errorText = translator.text

/** Translates an error of the API. The message of some is only a summary of what is wrong with the fields. */
export const translate = (error: ApiError, isSummary: boolean): void => {
  error.message = isSummary ? translator.summary(error.fields) : translator.text(error.message)
  error.fields = translator.fields(error.fields)
}
