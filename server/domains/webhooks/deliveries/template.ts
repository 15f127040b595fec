/**
 * Templates of messages: JSON with `{{ project.name }}` where a value of the event goes. Texts are escaped as JSON, so
 * that they stand between quotes; everything else stands as it is. What is not there is empty between quotes and null
 * elsewhere, so that a template that fits one kind of event does not fail for another.
 */
const TAG = /\{\{\s*([\w.-]+)\s*\}\}/g

/** What is wrong with a template, which shows before any event is known; undefined for nothing. */
export function checkTemplate(template: string): string | undefined {
  if (template.replace(TAG, '').includes('{{')) return 'has a placeholder that is not closed or is no name'
  return renderMessage(template, {}) === undefined ? 'is no JSON once its values are in place' : undefined
}

/** What a template may make of an event; values may be large, and stand in it often. */
const MAX_MESSAGE = 4 * 1024 * 1024

/** The message that a template makes of an event; undefined where that is no JSON, or larger than 4 MiB. */
export function renderMessage(template: string, payload: unknown): string | undefined {
  const text = filledIn(template, payload)
  if (text === undefined) return undefined
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return undefined
  }
}

function filledIn(template: string, payload: unknown): string | undefined {
  let position: TemplatePosition = { isQuoted: false, isEscaped: false }
  let text = ''
  let end = 0
  for (const match of template.matchAll(TAG)) {
    const piece = template.slice(end, match.index)
    position = after(piece, position)
    text += piece + shown(find(payload, match[1]!.split('.')), position.isQuoted)
    if (text.length > MAX_MESSAGE) return undefined
    end = match.index + match[0].length
  }
  return text + template.slice(end)
}

function find(payload: unknown, path: readonly string[]): unknown {
  let found = payload
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

/** Whether a place is inside of a text of the template: behind an odd number of quotes that count. */
interface TemplatePosition {
  readonly isQuoted: boolean
  /** Right behind a backslash. */
  readonly isEscaped: boolean
}

function after(piece: string, before: TemplatePosition): TemplatePosition {
  let { isQuoted, isEscaped } = before
  for (const sign of piece) {
    if (sign === '"' && !isEscaped) isQuoted = !isQuoted
    isEscaped = sign === '\\' && !isEscaped
  }
  return { isQuoted, isEscaped }
}

function shown(value: unknown, inQuotes: boolean): string {
  if (!inQuotes) return JSON.stringify(value ?? null)
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return JSON.stringify(text).slice(1, -1)
}
