import { z } from 'zod'

import { event } from '../../events/event.ts'

/** A mail was written, was taken by the mail server, or could not be sent. */
export const MailChanged = event('mail.changed', { mail_id: z.number() })
