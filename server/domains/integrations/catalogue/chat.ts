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
  help: 'The URL for incoming messages, which the chat shows.',
})

const LABELS: readonly Field[] = [
  field('labels_to_be_notified', 'Labels', {
    help: 'Send only issues, merge requests and comments with these labels, such as `~bug,~"needs docs"`. Leave empty for all.',
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
const TEN_CHANNELS = /^[^,]*(,[^,]*){0,9}$/

function channelsExcept(...names: string[]): readonly Field[] {
  return CHANNELS.filter(([name]) => !names.includes(name)).map(([name, title]) =>
    field(name, `Channel for ${title}`, { pattern: TEN_CHANNELS }),
  )
}

const NEWER_CHANNELS: readonly Field[] = [
  field('alert_channel', 'Channel for alerts', { is_hidden: true, pattern: TEN_CHANNELS }),
  field('incident_channel', 'Channel for incidents', { is_hidden: true, pattern: TEN_CHANNELS }),
]

const COMMON: readonly Field[] = [WEBHOOK, ONLY_BROKEN, branches('default'), ...LABELS]

/** Settings of chats with the message format of Slack. */
const WITH_CHANNELS: readonly Field[] = [
  WEBHOOK,
  field('username', 'Name of the sender'),
  field('channel', 'Channel', {
    help: 'Used for events without a channel of their own.',
    pattern: TEN_CHANNELS,
  }),
  ONLY_BROKEN,
  branches('default'),
  ...LABELS,
  ...channelsExcept(),
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
      ...channelsExcept('deployment_channel').map((entry) => ({
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
    description: 'The Slack application, which only GitLab.com offers.',
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
        help: 'For example `123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11`.',
      }),
      required('room', 'Chat', { help: 'The ID of the chat, or `@` and the name of the channel.' }),
      field('hostname', 'Server', {
        format: 'address',
        is_destination: true,
        help: 'The address of the Telegram API, if it is not the default one.',
      }),
      field('thread', 'Thread', { type: 'integer', help: 'The ID of the thread in a forum.' }),
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
