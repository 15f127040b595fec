import { z } from 'zod'

import { event } from '../../events/event.ts'

/** A mail was queued, sent or refused. */
export const MailChanged = event('mail.changed', { mail_id: z.number() })
