import { createHash, timingSafeEqual } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'

import { readBytes } from '../../../http/request/body.ts'
import { webRoute, type WebExchange } from '../../../http/web-route.ts'
import { fail } from '../../../lib/fail.ts'
import { system } from '../../../policy/actor.ts'
import { followBackup, localAddressOf } from './following.ts'
import { requestBackup } from '../service.ts'

const MAX_BODY = 64 * 1024

/**
 * `POST /-/local/backups`: creates a backup for the command line on the same machine. Each line of the answer is the
 * progress as JSON. The command line authenticates with a token that only the owner of the data folder can read.
 */
export const localBackups = webRoute({
  name: 'backups.local',
  methods: ['POST'],
  pattern: /^\/-\/local\/backups$/,
  handle: async (exchange) => {
    checkToken(exchange)
    const { req, res } = exchange
    const ctx = { ...exchange.ctx, actor: system }
    const { passphrase, path, keep } = await parseRequest(exchange)
    if (path !== undefined && (!isAbsolute(path) || existsSync(path)))
      throw fail('conflict', `The file ${path} already exists.`)
    const row = requestBackup(ctx, { passphrase, path, keep })
    res.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' })
    // The backup is canceled when the command line ends.
    const disconnected = new AbortController()
    res.once('close', () => disconnected.abort())
    req.resume()
    for await (const line of followBackup(ctx, row.id, disconnected.signal))
      res.write(`${JSON.stringify(line)}\n`)
    res.end()
  },
})

function checkToken({ req, ctx }: WebExchange): void {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  const token = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? ''
  const address = localAddressOf(ctx)
  if (!address || !timingSafeEqual(digest(token), digest(address.token))) throw fail('unauthorized')
}

async function parseRequest({ req }: WebExchange) {
  try {
    const body = JSON.parse((await readBytes(req, MAX_BODY)).toString('utf8')) as Record<string, unknown>
    const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
    const keep = Number.isInteger(body['keep']) ? (body['keep'] as number) : undefined
    return { passphrase: textOf(body['passphrase']), path: textOf(body['path']), keep }
  } catch {
    throw fail('bad_request', 'The request cannot be read.')
  }
}
