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

/** The message that a template makes of an event; undefined where that is no JSON. */
export function renderMessage(template: string, payload: unknown): string | undefined {
  const text = template.replace(TAG, (...match) => {
    const [, path, at] = match as unknown as [string, string, number]
    return shown(find(payload, path.split('.')), isQuoted(template, at))
  })
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return undefined
  }
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
function isQuoted(template: string, at: number): boolean {
  const before = template.slice(0, at).replace(TAG, '')
  return (before.replace(/\\./gs, '').match(/"/g)?.length ?? 0) % 2 === 1
}

function shown(value: unknown, inQuotes: boolean): string {
  if (!inQuotes) return JSON.stringify(value ?? null)
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return JSON.stringify(text).slice(1, -1)
}
