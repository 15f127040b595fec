import { messageOf } from '../messages/index.ts'
import { markdown, plain } from '../messages/markup.ts'
import { shortened } from '../messages/message.ts'
import { textOf, type Occasion, type Vendor } from '../occasion.ts'
import { send } from '../outlet.ts'
import { asLines } from './attachments.ts'
import { channelSettings } from './slack.ts'

const COLOR = 16_543_014
/** The vendor takes no longer ones. */
const MOST_DESCRIPTION = 4096
const MOST_NAME = 256

/** Discord: a card, sent to the address of the event where it has one. */
export const discord: Vendor = async (occasion) => {
  const message = messageOf(occasion)
  const url = addressOf(occasion)
  if (!message || url === '') return []
  const { author, pretext, attachments } = message
  const lines = [markdown(pretext), asLines(attachments)].filter((one) => one !== '')
  const icon = author.avatar === null ? {} : { icon_url: author.avatar }
  const embed = {
    author: { name: shortened(plain([author.name]), MOST_NAME), ...icon },
    description: shortened(lines.join('\n'), MOST_DESCRIPTION),
    color: COLOR,
    timestamp: occasion.ctx.now,
  }
  return [await send(occasion, { url, json: { embeds: [embed] }, isSecretAddress: true })]
}

function addressOf(occasion: Occasion): string {
  const own = channelSettings(occasion.kind).map((name) => textOf(occasion, name))
  return own.find((one) => one !== '') ?? textOf(occasion, 'webhook')
}
