import { setImmediate as nextTurn } from 'node:timers/promises'

import { serviceHeaders } from '../../../../http/aliases.ts'
import { addressesIn, type Mail, mailObstacle, queueMail } from '../../../mail/index.ts'
import { fullPath } from '../../../projects/index.ts'
import type { SentOut } from '../../../webhooks/index.ts'
import { note } from '../channel.ts'
import { type Delivery, textOf } from '../delivery.ts'
import { projectName } from '../messages/parts.ts'

/** More recipients are not written to. */
const MOST_RECIPIENTS = 750

/** Sends a mail to every recipient of an integration, each for themselves; one entry of the log for all. */
export async function sendEach(delivery: Delivery, mail: Omit<Mail, 'to' | 'headers'>): Promise<SentOut[]> {
  const { ctx, project } = delivery
  const recipients = addressesIn(textOf(delivery, 'recipients')).slice(0, MOST_RECIPIENTS)
  if (recipients.length === 0) return []
  const headers = serviceHeaders({
    Project: projectName(delivery),
    'Project-Id': String(project.id),
    'Project-Path': fullPath(project),
  })
  for (const to of recipients) {
    queueMail(ctx, { ...mail, to: [to], headers })
    // Each is a write of its own; others get their turn between.
    await nextTurn()
  }
  const error = mailObstacle(ctx)
  const told = {
    method: 'SMTP',
    url: `mailto:${recipients.join(',')}`,
    body: `${mail.subject}\n\n${mail.text}`,
  }
  return [note(delivery, error === undefined ? told : { ...told, error })]
}
