import { createHmac } from 'node:crypto'

import { sameText } from '../../lib/security/crypto.ts'

/** A ticket holds until the end of the span after the one that it was made in: six to twelve hours. */
const SPAN_MS = 6 * 3_600_000

/**
 * What stands in the address of a file (`page_ticket`) in place of the page's token, for pictures and downloads, which a
 * browser asks for without headers. It opens nothing without the cookie of the same session, and changes nothing.
 */
export function ticketOf(pageToken: string, now: string): string {
  return ticketIn(pageToken, spanOf(now))
}

/** True for a ticket of this session that has not run out. */
export function isTicket(pageToken: string, shown: unknown, now: string): boolean {
  if (typeof shown !== 'string' || shown === '') return false
  const span = spanOf(now)
  return [span, span - 1].some((one) => sameText(shown, ticketIn(pageToken, one)))
}

function spanOf(now: string): number {
  return Math.floor(Date.parse(now) / SPAN_MS)
}

function ticketIn(pageToken: string, span: number): string {
  return createHmac('sha256', pageToken).update(`page_ticket:${span}`).digest('base64url')
}
