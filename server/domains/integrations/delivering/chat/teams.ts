import { messageOf } from '../messages/index.ts'
import { markdown, plain } from '../messages/markup.ts'
import type { Attachment } from '../messages/message.ts'
import { projectName } from '../messages/parts.ts'
import { textOf, type Vendor } from '../occasion.ts'
import { send } from '../outlet.ts'
import { asLines } from './attachments.ts'

/** Microsoft Teams: a card with what happened, and one with the details. */
export const teams: Vendor = async (occasion) => {
  const message = messageOf(occasion)
  const url = textOf(occasion, 'webhook')
  if (!message || url === '') return []
  const { activity, attachments } = message
  const card = {
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    title: projectName(occasion),
    summary: plain(message.summary),
    sections: [
      {
        activityTitle: markdown(activity.title),
        activitySubtitle: markdown(activity.subtitle),
        activityText: markdown(activity.text),
        activityImage: activity.image,
      },
      ...(attachments.length > 0 ? [{ title: 'Details', ...details(attachments) }] : []),
    ],
  }
  return [await send(occasion, { url, json: card, isSecretAddress: true })]
}

/** What has fields shows them as such. */
function details(attachments: readonly Attachment[]) {
  const fields = attachments.flatMap((one) => one.fields ?? [])
  if (fields.length === 0) return { text: asLines(attachments).replaceAll('\n', '\n\n') }
  return { facts: fields.map((field) => ({ name: field.title, value: markdown(field.value) })) }
}
