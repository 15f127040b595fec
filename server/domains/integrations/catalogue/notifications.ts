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
  server,
} from './declare.ts'

const CODE: readonly Kind[] = ['push', 'merge_request', 'tag_push']

/** A token and the subdomain of the account. */
const TOKEN_AND_SUBDOMAIN: readonly Field[] = [
  secret('token', 'Token'),
  field('subdomain', 'Subdomain', { pattern: /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/ }),
]

const IRKER: readonly Field[] = [
  required('recipients', 'Recipients', {
    type: 'lines',
    help: 'Channels or users, separated by spaces: `irc://irc.example.net:6667/channel`, or only the last part.',
  }),
  field('default_irc_uri', 'Default address', {
    help: 'Added before recipients without an address, for example `irc://irc.example.net/`.',
  }),
  field('server_host', 'Host of the irker daemon', { default: 'localhost' }),
  field('server_port', 'Port of the irker daemon', { type: 'integer', min: 1, max: 65_535, default: 6659 }),
  field('colorize_messages', 'Colored messages', { type: 'boolean', default: false }),
]

const PUSHOVER: readonly Field[] = [
  secret('api_key', 'Key of the application'),
  secret('user_key', 'Key of the user'),
  required('priority', 'Priority', {
    type: 'integer',
    min: -2,
    max: 2,
    help: 'From -2, without a notification, to 2, which requires confirmation.',
  }),
  field('device', 'Device', { help: 'Leave empty for all active devices.' }),
  field('sound', 'Sound'),
]

export const notifications = family(
  'notification',
  {
    slug: 'assembla',
    title: 'Assembla',
    description: 'Pushes are sent to an Assembla space.',
    fields: TOKEN_AND_SUBDOMAIN,
    events: ['push'],
  },
  {
    slug: 'campfire',
    title: 'Campfire',
    description: 'Pushes are posted to a Campfire room.',
    fields: [
      ...TOKEN_AND_SUBDOMAIN,
      field('room', 'Room', { help: 'The number of the room, which is the last part of its URL.' }),
    ],
    events: ['push'],
  },
  {
    slug: 'emails-on-push',
    title: 'Emails on push',
    description: 'Commits and diffs of each push are sent by email.',
    fields: [
      required('recipients', 'Recipients', {
        type: 'lines',
        help: 'Email addresses, separated by spaces or line breaks.',
      }),
      field('disable_diffs', 'Without diffs', { type: 'boolean', default: false }),
      field('send_from_committer_email', 'From the committer', {
        type: 'boolean',
        default: false,
        help: 'Used if the address of the committer belongs to the host of this instance.',
      }),
      branches('all'),
    ],
    events: ['push', 'tag_push'],
  },
  {
    slug: 'flowdock',
    title: 'Flowdock',
    description: 'Pushes are posted to a Flowdock flow.',
    fields: [secret('token', 'Token of the flow')],
    events: ['push'],
  },
  {
    slug: 'irker',
    title: 'irker (IRC gateway)',
    description: 'Pushes are posted to IRC channels.',
    fields: IRKER,
    events: ['push'],
  },
  {
    slug: 'pipelines-email',
    title: 'Pipeline status emails',
    description: 'Sends the results of pipelines by email.',
    fields: [
      required('recipients', 'Recipients', {
        type: 'lines',
        help: 'Email addresses, separated by commas or line breaks.',
      }),
      ONLY_BROKEN,
      branches('default'),
      ONLY_DEFAULT_BRANCH,
    ],
    events: ['pipeline'],
  },
  {
    slug: 'pushover',
    title: 'Pushover',
    description: 'Pushes become notifications on phones and browsers.',
    fields: PUSHOVER,
    events: ['push'],
  },
)

export const registries = family(
  'registry',
  {
    slug: 'harbor',
    title: 'Harbor',
    description: 'A Harbor registry for the images of the project.',
    fields: [
      server('url', 'Address of the registry'),
      required('project_name', 'Name of the Harbor project'),
      required('username', 'User name'),
      secret('password', 'Password'),
    ],
  },
  {
    slug: 'packagist',
    title: 'Packagist',
    description: 'Pushes and tags update a package at Packagist.',
    fields: [
      required('username', 'User name'),
      secret('token', 'API token'),
      field('server', 'Address of the registry', {
        format: 'address',
        is_destination: true,
        help: 'Leave empty for https://packagist.org.',
      }),
    ],
    events: CODE,
  },
)
