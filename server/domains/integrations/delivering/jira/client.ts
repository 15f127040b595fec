import { settingsOf } from '../../../settings/index.ts'
import type { SentOut } from '../../../webhooks/index.ts'
import { note, send } from '../channel.ts'
import { type Delivery, textOf } from '../delivery.ts'
import { below } from '../urls.ts'

/** Longer answers are not read. */
const MOST_BYTES = 4 * 1024 * 1024

/** Address of something of the REST API, version 2. */
function apiUrl(delivery: Delivery, path: string): string {
  return below(textOf(delivery, 'api_url') || textOf(delivery, 'url'), `rest/api/2/${path}`)
}

/** A personal access token, or the name and password of an account. */
function authorization(delivery: Delivery): string {
  const password = textOf(delivery, 'password')
  if (delivery.settings['jira_auth_type'] === 1) return `Bearer ${password}`
  return `Basic ${Buffer.from(`${textOf(delivery, 'username')}:${password}`).toString('base64')}`
}

/** Tells Jira something; the attempt is in the log. */
export function tell(delivery: Delivery, path: string, json: object): Promise<SentOut> {
  return send(delivery, {
    url: apiUrl(delivery, path),
    headers: { Authorization: authorization(delivery) },
    json,
  })
}

/** Something that was asked, or the entry of the log that says why there is no answer. */
export type Answer<T> = { readonly found: T } | { readonly failed: SentOut }

/** Asks Jira; only what went wrong is in the log. */
export async function ask<T>(delivery: Delivery, path: string): Promise<Answer<T>> {
  const url = apiUrl(delivery, path)
  const began = Date.now()
  const failed = (error: string) => ({
    failed: note(delivery, { method: 'GET', url, error, duration_ms: Date.now() - began }),
  })
  if (settingsOf(delivery.ctx).silent_mode_enabled)
    return failed('Nothing was sent: the instance is in silent mode.')
  try {
    const { outbound, config } = delivery.ctx
    const response = await outbound.fetch(url, {
      headers: { Accept: 'application/json', Authorization: authorization(delivery) },
      redirect: 'manual',
      timeoutMs: config.hookTimeoutMs,
    })
    if (!response.ok) {
      await response.body?.cancel()
      return failed(`Jira answered ${response.status}.`)
    }
    return { found: JSON.parse(await bounded(response)) as T }
  } catch (error) {
    const { message, cause } = error as Error
    return failed(`Jira could not be asked: ${cause instanceof Error ? cause.message : message}`)
  }
}

async function bounded(response: { body: AsyncIterable<Uint8Array> | null }): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.length
    if (length > MOST_BYTES) throw new Error('the answer is too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}
