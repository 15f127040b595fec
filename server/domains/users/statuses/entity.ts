import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { StatusRow } from './store.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The status of a user; without one every field is null (spec core 7.2). */
export const UserStatus = entity(
  'UserStatus',
  {
    emoji: z.string().nullable(),
    message: z.string().nullable(),
    availability: z.enum(['not_set', 'busy']).nullable(),
    message_html: z.string().nullable(),
    clear_status_at: time().nullable(),
  },
  (row: StatusRow | null) => ({
    emoji: row?.emoji ?? null,
    message: row?.message ?? null,
    availability: (row?.availability as 'not_set' | 'busy' | undefined) ?? null,
    // A line of plain text; nothing in it is markup.
    message_html: row?.message?.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!) ?? null,
    clear_status_at: row?.clear_at ?? null,
  }),
)
