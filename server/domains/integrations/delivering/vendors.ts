import { fullPath } from '../../projects/index.ts'
import type { SentOut } from '../../webhooks/index.ts'
import { send } from './channel.ts'
import { asJson, asLines } from './chat/attachments.ts'
import { pumble, telegram, unifyCircuit, webexTeams } from './chat/one-line.ts'
import { datadog, github, packagist } from './ci/reports.ts'
import { bamboo, buildkite, drone, jenkins, teamcity } from './ci/servers.ts'
import { type Delivery, listOf, textOf, type Vendor } from './delivery.ts'
import { jira } from './jira/index.ts'
import { emailsOnPush } from './mails/on-push.ts'
import { sendEach } from './mails/send-each.ts'
import { messageOf } from './messages/index.ts'
import {
  chatMarkup,
  googleMarkup,
  html,
  html as asHtml,
  markdown,
  plain,
  text,
  type Text,
} from './messages/markup.ts'
import { type Attachment, shortened } from './messages/message.ts'
import { projectName } from './messages/parts.ts'
import { payloadOf, type PipelinePayload, pusherOf } from './payload.ts'
import { irker } from './pushes/irker.ts'
import { pushWords } from './pushes/words.ts'
import { asana } from './tasks/asana.ts'
import { pivotalTracker } from './tasks/pivotal.ts'
import { withQuery } from './urls.ts'

/** Who sends, unless somebody said otherwise. */
const SENDER = 'Deskforge'

/** Slack, and Mattermost, which understands the same: a form with one field of JSON, once for every channel. */
const slack: Vendor = async (delivery) => {
  const message = messageOf(delivery)
  const url = textOf(delivery, 'webhook')
  if (!message || url === '') return []
  const content = {
    text: chatMarkup(message.pretext),
    attachments: message.attachments.map(asJson),
    fallback: chatMarkup(message.summary),
    username: textOf(delivery, 'username') || SENDER,
  }
  const sent: SentOut[] = []
  for (const channel of channelsOf(delivery)) {
    const payload = JSON.stringify(channel === undefined ? content : { ...content, channel })
    sent.push(await send(delivery, { url, form: { payload }, isSecretAddress: true }))
  }
  return sent
}

/**
 * Where a message goes: to the channels of the event, otherwise to the channel for all; the ones of the webhook itself
 * are not named (spec administration 3.3). Confidential events have the channels of the plain ones where they have none.
 */
function channelsOf(delivery: Delivery): (string | undefined)[] {
  const channels = firstGiven(delivery, [...channelSettings(delivery.kind), 'channel'])
  return channels.length === 0 ? [undefined] : [...new Set(channels)]
}

/** Names of the settings that say where events of a kind go. */
function channelSettings(kind: string): string[] {
  return [`${kind}_channel`, ...(kind.startsWith('confidential_') ? [`${kind.slice(13)}_channel`] : [])]
}

function firstGiven(delivery: Delivery, names: readonly string[]): string[] {
  for (const name of names) {
    const given = listOf(delivery, name, /,/)
    if (given.length > 0) return given
  }
  return []
}

/** The vendor takes no longer ones. */
const MOST_MESSAGE = 1024

const MOST_TITLE = 250

/** How a message of the highest priority comes back until somebody has seen it, seconds. */
const EMERGENCY = { retry: '60', expire: '3600' }

/** Pushover: a notice on phones. */
const pushover: Vendor = async (delivery) => {
  const { what, project, url, push } = pushWords(delivery)
  const priority = textOf(delivery, 'priority') || '0'
  const titles = push.commits.map((commit) => `• ${commit.title}`)
  const optional = { device: textOf(delivery, 'device'), sound: textOf(delivery, 'sound') }
  const form = {
    token: textOf(delivery, 'api_key'),
    user: textOf(delivery, 'user_key'),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== '')),
    priority,
    ...(priority === '2' ? EMERGENCY : {}),
    title: shortened(project, MOST_TITLE),
    message: shortened([`${what}.`, ...titles].join('\n'), MOST_MESSAGE),
    url,
    url_title: `See ${shortened(project, 90)}`,
  }
  return [await send(delivery, { url: 'https://api.pushover.net/1/messages.json', form })]
}

/** Flowdock: an activity in the thread of the branch. */
const flowdock: Vendor = async (delivery) => {
  const { what, project, branch, url, push } = pushWords(delivery)
  const items = push.commits.map((commit) =>
    html(text`${{ link: commit.id.slice(0, 8), url: commit.url }} ${commit.title}`),
  )
  return [
    await send(delivery, {
      url: 'https://api.flowdock.com/v1/messages',
      json: {
        flow_token: textOf(delivery, 'token'),
        event: 'activity',
        author: { name: pusherOf(push), avatar: push.user_avatar },
        title: what,
        external_thread_id: `${project}:${push.ref}`,
        thread: {
          title: `${project}: ${branch}`,
          body: items.length > 0 ? `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>` : '',
          external_url: url,
        },
        tags: [branch],
      },
    }),
  ]
}

