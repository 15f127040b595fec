/// <reference types="vite/client" />
import de from './server-texts.de.json?url'
import { locale } from './locale.ts'
import { loadTexts } from './t.ts'

/** Sentences that the server writes in English, and their translations. */
export interface ServerTexts {
  /** Whole sentences. */
  readonly texts: Readonly<Record<string, string>>
  /** Regular expressions for sentences with names in them, and what replaces them. */
  readonly sentences: readonly (readonly [pattern: string, replacement: string])[]
}

const NONE: ServerTexts = { texts: {}, sentences: [] }

// Unit tests have no server.
const isEnglish = locale === 'en' || import.meta.env.MODE === 'test'

const BETWEEN_SENTENCES = /(?<=[.!?]) (?=[A-Z0-9])/
/** The end of a list of people: `@a, @b, and @c`. */
const LAST_PERSON = /,? and (?=@)/g

/** Translates with these texts: sentence by sentence, and what is not known stays English. */
export const translator = ({ texts, sentences }: ServerTexts): ((text: string) => string) => {
  const patterns = sentences.map(([pattern, replacement]) => [new RegExp(pattern), replacement] as const)
  const known = (text: string) => (Object.hasOwn(texts, text) ? texts[text] : undefined)
  return (text) => {
    const whole = known(text)
    if (whole !== undefined) return whole
    const found = patterns.find(([pattern]) => pattern.test(text))
    if (found) return text.replace(...found).replaceAll(LAST_PERSON, ' und ')
    return text
      .split(BETWEEN_SENTENCES)
      .map((one) => known(one) ?? one)
      .join(' ')
  }
}

/** A text of the server in the language of the window. */
export const serverText = translator(isEnglish ? NONE : await loadTexts<ServerTexts>(de))
