import { t } from '../locales/t.ts'
/** A problem in a text that was sent. */
export type TextProblem = { message: string; line: number; column: number }

/** The error of a failed request: the message of the server and the affected fields. */
export class ApiError extends Error {
  /** HTTP status; 0 when no answer came at all. */
  readonly status: number
  /** Messages by parameter name, for the form that sent them. */
  readonly fields: Record<string, string[]>
  /** A word for programs, where the answer has one: `error_code`. */
  code: string | null = null
  /** Where in a sent text the problems are; lines and columns count from 1. */
  positions: readonly TextProblem[] = []

  constructor(status: number, message: string, fields: Record<string, string[]> = {}) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.fields = fields
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isTextProblem = (value: unknown): value is TextProblem =>
  isRecord(value) &&
  typeof value.message === 'string' &&
  typeof value.line === 'number' &&
  typeof value.column === 'number'

const texts = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(texts)
  if (isRecord(value)) return Object.values(value).flatMap(texts)
  return []
}

/** `project_namespace.path` concerns the same control as `path`. */
const fieldName = (key: string) => key.replace(/^.*\./, '')

const sentence = (field: string, text: string) => {
  const subject = field.replaceAll('_', ' ')
  return field === 'base' ? text : `${subject.charAt(0).toUpperCase()}${subject.slice(1)} ${text}`
}

const fieldsOf = (message: Record<string, unknown>) => {
  const fields: Record<string, string[]> = {}
  for (const [key, value] of Object.entries(message)) {
    const list = (fields[fieldName(key)] ??= [])
    for (const text of texts(value)) if (!list.includes(text)) list.push(text)
  }
  return fields
}

const PARAMETER = /^([a-zA-Z0-9_]+(?:\[[^\]]*\])*) ((?:is|does|has|should|must) .+)$/

/** `name is missing, path is invalid` is one sentence per parameter. */
const parameterFields = (text: string) => {
  const fields: Record<string, string[]> = {}
  for (const part of text.split(', ')) {
    const match = PARAMETER.exec(part)
    if (match?.[1] && match[2]) (fields[match[1]] ??= []).push(match[2])
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
  if (Object.keys(printed).length > 0) return new ApiError(status, summary(printed), printed)
  return new ApiError(status, text, parameterFields(text))
}

/**
 * Turns the body of a refused request into an error. Knows the family's shapes: `error` as text, `message` as text,
 * list, hash of fields or nested error, the OAuth pair, and plain text.
 */
export const toApiError = (status: number, body: unknown): ApiError => {
  const error = readError(status, body)
  if (isRecord(body) && typeof body.error_code === 'string') error.code = body.error_code
  if (isRecord(body) && Array.isArray(body.errors)) error.positions = body.errors.filter(isTextProblem)
  return error
}

const readError = (status: number, body: unknown): ApiError => {
  if (typeof body === 'string' && body.trim() && !body.trimStart().startsWith('<')) {
    return new ApiError(status, body.trim())
  }
  if (!isRecord(body)) return new ApiError(status, t('common.the_instance_responded_with_status', { status }))
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
  return new ApiError(status, t('common.the_instance_responded_with_status', { status }))
}

/** The sentence to show for anything that was thrown. */
export const messageOf = (error: unknown): string => {
  if (error instanceof Error) return error.message
  return String(error)
}
