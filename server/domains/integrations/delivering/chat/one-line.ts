import { send } from '../channel.ts'
import { type Delivery, textOf, type Vendor } from '../delivery.ts'
import { messageOf } from '../messages/index.ts'
import { markdown, telegram as telegramMarkup } from '../messages/markup.ts'
import { type Message, shortened } from '../messages/message.ts'
import { projectName } from '../messages/parts.ts'
import { below } from '../urls.ts'

/** A chat that is told of an event in one line of Markdown. */
const oneLine =
  (content: (delivery: Delivery, message: Message) => object): Vendor =>
  async (delivery) => {
    const message = messageOf(delivery)
    const url = textOf(delivery, 'webhook')
    if (!message || url === '') return []
    return [await send(delivery, { url, json: content(delivery, message), isSecretAddress: true })]
  }

export const webexTeams = oneLine((_occasion, { summary }) => ({ markdown: markdown(summary) }))

export const pumble = oneLine((_occasion, { summary }) => ({ text: markdown(summary) }))

export const unifyCircuit = oneLine((delivery, { summary }) => ({
  subject: projectName(delivery),
  text: markdown(summary),
  markdown: true,
}))

/** The vendor takes no longer ones. */
const MOST = 4096

/** Telegram: a message of a bot, which is known by its token. */
export const telegram: Vendor = async (delivery) => {
  const message = messageOf(delivery)
  const [token, room] = [textOf(delivery, 'token'), textOf(delivery, 'room')]
  if (!message || token === '' || room === '') return []
  const server = textOf(delivery, 'hostname') || 'https://api.telegram.org'
  const thread = delivery.settings['thread']
  const json = {
    chat_id: room,
    ...(typeof thread === 'number' ? { message_thread_id: thread } : {}),
    text: shortened(telegramMarkup(message.summary), MOST),
    parse_mode: 'markdown',
  }
  return [await send(delivery, { url: below(server, `bot${token}/sendMessage`), json })]
}
