import { fullPath } from '../../../projects/index.ts'
import { messageOf } from '../messages/index.ts'
import { googleMarkup } from '../messages/markup.ts'
import { shortened } from '../messages/message.ts'
import { textOf, type Vendor } from '../occasion.ts'
import { send } from '../outlet.ts'
import { withQuery } from '../urls.ts'
import { asLines } from './attachments.ts'

/** The vendor takes no longer ones. */
const MOST = 4000

/** Google Chat: a text; what belongs to one issue, merge request or pipeline stands in one thread. */
export const googleChat: Vendor = async (occasion) => {
  const message = messageOf(occasion)
  const webhook = textOf(occasion, 'webhook')
  if (!message || !URL.canParse(webhook)) return []
  const lines = [googleMarkup(message.pretext), asLines(message.attachments, googleMarkup)]
  const json = {
    text: shortened(lines.filter((one) => one !== '').join('\n'), MOST),
    thread: { threadKey: `${fullPath(occasion.project)} ${message.thread}` },
  }
  const url = withQuery(webhook, { messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' })
  return [await send(occasion, { url, json, isSecretAddress: true })]
}
