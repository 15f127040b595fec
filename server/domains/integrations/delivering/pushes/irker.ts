import { performance } from 'node:perf_hooks'

import { settingsOf } from '../../../settings/index.ts'
import { note } from '../channel.ts'
import { type Delivery, listOf, textOf, type Vendor } from '../delivery.ts'
import { countOf, pushWords } from './words.ts'

/** Of a push with more, the first are told one by one. */
const MOST_COMMITS = 3
const PORT = 6659

/** irker: lines of JSON to a daemon that says them in channels of IRC. */
export const irker: Vendor = async (delivery) => {
  const to = recipientsOf(delivery)
  if (to.length === 0) return []
  const host = textOf(delivery, 'server_host') || 'localhost'
  const port = Number(textOf(delivery, 'server_port') || PORT)
  const body = linesOf(delivery)
    .map((privmsg) => `${JSON.stringify({ to, privmsg })}\n`)
    .join('')
  const began = performance.now()
  const error = await say(delivery, host, port, body)
  const duration_ms = Math.round(performance.now() - began)
  const told = { method: 'TCP', url: `irker://${host}:${port}`, body, duration_ms }
  return [note(delivery, error === undefined ? told : { ...told, error })]
}

/** Whole addresses; what is only the name of a channel stands behind the usual address. */
function recipientsOf(delivery: Delivery): string[] {
  const usual = textOf(delivery, 'default_irc_uri')
  return listOf(delivery, 'recipients', /\s+/).flatMap((one) => {
    if (/^ircs?:\/\//i.test(one)) return one
    return usual === '' ? [] : `${usual.replace(/\/+$/, '')}/${one.replace(/^\/+/, '')}`
  })
}

function linesOf(delivery: Delivery): string[] {
  const { what, project, branch, url, push, isRemoved } = pushWords(delivery)
  const paint = delivery.settings['colorize_messages'] === true ? colored : (text: string) => text
  const head = `[${paint(project, 6)}] ${paint(what, 3)}`
  const commits = push.commits.slice(0, MOST_COMMITS).map((commit) => {
    const id = paint(commit.id.slice(0, 8), 14)
    return `${paint(project, 6)}/${paint(branch, 7)} ${id} ${paint(commit.author.name, 3)}: ${commit.title}`
  })
  const more = push.total_commits_count - commits.length
  return [
    isRemoved ? head : `${head}: ${url}`,
    ...commits,
    ...(more > 0 && commits.length > 0 ? [`… and ${countOf(more)} more`] : []),
  ].map((line) => line.replace(/[\r\n\0]/g, ' '))
}

/** In one of the sixteen colours of IRC. */
function colored(text: string, color: number): string {
  return `\u0003${String(color).padStart(2, '0')}${text}\u000f`
}

/** Says it and hangs up; the daemon answers nothing. Returns what went wrong. */
async function say({ ctx }: Delivery, host: string, port: number, body: string): Promise<string | undefined> {
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
    return `The daemon could not be told: ${(error as Error).message}.`
  }
}
