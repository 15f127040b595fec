/**
 * Placeholders of message templates: JSON with `{{ project.name }}` for a value of the event. Strings are JSON-escaped,
 * so placeholders belong between quotes; other values are inserted as JSON. Missing values become an empty string
 * between quotes and null elsewhere, so one template fits several kinds of events.
 */
const TAG = /\{\{\s*([\w.-]+)\s*\}\}/g

/** Returns the problem of a template, independent of any event. Undefined for a valid one. */
export function checkTemplate(template: string): string | undefined {
  if (template.replace(TAG, '').includes('{{'))
    return 'has a placeholder that is not closed or does not contain a name'
  return renderMessage(template, {}) === undefined ? 'is not valid JSON after values are inserted' : undefined
}

/** The maximum length of a message in characters. A template may insert large values many times. */
const MAX_MESSAGE = 4 * 1024 * 1024

/** Fills a template with the values of an event. Undefined if the result is not JSON or larger than 4 MiB. */
export function renderMessage(template: string, payload: unknown): string | undefined {
  const text = fillPlaceholders(template, payload)
  if (text === undefined) return undefined
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return undefined
  }
}

function fillPlaceholders(template: string, payload: unknown): string | undefined {
  let position: TemplatePosition = { isQuoted: false, isEscaped: false }
  let text = ''
  let end = 0
  for (const match of template.matchAll(TAG)) {
    const literal = template.slice(end, match.index)
    position = positionAfter(literal, position)
    text += literal + textOf(find(payload, match[1]!.split('.')), position.isQuoted)
    if (text.length > MAX_MESSAGE) return undefined
    end = match.index + match[0].length
  }
  return text + template.slice(end)
}

function find(payload: unknown, path: readonly string[]): unknown {
  let value = payload
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** The state at a position of the template. It is inside a string after an odd number of unescaped quotes. */
interface TemplatePosition {
  readonly isQuoted: boolean
  /** True if the position follows a backslash. */
  readonly isEscaped: boolean
}

function positionAfter(literal: string, start: TemplatePosition): TemplatePosition {
  let { isQuoted, isEscaped } = start
  for (const char of literal) {
    if (char === '"' && !isEscaped) isQuoted = !isQuoted
    isEscaped = char === '\\' && !isEscaped
  }
  return { isQuoted, isEscaped }
}

function textOf(value: unknown, inQuotes: boolean): string {
  if (!inQuotes) return JSON.stringify(value ?? null)
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return JSON.stringify(text).slice(1, -1)
}
