import { VENDOR_CHAT_APP_SLUG } from '../../../lib/aliases.ts'
import type { Kind } from '../../webhooks/index.ts'
import {
  branches,
  family,
  field,
  type Field,
  ONLY_BROKEN,
  ONLY_DEFAULT_BRANCH,
  required,
  secret,
} from './declare.ts'

/** Events for chats (spec administration 3.3, "CW events"). */
const EVENTS: readonly Kind[] = [
  'push',
  'issue',
  'confidential_issue',
  'merge_request',
  'note',
  'confidential_note',
  'tag_push',
  'pipeline',
  'wiki_page',
]

/** The URL is secret, because it alone gives access to the chat. */
const WEBHOOK = secret('webhook', 'Webhook', {
  format: 'address',
  help: 'The address that the chat gave for incoming messages.',
})

const LABELS: readonly Field[] = [
  field('labels_to_be_notified', 'Labels', {
    help: 'Only issues, merge requests and comments with these labels, as `~bug,~"needs docs"`. All without one.',
  }),
  field('labels_to_be_notified_behavior', 'Labels have to match', {
    type: 'choice',
    choices: ['match_any', 'match_all'],
    default: 'match_any',
  }),
]

/** The channel settings for events. The vendor's newer events do not exist here. */
const CHANNELS: readonly [name: string, title: string][] = [
  ['push_channel', 'pushes'],
  ['issue_channel', 'issues'],
  ['confidential_issue_channel', 'confidential issues'],
  ['merge_request_channel', 'merge requests'],
  ['note_channel', 'comments'],
  ['confidential_note_channel', 'confidential comments'],
  ['tag_push_channel', 'tags'],
  ['pipeline_channel', 'pipelines'],
  ['wiki_page_channel', 'wiki pages'],
  ['deployment_channel', 'deployments'],
]

/** The maximum number of channels for one event. */
const AT_MOST_TEN = /^[^,]*(,[^,]*){0,9}$/

function channelsBut(...left: string[]): readonly Field[] {
  return CHANNELS.filter(([name]) => !left.includes(name)).map(([name, title]) =>
    field(name, `Channel for ${title}`, { pattern: AT_MOST_TEN }),
  )
}

const NEWER_CHANNELS: readonly Field[] = [
  field('alert_channel', 'Channel for alerts', { is_hidden: true, pattern: AT_MOST_TEN }),
  field('incident_channel', 'Channel for incidents', { is_hidden: true, pattern: AT_MOST_TEN }),
]

const COMMON: readonly Field[] = [WEBHOOK, ONLY_BROKEN, branches('default'), ...LABELS]

/** Settings of chats with the message format of Slack. */
const WITH_CHANNELS: readonly Field[] = [
  WEBHOOK,
  field('username', 'Name of the sender'),
  field('channel', 'Channel', { help: 'Used if no channel is given for an event.', pattern: AT_MOST_TEN }),
  ONLY_BROKEN,
  branches('default'),
  ...LABELS,
  ...channelsBut(),
  ...NEWER_CHANNELS,
]

export const chat = family(
  'chat',
  {
    slug: 'discord',
    title: 'Discord Notifications',
    description: 'Messages about the project in a Discord channel.',
    // Channels of this chat are separate webhook URLs.
    fields: [
      ...COMMON,
      ...channelsBut('deployment_channel').map((entry) => ({
        ...entry,
        is_secret: true,
        format: 'address' as const,
      })),
    ],
    events: EVENTS,
  },
  {
    slug: VENDOR_CHAT_APP_SLUG,
    title: 'Slack application',
    description: 'The application that the vendor of the contract keeps in a chat.',
    fields: [],
    events: [...EVENTS, 'deployment'],
    is_hidden: true,
    is_foreign: true,
  },
  {
    slug: 'hangouts-chat',
    title: 'Google Chat',
    description: 'Messages about the project in a Google Chat space.',
    fields: [...COMMON, ONLY_DEFAULT_BRANCH],
    events: EVENTS,
  },
  {
    slug: 'mattermost',
    title: 'Mattermost notifications',
    description: 'Messages about the project in Mattermost channels.',
    fields: WITH_CHANNELS,
    events: [...EVENTS, 'deployment'],
    flags: ['alert_events'],
  },
  {
    slug: 'microsoft-teams',
    title: 'Microsoft Teams notifications',
    description: 'Messages about the project in a Microsoft Teams channel.',
    fields: COMMON,
    events: EVENTS,
  },
  {
    slug: 'pumble',
    title: 'Pumble',
    description: 'Messages about the project in a Pumble channel.',
    fields: COMMON,
    events: EVENTS,
  },
  {
    slug: 'slack',
    title: 'Slack notifications',
    description: 'Messages about the project in Slack channels.',
    fields: WITH_CHANNELS,
    events: [...EVENTS, 'deployment'],
    flags: ['alert_events', 'commit_events', 'job_events'],
  },
  {
    slug: 'telegram',
    title: 'Telegram',
    description: 'Messages about the project in a Telegram chat.',
    fields: [
      secret('token', 'Token of the bot', {
        pattern: /^[\w:-]+$/,
        help: 'As `123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11`.',
      }),
      required('room', 'Chat', { help: 'Id of the chat, or `@` and the name of the channel.' }),
      field('hostname', 'Server', {
        format: 'address',
        is_destination: true,
        help: 'Of the Telegram API, if another.',
      }),
      field('thread', 'Thread', { type: 'integer', help: 'Id of the thread in a forum.' }),
      ONLY_BROKEN,
      branches('default'),
      ...LABELS,
    ],
    events: EVENTS,
  },
  {
    slug: 'unify-circuit',
    title: 'Unify Circuit',
    description: 'Messages about the project in a Unify Circuit conversation.',
    fields: COMMON,
    events: EVENTS,
  },
  {
    slug: 'webex-teams',
    title: 'Webex Teams',
    description: 'Messages about the project in a Webex Teams space.',
    fields: COMMON,
    events: EVENTS,
  },
)

const TOKEN = secret('token', 'Token', {
  help: 'The chat shows it when the command is created, and sends it with each command.',
})

export const commands = family(
  'commands',
  {
    slug: 'mattermost-slash-commands',
    title: 'Mattermost slash commands',
    description: 'Work with issues, deployments and jobs from Mattermost.',
    fields: [TOKEN],
  },
  {
    slug: 'slack-slash-commands',
    title: 'Slack slash commands',
    description: 'Work with issues, deployments and jobs from Slack.',
    fields: [TOKEN],
  },
)
