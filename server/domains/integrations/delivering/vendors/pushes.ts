import { performance } from 'node:perf_hooks'

import { settingsOf } from '../../../settings/index.ts'
import { logOtherDelivery, send, type Delivery, listOf, projectUrl, textOf, type Vendor } from '../channel.ts'
import { html, text } from '../messages/markup.ts'
import { projectName, truncate } from '../messages/message.ts'
import { isBlank, payloadOf, pusherOf, type PushPayload, shortRef } from '../payload.ts'

/** The maximum number of commits of a push that a message lists. It only counts the others. */
const MAX_COMMITS = 3
const PORT = 6659

/** irker: lines of JSON to a daemon that writes them to IRC channels. */
export const irker: Vendor = async (delivery) => {
  const to = recipientsOf(delivery)
  if (to.length === 0) return []
  const host = textOf(delivery, 'server_host') || 'localhost'
  const port = Number(textOf(delivery, 'server_port') || PORT)
  const body = linesOf(delivery)
    .map((privmsg) => `${JSON.stringify({ to, privmsg })}\n`)
    .join('')
  const start = performance.now()
  const error = await writeLines(delivery, host, port, body)
  const duration_ms = Math.round(performance.now() - start)
  const logEntry = { method: 'TCP', url: `irker://${host}:${port}`, body, duration_ms }
  return [logOtherDelivery(delivery, error === undefined ? logEntry : { ...logEntry, error })]
}

/** The addresses of the recipients. A channel name alone is appended to the default address. */
function recipientsOf(delivery: Delivery): string[] {
  const fallback = textOf(delivery, 'default_irc_uri')
  return listOf(delivery, 'recipients', /\s+/).flatMap((recipient) => {
    if (/^ircs?:\/\//i.test(recipient)) return recipient
    return fallback === '' ? [] : `${fallback.replace(/\/+$/, '')}/${recipient.replace(/^\/+/, '')}`
  })
}

function linesOf(delivery: Delivery): string[] {
  const { summary, project, branch, url, push, isRemoved } = describePush(delivery)
  const paint = delivery.settings['colorize_messages'] === true ? colored : (text: string) => text
  const head = `[${paint(project, 6)}] ${paint(summary, 3)}`
  const commits = push.commits.slice(0, MAX_COMMITS).map((commit) => {
    const id = paint(commit.id.slice(0, 8), 14)
    return `${paint(project, 6)}/${paint(branch, 7)} ${id} ${paint(commit.author.name, 3)}: ${commit.title}`
  })
  const moreCount = push.total_commits_count - commits.length
  return [
    isRemoved ? head : `${head}: ${url}`,
    ...commits,
    ...(moreCount > 0 && commits.length > 0 ? [`… and ${countOf(moreCount)} more`] : []),
  ].map((line) => line.replace(/[\r\n\0]/g, ' '))
}

/** Text in one of the sixteen colors of IRC. */
function colored(text: string, color: number): string {
  return `\u0003${String(color).padStart(2, '0')}${text}\u000f`
}

/** Writes to the daemon, which sends no response. Returns the error, if any. */
async function writeLines(
  { ctx }: Delivery,
  host: string,
  port: number,
  body: string,
): Promise<string | undefined> {
  if (settingsOf(ctx).silent_mode_enabled) return 'Nothing was sent: the instance is in silent mode.'
  const timeoutMs = ctx.config.hookTimeoutMs
  try {
    const socket = await ctx.outbound.connect(host, port, { timeoutMs })
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(timeoutMs, () => socket.destroy(new Error('There was no answer in time')))
      socket.once('error', reject).once('close', () => resolve())
      socket.resume().end(body)
    })
    return undefined
  } catch (error) {
    return `The daemon could not be reached: ${(error as Error).message}.`
  }
}

/** Describes a push in plain text, for vendors without markup. */
export interface PushDescription {
  /** `Ann pushed 2 commits to main` */
  readonly summary: string
  readonly project: string
  readonly branch: string
  /** URL of the changes, or of the branch. */
  readonly url: string
  readonly isRemoved: boolean
  readonly push: PushPayload
}

export function describePush(delivery: Delivery): PushDescription {
  const push = payloadOf<PushPayload>(delivery)
  const branch = shortRef(push.ref)
  const [isNew, isRemoved] = [isBlank(push.before), isBlank(push.after)]
  const page = projectUrl(delivery)
  const verb = isRemoved
    ? `removed branch ${branch}`
    : isNew
      ? `pushed new branch ${branch}`
      : `pushed ${countOf(push.total_commits_count)} to ${branch}`
  const path = branch.split('/').map(encodeURIComponent).join('/')
  return {
    summary: `${pusherOf(push)} ${verb}`,
    project: projectName(delivery),
    branch,
    url: isRemoved
      ? page
      : isNew
        ? `${page}/-/commits/${path}`
        : `${page}/-/compare/${push.before}...${push.after}`,
    isRemoved,
    push,
  }
}

/** `1 commit`, `3 commits`. */
export function countOf(commits: number): string {
  return commits === 1 ? '1 commit' : `${commits} commits`
}

/** The maximum length of a message of the vendor, in characters. */
const PUSHOVER_LIMIT = 1024
const PUSHOVER_TITLE_LIMIT = 250

/** The interval and duration of repeated messages with the highest priority, in seconds. */
const PUSHOVER_EMERGENCY = { retry: '60', expire: '3600' }

/** Pushover: a notification on phones. */
export const pushover: Vendor = async (delivery) => {
  const { summary, project, url, push } = describePush(delivery)
  const priority = textOf(delivery, 'priority') || '0'
  const titles = push.commits.map((commit) => `• ${commit.title}`)
  const optional = { device: textOf(delivery, 'device'), sound: textOf(delivery, 'sound') }
  const form = {
    token: textOf(delivery, 'api_key'),
    user: textOf(delivery, 'user_key'),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== '')),
    priority,
    ...(priority === '2' ? PUSHOVER_EMERGENCY : {}),
    title: truncate(project, PUSHOVER_TITLE_LIMIT),
    message: truncate([`${summary}.`, ...titles].join('\n'), PUSHOVER_LIMIT),
    url,
    url_title: `See ${truncate(project, 90)}`,
  }
  return [await send(delivery, { url: 'https://api.pushover.net/1/messages.json', form })]
}

/** Flowdock: an activity in the thread of the branch. */
export const flowdock: Vendor = async (delivery) => {
  const { summary, project, branch, url, push } = describePush(delivery)
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
        title: summary,
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

/** Campfire: a line in a room. */
export const campfire: Vendor = async (delivery) => {
  const { summary, project, url, isRemoved } = describePush(delivery)
  const [subdomain, room] = [textOf(delivery, 'subdomain'), textOf(delivery, 'room')]
  if (subdomain === '' || room === '') return []
  const body = `[${project}] ${summary}.${isRemoved ? '' : ` ${url}`}`
  return [
    await send(delivery, {
      url: `https://${subdomain}.campfirenow.com/room/${encodeURIComponent(room)}/speak.json`,
      basic: { user: textOf(delivery, 'token'), password: 'X' },
      json: { message: { type: 'TextMessage', body } },
    }),
  ]
}

/** Assembla: the payload, for a tool of a space that accepts pushes. */
export const assembla: Vendor = async (delivery) => {
  const space = textOf(delivery, 'subdomain')
  const key = new URLSearchParams({ secret_key: textOf(delivery, 'token') })
  return [
    await send(delivery, {
      url: `https://atlas.assembla.com/spaces/${encodeURIComponent(space)}/github_tool?${key}`,
      json: { payload: delivery.payload },
    }),
  ]
}
