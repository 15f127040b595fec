import type { IncomingMessage } from 'node:http'

import type { z } from 'zod'

import { Refusal } from '../smart_http/refusal.ts'

/** Largest question, bytes: some ten thousand files. */
const MAX_BYTES = 4 * 1024 * 1024
const JSON_TYPE = /^application\/(?:vnd\.git-lfs\+json|json)\s*(?:;|$)/i

/** What a client asks, as JSON of a form. Throws Refusal for anything else. */
export async function questionOf<T>(req: IncomingMessage, form: z.ZodType<T>): Promise<T> {
  if (!JSON_TYPE.test(req.headers['content-type'] ?? ''))
    throw new Refusal(415, 'The request is not one that a client of large files makes.')
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new Refusal(415, 'This content encoding is not supported.')
  const read = form.safeParse(parsed(await textOf(req)))
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new Refusal(422, `${issue?.path.join('.') || 'The request'} is invalid.`)
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  // The answer still goes over this connection where the question is refused half-way.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length
    if (size > MAX_BYTES) throw new Refusal(413, 'The request is too large.')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'The request is no JSON.')
  }
}
