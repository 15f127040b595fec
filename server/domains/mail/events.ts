import { z } from 'zod'

import { event } from '../../events/event.ts'

/** An email was queued, sent or rejected. */
export const MailChanged = event('mail.changed', { mail_id: z.number() })
