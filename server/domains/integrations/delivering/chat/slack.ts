import type { SentOut } from '../../../webhooks/index.ts'
import { chatMarkup } from '../messages/markup.ts'
import { messageOf } from '../messages/index.ts'
import { listOf, textOf, type Occasion, type Vendor } from '../occasion.ts'
import { send } from '../outlet.ts'
import { asJson } from './attachments.ts'

/** Who sends, unless somebody said otherwise. */
const SENDER = 'Deskforge'

/** Slack, and Mattermost, which understands the same: a form with one field of JSON, once for every channel. */
export const slack: Vendor = async (occasion) => {
  const message = messageOf(occasion)
  const url = textOf(occasion, 'webhook')
  if (!message || url === '') return []
  const content = {
    text: chatMarkup(message.pretext),
    attachments: message.attachments.map(asJson),
    fallback: chatMarkup(message.summary),
    username: textOf(occasion, 'username') || SENDER,
  }
  const sent: SentOut[] = []
  for (const channel of channelsOf(occasion)) {
    const payload = JSON.stringify(channel === undefined ? content : { ...content, channel })
    sent.push(await send(occasion, { url, form: { payload }, isSecretAddress: true }))
  }
  return sent
}

/**
 * Where a message goes: to the channels of the event, otherwise to the channel for all; the ones of the webhook itself
 * are not named (spec administration 3.3). Confidential events have the channels of the plain ones where they have none.
 */
export function channelsOf(occasion: Occasion): (string | undefined)[] {
  const channels = firstGiven(occasion, [...channelSettings(occasion.kind), 'channel'])
  return channels.length === 0 ? [undefined] : [...new Set(channels)]
}

/** Names of the settings that say where events of a kind go. */
export function channelSettings(kind: string): string[] {
  return [`${kind}_channel`, ...(kind.startsWith('confidential_') ? [`${kind.slice(13)}_channel`] : [])]
}

function firstGiven(occasion: Occasion, names: readonly string[]): string[] {
  for (const name of names) {
    const given = listOf(occasion, name, /,/)
    if (given.length > 0) return given
  }
  return []
}
