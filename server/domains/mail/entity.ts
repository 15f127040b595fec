import { z } from 'zod'

import { entity, time, row } from '../../http/entity.ts'
import type { MailRow } from './store.ts'

/** A sent or waiting mail, for administrators. Its text is private and not included. */
export const KeptMail = entity(
  'KeptMail',
  {
    id: z.int(),
    recipients: z.array(z.string()),
    subject: z.string(),
    created_at: time(),
    sent_at: time().nullable(),
    /** Why the mail was not sent, or not to all recipients. */
    error: z.string().nullable(),
  },
  row<MailRow>(),
)

/** The result of an attempt, with a sentence about it. */
export const MailTest = entity(
  'MailTest',
  { is_ok: z.boolean(), message: z.string() },
  (row: { is_ok: boolean; message: string }) => row,
)
