import { createHmac } from 'node:crypto'

import { sameText } from '../../../lib/security/crypto.ts'

/** A ticket is valid until the end of the next period: six to twelve hours. */
const SPAN_MS = 6 * 3_600_000

/**
 * The `page_ticket` in the address of a file. It replaces the token of the page for pictures and downloads, which a browser
 * requests without headers. It needs the cookie of the same session, and allows no write.
 */
export function ticketOf(pageToken: string, now: string): string {
  return ticketIn(pageToken, spanOf(now))
}

/** True for a ticket of this session that has not expired. */
export function isTicket(pageToken: string, ticket: unknown, now: string): boolean {
  if (typeof ticket !== 'string' || ticket === '') return false
  const span = spanOf(now)
  return [span, span - 1].some((period) => sameText(ticket, ticketIn(pageToken, period)))
}

function spanOf(now: string): number {
  return Math.floor(Date.parse(now) / SPAN_MS)
}

function ticketIn(pageToken: string, span: number): string {
  return createHmac('sha256', pageToken).update(`page_ticket:${span}`).digest('base64url')
}
