import type { Database } from '../../db/database.ts'
import type { Rows } from '../../db/rows.ts'

/** A stored email. */
export interface MailRow {
  readonly id: number
  readonly sender: string | null
  /** The addresses of the recipients. */
  readonly recipients: string[]
  readonly subject: string
  readonly text: string
  readonly html: string | null
  readonly headers: Record<string, string>
  readonly error: string | null
  readonly created_at: string
  readonly sent_at: string | null
}

/** Inserts an email to send. Returns its id. */
export function insert(db: Database, mail: Omit<MailRow, 'id' | 'error' | 'sent_at'>): number {
  const created = db.one<{ id: number }>(
    `INSERT INTO mails (sender, recipients, subject, text, html, headers, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    mail.sender,
    mail.recipients,
    mail.subject,
    mail.text,
    mail.html,
    mail.headers,
    mail.created_at,
  )
  return created!.id
}

/** Returns a stored email; undefined if it was deleted. */
export function byId(db: Database, id: number): MailRow | undefined {
  return db.one<MailRow>('SELECT * FROM mails WHERE id = ?', id)
}

/** Records the result of sending. */
export function recordResult(
  db: Database,
  id: number,
  result: { sent_at?: string; error: string | null },
): void {
  db.exec('UPDATE mails SET sent_at = ?, error = ? WHERE id = ?', result.sent_at ?? null, result.error, id)
}

/** Returns one page of the stored emails, the newest first. */
export function list(db: Database, page: { limit: number; offset: number }): Rows<MailRow> {
  const rows = db.many<MailRow>(
    'SELECT * FROM mails ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?',
    page.limit,
    page.offset,
  )
  return { rows, total: db.one<{ n: number }>('SELECT count(*) AS n FROM mails')!.n }
}

/** Deletes emails that were created before a time. */
export function removeOlder(db: Database, before: string): void {
  db.exec('DELETE FROM mails WHERE created_at < ?', before)
}
