import { createHash, timingSafeEqual } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'

import { readBytes } from '../../../http/request/body.ts'
import { webRoute, type WebExchange } from '../../../http/web-route.ts'
import { fail } from '../../../lib/fail.ts'
import { system } from '../../../policy/actor.ts'
import { follow } from './following.ts'
import { askForBackup } from '../service.ts'
import { localAddressOf } from './address.ts'

const MAX_BODY = 64 * 1024

/**
 * `POST /-/local/backups`: the command line of the same machine asks for a backup and hears how it goes, a line of JSON at a time.
 * It proves itself by a token that only the owner of the data folder can read.
 */
export const localBackups = webRoute({
  name: 'backups.local',
  methods: ['POST'],
  pattern: /^\/-\/local\/backups$/,
  handle: async (exchange) => {
    insistOnToken(exchange)
    const { req, res } = exchange
    const ctx = { ...exchange.ctx, actor: system }
    const { passphrase, place, keep } = await orderOf(exchange)
    if (place !== undefined && (!isAbsolute(place) || existsSync(place)))
      throw fail('conflict', `There is a file at ${place} already.`)
    const row = askForBackup(ctx, { passphrase, place, keep })
    res.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' })
    // Whoever asked is gone: nobody wants it any more.
    const gone = new AbortController()
    res.once('close', () => gone.abort())
    req.resume()
    for await (const line of follow(ctx, row.id, gone.signal)) res.write(`${JSON.stringify(line)}\n`)
    res.end()
  },
})

function insistOnToken({ req, ctx }: WebExchange): void {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  const shown = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? ''
  const door = localAddressOf(ctx)
  if (!door || !timingSafeEqual(digest(shown), digest(door.token))) throw fail('unauthorized')
}

async function orderOf({ req }: WebExchange) {
  try {
    const order = JSON.parse((await readBytes(req, MAX_BODY)).toString('utf8')) as Record<string, unknown>
    const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
    const keep = Number.isInteger(order['keep']) ? (order['keep'] as number) : undefined
    return { passphrase: textOf(order['passphrase']), place: textOf(order['place']), keep }
  } catch {
    throw fail('bad_request', 'The order cannot be read.')
  }
}