/** Campfire: a line said in a room. */
const campfire: Vendor = async (delivery) => {
  const { what, project, url, isRemoved } = pushWords(delivery)
  const [subdomain, room] = [textOf(delivery, 'subdomain'), textOf(delivery, 'room')]
  if (subdomain === '' || room === '') return []
  const body = `[${project}] ${what}.${isRemoved ? '' : ` ${url}`}`
  return [
    await send(delivery, {
      url: `https://${subdomain}.campfirenow.com/room/${encodeURIComponent(room)}/speak.json`,
      basic: { user: textOf(delivery, 'token'), password: 'X' },
      json: { message: { type: 'TextMessage', body } },
    }),
  ]
}

/** Assembla: the payload, for the tool of a space that takes pushes. */
const assembla: Vendor = async (delivery) => {
  const space = textOf(delivery, 'subdomain')
  const key = new URLSearchParams({ secret_key: textOf(delivery, 'token') })
  return [
    await send(delivery, {
      url: `https://atlas.assembla.com/spaces/${encodeURIComponent(space)}/github_tool?${key}`,
      json: { payload: delivery.payload },
    }),
  ]
}

/** Mails about pipelines that are over. */
const pipelinesEmail: Vendor = async (delivery) => {
  const { object_attributes: pipeline } = payloadOf<PipelinePayload>(delivery)
  const message = messageOf(delivery)
  if (!message) return []
  const attachment = message.attachments[0]
  const lines: Text[] = [
    message.summary,
    ...(attachment?.fields ?? []).map((field) => text`${field.title}: ${field.value}`),
  ]
  const url = attachment?.title_link ?? ''
  const word = pipeline.status === 'failed' ? 'Failed' : 'Successful'
  return sendEach(delivery, {
    subject: `${projectName(delivery)} | ${word} pipeline for ${pipeline.ref} | ${pipeline.sha.slice(0, 8)}`,
    text: `${lines.map(plain).join('\n')}\n\nView it: ${url}\n`,
    html: lines.map((line) => `<p>${asHtml(line)}</p>`).join('\n'),
  })
}

/** Microsoft Teams: a card with what happened, and one with the details. */
const teams: Vendor = async (delivery) => {
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

/** What has fields shows them as such. */
function details(attachments: readonly Attachment[]) {
  const fields = attachments.flatMap((one) => one.fields ?? [])
  if (fields.length === 0) return { text: asLines(attachments).replaceAll('\n', '\n\n') }
  return { facts: fields.map((field) => ({ name: field.title, value: markdown(field.value) })) }
}

/** The vendor takes no longer ones. */
const MOST = 4000

/** Google Chat: a text; what belongs to one issue, merge request or pipeline stands in one thread. */
const googleChat: Vendor = async (delivery) => {
  const message = messageOf(delivery)
  const webhook = textOf(delivery, 'webhook')
  if (!message || !URL.canParse(webhook)) return []
  const lines = [googleMarkup(message.pretext), asLines(message.attachments, googleMarkup)]
  const json = {
    text: shortened(lines.filter((one) => one !== '').join('\n'), MOST),
    thread: { threadKey: `${fullPath(delivery.project)} ${message.thread}` },
  }
  const url = withQuery(webhook, { messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' })
  return [await send(delivery, { url, json, isSecretAddress: true })]
}

const COLOR = 16_543_014

/** The vendor takes no longer ones. */
const MOST_DESCRIPTION = 4096

const MOST_NAME = 256

/** Discord: a card, sent to the address of the event where it has one. */
const discord: Vendor = async (delivery) => {
  const message = messageOf(delivery)
  const url = addressOf(delivery)
  if (!message || url === '') return []
  const { author, pretext, attachments } = message
  const lines = [markdown(pretext), asLines(attachments)].filter((one) => one !== '')
  const icon = author.avatar === null ? {} : { icon_url: author.avatar }
  const embed = {
    author: { name: shortened(plain([author.name]), MOST_NAME), ...icon },
    description: shortened(lines.join('\n'), MOST_DESCRIPTION),
    color: COLOR,
    timestamp: delivery.ctx.now,
  }
  return [await send(delivery, { url, json: { embeds: [embed] }, isSecretAddress: true })]
}

function addressOf(delivery: Delivery): string {
  const own = channelSettings(delivery.kind).map((name) => textOf(delivery, name))
  return own.find((one) => one !== '') ?? textOf(delivery, 'webhook')
}

/** How each integration tells of events, by its slug. Those that are only looked up by others stand here not. */
export const VENDORS: ReadonlyMap<string, Vendor> = new Map<string, Vendor>([
  ['asana', asana],
  ['assembla', assembla],
  ['bamboo', bamboo],
  ['buildkite', buildkite],
  ['campfire', campfire],
  ['datadog', datadog],
  ['discord', discord],
  ['drone-ci', drone],
  ['emails-on-push', emailsOnPush],
  ['flowdock', flowdock],
  ['github', github],
  ['hangouts-chat', googleChat],
  ['irker', irker],
  ['jenkins', jenkins],
  ['jira', jira],
  ['mattermost', slack],
  ['microsoft-teams', teams],
  ['packagist', packagist],
  ['pipelines-email', pipelinesEmail],
  ['pivotaltracker', pivotalTracker],
  ['pumble', pumble],
  ['pushover', pushover],
  ['slack', slack],
  ['teamcity', teamcity],
  ['telegram', telegram],
  ['unify-circuit', unifyCircuit],
  ['webex-teams', webexTeams],
])
