import { openAsBlob } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { request as requestTls } from 'node:https'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

import { StartupError } from '../../../lib/fail.ts'

/** The instance that a command sends requests to. */
export interface Target {
  readonly url: string
  readonly token: string | undefined
}

/** An instance refused a request. */
export class RefusedRequest extends StartupError {
  /** The JSON of the refusal; undefined for other answers. */
  readonly body: unknown
  constructor(sentence: string, body: unknown) {
    super(`The instance refused: ${sentence}`)
    this.body = body
  }
}

/** Sends a request to a running instance. Throws Refused, or StartupError when nothing answers. */
export async function requestJson(
  target: Target,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const text = await requestText(target, method, path, body)
  return text === '' ? undefined : JSON.parse(text)
}

/** Like `ask`, for an answer that is not JSON. */
export function requestText(
  target: Target,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: Readonly<Record<string, unknown>>,
): Promise<string> {
  return sendChecked(target, path, { method, type: 'application/json', body: body && JSON.stringify(body) })
}

/** Sends a file with texts as a form. Throws like `ask`. */
export async function sendFile(
  { url, token }: Target,
  path: string,
  { file, ...texts }: { readonly file: string } & Readonly<Record<string, string>>,
): Promise<unknown> {
  const form = new FormData()
  for (const [name, text] of Object.entries(texts)) form.set(name, text)
  form.set('file', await openAsBlob(file), 'file')
  // Writes the form as a stream of bytes.
  const { headers, body } = new Response(form)
  const type = headers.get('content-type')!
  const stream = Readable.fromWeb(body as ReadableStream)
  return JSON.parse(await sendChecked({ url, token }, path, { method: 'POST', type, body: stream }))
}

interface RequestContent {
  readonly method: string
  readonly type: string
  readonly body: string | Readable | undefined
}

async function sendChecked({ url, token }: Target, path: string, content: RequestContent): Promise<string> {
  if (!token) throw new StartupError('Give the token of an administrator with --token or DESKFORGE_TOKEN.')
  if (!URL.canParse(path, url)) throw new StartupError(`"${url}" is not the address of an instance.`)
  const { status, text } = await send(new URL(path, url), token, content).catch(() => {
    throw new StartupError(`No instance answers at ${url}.`)
  })
  if (status < 300) return text
  const refusal = parseBody(text)
  throw new RefusedRequest(errorMessage(refusal) ?? `status ${status}`, refusal)
}

async function send(
  url: URL,
  token: string,
  { method, type, body }: RequestContent,
): Promise<{ status: number; text: string }> {
  const headers = { 'private-token': token, 'content-type': type }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = (url.protocol === 'https:' ? requestTls : request)(url, { method, headers }, resolve)
    call.once('error', reject)
    if (body instanceof Readable) {
      body.once('error', reject)
      body.pipe(call)
    } else call.end(body)
  })
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return { status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function errorMessage(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const { message, error } = body as { message?: unknown; error?: unknown }
  const detail = message ?? error
  return typeof detail === 'string' ? detail : JSON.stringify(detail)
}
