import { RE2JS } from 're2js'

import { linearPattern, searchable } from '../../../../lib/text/linear-pattern.ts'
import { settingsOf } from '../../../settings/index.ts'
import type { DeliveryResult } from '../../../webhooks/index.ts'
import { logOtherDelivery, send, joinUrl, type Delivery, listOf, textOf } from '../channel.ts'

/** A commit or merge request that mentions an issue. */
export interface Mention {
  /** URL of the commit or merge request. */
  readonly url: string
  readonly title: string
  readonly comment: string
  /** True if the mention closes the issue. */
  readonly closesIssue: boolean
}

interface Issue {
  readonly fields: {
    readonly resolution: unknown
    readonly comment?: { readonly comments?: readonly { readonly body?: unknown }[] }
  }
}

interface Transitions {
  readonly transitions: readonly {
    readonly id: string
    readonly to?: { readonly statusCategory?: { readonly key?: string } }
  }[]
}

/**
 * Comments on an issue and links the commit or merge request, once. Moves the issue to done if the mention closes it.
 * Ignores issues that do not exist or that the account cannot see.
 */
export async function commentOnIssue(
  delivery: Delivery,
  key: string,
  mention: Mention,
): Promise<DeliveryResult[]> {
  const path = `issue/${encodeURIComponent(key)}`
  const answer = await readFromJira<Issue>(delivery, `${path}?fields=comment,resolution`)
  if ('failure' in answer) return [answer.failure]
  const { fields } = answer.value
  const isMentioned = (fields.comment?.comments ?? []).some((comment) =>
    String(comment.body).includes(mention.url),
  )
  const results: DeliveryResult[] = []
  if (!isMentioned) {
    if (delivery.settings['comment_on_event_enabled'] !== false)
      results.push(await sendToJira(delivery, `${path}/comment`, { body: mention.comment }))
    results.push(await sendToJira(delivery, `${path}/remotelink`, remoteLink(delivery, mention)))
  }
  if (mention.closesIssue && !fields.resolution) results.push(...(await applyTransitions(delivery, path)))
  return results
}

/** A link to the commit or merge request. Jira replaces a link with the same id. */
function remoteLink({ ctx }: Delivery, { url, title }: Mention): object {
  return {
    globalId: `${ctx.config.url} ${url}`,
    relationship: 'mentioned on',
    object: { url, title, icon: { title: 'Deskforge', url16x16: `${ctx.config.url}/favicon.ico` } },
  }
}

/** Applies the configured transitions, or the first one that leads to a done status. */
async function applyTransitions(delivery: Delivery, path: string): Promise<DeliveryResult[]> {
  const isAutomatic = delivery.settings['jira_issue_transition_automatic'] === true
  const results: DeliveryResult[] = []
  if (!isAutomatic) {
    for (const id of listOf(delivery, 'jira_issue_transition_id', /[,;]/))
      results.push(await sendToJira(delivery, `${path}/transitions`, { transition: { id } }))
    return results
  }
  const answer = await readFromJira<Transitions>(delivery, `${path}/transitions`)
  if ('failure' in answer) return [answer.failure]
  const doneTransition = answer.value.transitions.find(
    (transition) => transition.to?.statusCategory?.key === 'done',
  )
  return doneTransition
    ? [await sendToJira(delivery, `${path}/transitions`, { transition: { id: doneTransition.id } })]
    : []
}

const KEY = String.raw`\b[A-Z][A-Z0-9_]+-\d+\b`

/** The maximum number of keys that are read in one text. */
const MAX_KEYS = 20

/** A word that closes an issue, right before its key or before a list of keys. */
const CLOSING =
  /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)(?:\s+issues?)?:?\s+(?:[\w-]+(?:\s*,\s*(?:and\s+)?|\s+and\s+)){0,10}$/i
const MAX_PREFIX = 200

/** Returns the issue keys in a text, with true for issues that the text closes. */
export function issuesIn(delivery: Delivery, text: string): Map<string, boolean> {
  const issues = new Map<string, boolean>()
  const pattern = patternOf(delivery)
  const matcher = pattern.matcher(searchable(pattern, text))
  while (issues.size < MAX_KEYS && matcher.find()) {
    const [start, key] = [
      matcher.start(),
      keyIn(matcher.group() ?? '', textOf(delivery, 'jira_issue_prefix')),
    ]
    if (key === '') continue
    const isDone = CLOSING.test(text.slice(Math.max(0, start - MAX_PREFIX), start))
    issues.set(key, (issues.get(key) ?? false) || isDone)
  }
  return issues
}

/** Compiles the configured pattern with a linear-time engine, because users write it. */
function patternOf(delivery: Delivery): RE2JS {
  const pattern = textOf(delivery, 'jira_issue_regex')
  const prefix = RE2JS.quote(textOf(delivery, 'jira_issue_prefix'))
  try {
    return linearPattern(prefix + (pattern || KEY))
  } catch {
    return RE2JS.compile(KEY)
  }
}

function keyIn(candidate: string, prefix: string): string {
  const key = prefix !== '' && candidate.startsWith(prefix) ? candidate.slice(prefix.length) : candidate
  return /^[\w-]{1,100}$/.test(key) ? key : ''
}

/** The maximum number of bytes of a response that are read. */
const MAX_BYTES = 4 * 1024 * 1024

/** A URL of the REST API, version 2. */
function apiUrl(delivery: Delivery, path: string): string {
  return joinUrl(textOf(delivery, 'api_url') || textOf(delivery, 'url'), `rest/api/2/${path}`)
}

/** The authorization header: a personal access token, or user name and password. */
function authorization(delivery: Delivery): string {
  const password = textOf(delivery, 'password')
  if (delivery.settings['jira_auth_type'] === 1) return `Bearer ${password}`
  return `Basic ${Buffer.from(`${textOf(delivery, 'username')}:${password}`).toString('base64')}`
}

/** Sends a request with a JSON body to Jira and logs it. */
export function sendToJira(delivery: Delivery, path: string, json: object): Promise<DeliveryResult> {
  return send(delivery, {
    url: apiUrl(delivery, path),
    headers: { Authorization: authorization(delivery) },
    json,
  })
}

/** The response, or the result of the failed request. */
export type Answer<T> = { readonly value: T } | { readonly failure: DeliveryResult }

/** Reads JSON from Jira. Logs only failures. */
export async function readFromJira<T>(delivery: Delivery, path: string): Promise<Answer<T>> {
  const url = apiUrl(delivery, path)
  const start = Date.now()
  const logFailure = (error: string) => ({
    failure: logOtherDelivery(delivery, { method: 'GET', url, error, duration_ms: Date.now() - start }),
  })
  if (settingsOf(delivery.ctx).silent_mode_enabled)
    return logFailure('Nothing was sent: the instance is in silent mode.')
  try {
    const { outbound, config } = delivery.ctx
    const response = await outbound.fetch(url, {
      headers: { Accept: 'application/json', Authorization: authorization(delivery) },
      redirect: 'manual',
      timeoutMs: config.hookTimeoutMs,
    })
    if (!response.ok) {
      await response.body?.cancel()
      return logFailure(`Jira answered ${response.status}.`)
    }
    return { value: JSON.parse(await readBounded(response)) as T }
  } catch (error) {
    const { message, cause } = error as Error
    return logFailure(`Jira could not be reached: ${cause instanceof Error ? cause.message : message}`)
  }
}

async function readBounded(response: { body: AsyncIterable<Uint8Array> | null }): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > MAX_BYTES) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
