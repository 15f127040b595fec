import { z } from 'zod'

import { entity, time } from '../../http/entity.ts'
import type { MailRow } from './store.ts'

/** A mail that was or is to be sent, for administrators. Its text is not shown: it is for whom it was written. */
export const KeptMail = entity(
  'KeptMail',
  {
    id: z.int(),
    recipients: z.array(z.string()),
    subject: z.string(),
    created_at: time(),
    sent_at: time().nullable(),
    /** Why it was not sent, or not to all. */
    error: z.string().nullable(),
  },
  (row: MailRow) => ({
    id: row.id,
    recipients: JSON.parse(row.recipients) as string[],
    subject: row.subject,
    created_at: row.created_at,
    sent_at: row.sent_at,
    error: row.error,
  }),
)

/** How an attempt went, in a sentence. */
export const MailTest = entity(
  'MailTest',
  { is_ok: z.boolean(), message: z.string() },
  (row: { is_ok: boolean; message: string }) => row,
)
