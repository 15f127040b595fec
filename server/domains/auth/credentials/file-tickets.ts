import { createHmac } from 'node:crypto'

import { sameText } from '../../../lib/security/crypto.ts'

/** The length of a period. A ticket is valid until the end of the period after its own: six to twelve hours. */
const PERIOD_MS = 6 * 3_600_000

/**
 * Returns the `page_ticket` for URLs of files. It replaces the token of the page for images and downloads, which a
 * browser requests without that header. It requires the cookie of the same session, and allows no write.
 */
export function ticketOf(pageToken: string, now: string): string {
  return ticketOfPeriod(pageToken, periodOf(now))
}

/** Returns true for a ticket of this page token that has not expired. */
export function isTicket(pageToken: string, ticket: unknown, now: string): boolean {
  if (typeof ticket !== 'string' || ticket === '') return false
  const current = periodOf(now)
  return [current, current - 1].some((period) => sameText(ticket, ticketOfPeriod(pageToken, period)))
}

function periodOf(now: string): number {
  return Math.floor(Date.parse(now) / PERIOD_MS)
}

function ticketOfPeriod(pageToken: string, period: number): string {
  return createHmac('sha256', pageToken).update(`page_ticket:${period}`).digest('base64url')
}
