import type { AuditEvent } from '../../api/schema.gen.ts'

const COLUMNS: readonly [title: string, read: (one: AuditEvent) => unknown][] = [
  ['id', (one) => one.id],
  ['created_at', (one) => one.created_at],
  ['author_id', (one) => one.author_id],
  ['author_name', (one) => one.details['author_name']],
  ['event_name', (one) => one.event_name],
  ['message', (one) => one.details['custom_message']],
  ['entity_type', (one) => one.entity_type],
  ['entity_id', (one) => one.entity_id],
  ['entity_path', (one) => one.details['entity_path']],
  ['target_type', (one) => one.details['target_type']],
  ['target_details', (one) => one.details['target_details']],
  ['ip_address', (one) => one.details['ip_address']],
]

/** What spreadsheets would read as a formula begins with a quote. */
const cell = (value: unknown): string => {
  const text = value === null || value === undefined ? '' : String(value)
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+$/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Lines of the log as CSV (RFC 4180), with a head. */
export const toCsv = (events: readonly AuditEvent[]): string =>
  [COLUMNS.map(([title]) => title), ...events.map((one) => COLUMNS.map(([, read]) => read(one)))]
    .map((row) => row.map(cell).join(','))
    .join('\r\n')
