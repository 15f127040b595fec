import { request, type IncomingMessage } from 'node:http'
import { request as requestTls } from 'node:https'

import { StartupError } from '../../../lib/fail.ts'

/** Which instance a command speaks to. */
export interface Target {
  readonly url: string
  readonly token: string | undefined
}

/** Sends a request to a running instance. Throws StartupError with its refusal, or when it does not answer. */
export async function ask(
  target: Target,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const text = await askText(target, method, path, body)
  return text === '' ? undefined : JSON.parse(text)
}

/** The same for an answer that is not JSON. */
export async function askText(
  { url, token }: Target,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: Readonly<Record<string, unknown>>,
): Promise<string> {
  if (!token) throw new StartupError("Which token? Name an administrator's with --token or DESKFORGE_TOKEN.")
  const { status, text } = await send(new URL(path, url), {
    method,
    token,
    body: body && JSON.stringify(body),
  }).catch(() => {
    throw new StartupError(`No instance answers at ${url}.`)
  })
  if (status < 300) return text
  throw new StartupError(`The instance refused: ${sentenceIn(text) ?? `status ${status}`}`)
}

async function send(
  url: URL,
  { method, token, body }: { method: string; token: string; body: string | undefined },
): Promise<{ status: number; text: string }> {
  const headers = { 'private-token': token, 'content-type': 'application/json' }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = (url.protocol === 'https:' ? requestTls : request)(url, { method, headers }, resolve)
    call.once('error', reject)
    call.end(body)
  })
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return { status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }
}

function sentenceIn(text: string): string | undefined {
  try {
    const { message, error } = JSON.parse(text) as { message?: unknown; error?: unknown }
    const said = message ?? error
    return typeof said === 'string' ? said : JSON.stringify(said)
  } catch {
    return undefined
  }
}
