import { t } from '../locales/t.ts'

/** The error of a failed request: the message of the server and the affected fields. */
export class ApiError extends Error {
  /** HTTP status; 0 when no answer came at all. */
  readonly status: number
  /** The message as the server wrote it, for code that has to know which one it is. */
  readonly original: string
  /** Messages by parameter name, for the form that sent them. */
  fields: Record<string, string[]>
  /** The answer, for a view that reads more of it. */
  body: Record<string, unknown> | undefined

  constructor(status: number, message: string, fields: Record<string, string[]> = {}) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.original = message
    this.fields = fields
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const texts = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return Object.values(value ?? {}).flatMap(texts)
}

const sentence = (field: string, text: string) =>
  field === 'base'
    ? text
    : `${field.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase())} ${text}`

const fieldsOf = (message: Record<string, unknown>) => {
  const fields: Record<string, string[]> = {}
  for (const [key, value] of Object.entries(message)) {
    // `project_namespace.path` concerns the same control as `path`.
    const list = (fields[key.replace(/^.*\./, '')] ??= [])
    for (const text of texts(value)) if (!list.includes(text)) list.push(text)
  }
  return fields
}

const PARAMETER = /^([a-zA-Z0-9_]+(?:\[[^\]]*\])*) ((?:is|does|has|should|must) .+)$/

/** `name is missing, path is invalid` is one sentence per parameter. */
const parameterFields = (text: string) => {
  const fields: Record<string, string[]> = {}
  for (const part of text.split(', ')) {
    const [, name, rule] = PARAMETER.exec(part) ?? []
    // `Username has already been taken` is about `username`.
    if (name && rule) (fields[name.toLowerCase()] ??= []).push(rule)
  }
  return fields
}

const PRINTED_HASH = /:([a-z_]+)=>\[([^\]]*)\]/g

/** Some answers carry a hash printed into the sentence: `{:path=>["has already been taken"]}`. */
const printedFields = (text: string) => {
  const fields: Record<string, string[]> = {}
  for (const [, key, list] of text.matchAll(PRINTED_HASH)) {
    if (key) fields[key] = [...(list ?? '').matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '')
  }
  return fields
}

const summary = (fields: Record<string, string[]>) =>
  Object.entries(fields)
    .flatMap(([field, list]) => list.map((text) => sentence(field, text)))
    .join(', ')

const fromText = (status: number, text: string) => {
  const printed = printedFields(text)
  const message = summary(printed)
  if (message) return new ApiError(status, message, printed)
  return new ApiError(status, text, parameterFields(text))
}

/**
 * Turns the body of a refused request into an error. Knows the family's shapes: `error` as text, `message` as text,
 * list, hash of fields or nested error, the OAuth pair, and plain text.
 */
export const toApiError = (status: number, body: unknown): ApiError => {
  const error = readError(status, body)
  if (isRecord(body)) error.body = body
  return error
}

/** Translates an error. The message of some is only a summary of what is wrong with the fields. */
type Translate = (error: ApiError, isSummary: boolean) => Promise<void>
let translate: Translate | undefined

/** Sets what translates the errors of the server. Without it they stay English. */
export const translateErrors = (by: Translate) => {
  translate = by
}

/** As `toApiError`, in the language of the window. */
export const refusalOf = async (status: number, body: unknown): Promise<ApiError> => {
  const error = toApiError(status, body)
  await translate?.(error, error.message === summary(error.fields))
  return error
}

const readError = (status: number, body: unknown): ApiError => {
  // Not a page.
  if (typeof body === 'string' && /^\s*[^<\s]/.test(body)) return new ApiError(status, body.trim())
  if (isRecord(body)) {
    if (typeof body.error_description === 'string') return new ApiError(status, body.error_description)
    // Importers use `errors`.
    const said = body.message ?? body.error ?? body.errors
    if (typeof said === 'string') return fromText(status, said)
    if (Array.isArray(said)) return new ApiError(status, texts(said).join(', '))
    if (isRecord(said)) {
      if (typeof said.error === 'string' && Object.keys(said).length === 1)
        return new ApiError(status, said.error)
      const fields = fieldsOf(said)
      return new ApiError(status, summary(fields), fields)
    }
  }
  return new ApiError(status, t('common.the_instance_responded_with_status', { status }))
}

/** The sentence to show for anything that was thrown. */
export const messageOf = (error: unknown): string => {
  if (error instanceof Error) return error.message
  return String(error)
}
