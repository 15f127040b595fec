import { fullPath } from '../../../projects/index.ts'
import type { DeliveryResult } from '../../../webhooks/index.ts'
import { send, joinUrl, type Delivery, listOf, textOf, type Vendor, withQuery } from '../channel.ts'
import { messageOf } from '../messages/index.ts'
import { chatMarkup, googleMarkup, markdown, plain, telegram as telegramMarkup } from '../messages/markup.ts'
import {
  attachmentJson,
  attachmentLines,
  type Attachment,
  type Message,
  projectName,
  truncate,
} from '../messages/message.ts'

/** A chat that shows an event as one line of Markdown. */
const oneLine =
  (content: (delivery: Delivery, message: Message) => object): Vendor =>
  async (delivery) => {
    const message = messageOf(delivery)
    const url = textOf(delivery, 'webhook')
    if (!message || url === '') return []
    return [await send(delivery, { url, json: content(delivery, message), isSecretAddress: true })]
  }

export const webexTeams = oneLine((_delivery, { summary }) => ({ markdown: markdown(summary) }))

export const pumble = oneLine((_delivery, { summary }) => ({ text: markdown(summary) }))

export const unifyCircuit = oneLine((delivery, { summary }) => ({
  subject: projectName(delivery),
  text: markdown(summary),
  markdown: true,
}))

/** The maximum length of a message of the vendor, in characters. */
const TELEGRAM_LIMIT = 4096

/** Telegram: a message by a bot. The token identifies the bot. */
export const telegram: Vendor = async (delivery) => {
  const message = messageOf(delivery)
  const [token, room] = [textOf(delivery, 'token'), textOf(delivery, 'room')]
  if (!message || token === '' || room === '') return []
  const server = textOf(delivery, 'hostname') || 'https://api.telegram.org'
  const thread = delivery.settings['thread']
  const json = {
    chat_id: room,
    ...(typeof thread === 'number' ? { message_thread_id: thread } : {}),
    text: truncate(telegramMarkup(message.summary), TELEGRAM_LIMIT),
    parse_mode: 'markdown',
  }
  return [await send(delivery, { url: joinUrl(server, `bot${token}/sendMessage`), json })]
}

/** Default name of the sender. */
const SENDER = 'Deskforge'

/** Names of the channel settings for a kind of event. */
function channelSettings(kind: string): string[] {
  return [`${kind}_channel`, ...(kind.startsWith('confidential_') ? [`${kind.slice(13)}_channel`] : [])]
}

function firstNonEmpty(delivery: Delivery, names: readonly string[]): string[] {
  for (const name of names) {
    const channels = listOf(delivery, name, /,/)
    if (channels.length > 0) return channels
  }
  return []
}

/**
 * Returns the channels of a message: those of its kind of event, otherwise the default channel. The channel of the
 * webhook URL itself is left out (spec administration 3.3). Confidential events fall back to the channels of public
 * ones.
 */
function channelsOf(delivery: Delivery): (string | undefined)[] {
  const channels = firstNonEmpty(delivery, [...channelSettings(delivery.kind), 'channel'])
  return channels.length === 0 ? [undefined] : [...new Set(channels)]
}

/** Slack and Mattermost: a form with one JSON field, sent once per channel. */
export const slack: Vendor = async (delivery) => {
  const message = messageOf(delivery)
  const url = textOf(delivery, 'webhook')
  if (!message || url === '') return []
  const content = {
    text: chatMarkup(message.pretext),
    attachments: message.attachments.map(attachmentJson),
    fallback: chatMarkup(message.summary),
    username: textOf(delivery, 'username') || SENDER,
  }
  const results: DeliveryResult[] = []
  for (const channel of channelsOf(delivery)) {
    const payload = JSON.stringify(channel === undefined ? content : { ...content, channel })
    results.push(await send(delivery, { url, form: { payload }, isSecretAddress: true }))
  }
  return results
}

/** The details of a card: the fields of the attachments as a list, otherwise their text. */
function details(attachments: readonly Attachment[]) {
  const fields = attachments.flatMap((attachment) => attachment.fields ?? [])
  if (fields.length === 0) return { text: attachmentLines(attachments).replaceAll('\n', '\n\n') }
  return { facts: fields.map((field) => ({ name: field.title, value: markdown(field.value) })) }
}

/** Microsoft Teams: a card with the event and its details. */
export const teams: Vendor = async (delivery) => {
  const message = messageOf(delivery)
  const url = textOf(delivery, 'webhook')
  if (!message || url === '') return []
  const { activity, attachments } = message
  const card = {
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    title: projectName(delivery),
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
  return [await send(delivery, { url, json: card, isSecretAddress: true })]
}

/** The maximum length of a message of the vendor, in characters. */
const GOOGLE_CHAT_LIMIT = 4000

/** Google Chat: a text. Messages about one issue, merge request or pipeline form a thread. */
export const googleChat: Vendor = async (delivery) => {
  const message = messageOf(delivery)
  const webhook = textOf(delivery, 'webhook')
  if (!message || !URL.canParse(webhook)) return []
  const lines = [googleMarkup(message.pretext), attachmentLines(message.attachments, googleMarkup)]
  const json = {
    text: truncate(lines.filter((line) => line !== '').join('\n'), GOOGLE_CHAT_LIMIT),
    thread: { threadKey: `${fullPath(delivery.project)} ${message.thread}` },
  }
  const url = withQuery(webhook, { messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' })
  return [await send(delivery, { url, json, isSecretAddress: true })]
}

const DISCORD_COLOR = 16543014

/** The maximum length of a description of the vendor, in characters. */
const DISCORD_LIMIT = 4096
const DISCORD_NAME_LIMIT = 256

function discordWebhook(delivery: Delivery): string {
  const defaults = channelSettings(delivery.kind).map((name) => textOf(delivery, name))
  return defaults.find((channel) => channel !== '') ?? textOf(delivery, 'webhook')
}

/** Discord: a card, sent to the webhook for its kind of event if there is one. */
export const discord: Vendor = async (delivery) => {
  const message = messageOf(delivery)
  const url = discordWebhook(delivery)
  if (!message || url === '') return []
  const { author, pretext, attachments } = message
  const lines = [markdown(pretext), attachmentLines(attachments)].filter((part) => part !== '')
  const icon = author.avatar === null ? {} : { icon_url: author.avatar }
  const embed = {
    author: { name: truncate(plain([author.name]), DISCORD_NAME_LIMIT), ...icon },
    description: truncate(lines.join('\n'), DISCORD_LIMIT),
    color: DISCORD_COLOR,
    timestamp: delivery.ctx.now,
  }
  return [await send(delivery, { url, json: { embeds: [embed] }, isSecretAddress: true })]
}
