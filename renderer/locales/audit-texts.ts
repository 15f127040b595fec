/// <reference types="vite/client" />
import de from './audit-texts.de.json?url'
import { locale } from './locale.ts'
import { errorTexts, errorTranslator, type ErrorTexts } from './server-errors.ts'
import { loadTexts } from './t.ts'

/** Sentences of the audit log and their translations, written as those of errors are. */
export type AuditTexts = Pick<ErrorTexts, 'words' | 'sentences'>

/** Translates with these texts. Columns have the names of fields in errors. */
export const auditTranslator = ({ words, sentences }: AuditTexts, { fields }: Pick<ErrorTexts, 'fields'>) =>
  errorTranslator({ words, sentences, fields, rules: {} }).text

const NONE: AuditTexts = { words: {}, sentences: {} }
// Unit tests have no server.
const isEnglish = locale === 'en' || import.meta.env.MODE === 'test'
const texts = isEnglish ? NONE : await loadTexts<AuditTexts>(de)
const translate = auditTranslator(texts, errorTexts)

/** A sentence or name of the audit log in the language of the window. */
export const auditText = (text: string): string =>
  Object.hasOwn(texts.words, text) ? texts.words[text]! : translate(text)
