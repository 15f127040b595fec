import { pipeline } from 'node:stream/promises'

import type { Ctx } from '../../ctx.ts'
import { contentType, disposition, SANDBOX } from '../../http/answer/content.ts'
import { parseForm } from '../../http/request/nesting.ts'
import { peek } from '../../http/request/peek.ts'
import { webCredentials, type WebExchange, webRoute } from '../../http/web-route.ts'
import { Failure, notFound } from '../../lib/fail.ts'
import { canRead, hasAbility } from '../../policy/ability.ts'
import { anonymous } from '../../policy/actor.ts'
import { authenticate } from '../auth/index.ts'
import { findGroup, group as groupScope } from '../groups/index.ts'
import { project as projectScope } from '../projects/index.ts'
import { decoded } from '../repository/index.ts'
import { abilities, groupAbilities } from './policy.ts'
import { openAttachedFile } from './service-reading.ts'
import type { WikiOwner } from './types.ts'

/** Paths of uploaded files. They are never pages, so a missing file is not left to the window. */
const UPLOADED_FILE = /^uploads\/[0-9a-f]{32}\/[^/]+$/

/**
 * Sends a file of a wiki other than a page, at the address that pages link to (`<project>/-/wikis/uploads/…`,
 * `groups/<group>/-/wikis/img/plan.png`). The window answers addresses of pages.
 */
export const wikiFile = webRoute({
  name: 'wikis.file',
  methods: ['GET', 'HEAD'],
  pattern: /^\/((?:(?!\/-\/).)+)\/-\/wikis\/(.+\.[^/.]+)$/s,
  handle: async (exchange) => {
    const path = decoded(exchange.match[2]!, 'File')
    try {
      return await send(exchange, path)
    } catch (error) {
      if (!UPLOADED_FILE.test(path) && error instanceof Failure && error.kind === 'not_found')
        return 'declined'
      throw error
    }
  },
})

async function send(exchange: WebExchange, path: string): Promise<void> {
  const { req, res, query } = exchange
  const ctx = contextOf(exchange)
  const abort = new AbortController()
  res.once('close', () => abort.abort())
  const blob = await openAttachedFile(ctx, ownerAt(ctx, decoded(exchange.match[1]!)), path, abort.signal)
  const etag = `"${blob.id}"`
  const headers = { ETag: etag, 'Cache-Control': 'private, no-cache', Vary: 'Origin, Cookie' }
  if (req.headers['if-none-match'] === etag) {
    blob.stream.destroy()
    res.writeHead(304, headers).end()
    return
  }
  const [head, content] = await peek(blob.stream)
  const { type, inline } = contentType(path, head)
  const kind = inline && !parseForm(query)['download'] ? 'inline' : 'attachment'
  res.writeHead(200, {
    ...headers,
    'Content-Type': type,
    'Content-Length': blob.size,
    'Content-Disposition': disposition(kind, path.split('/').at(-1)!),
    'Content-Security-Policy': SANDBOX,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  })
  if (req.method !== 'HEAD') return pipeline(content, res)
  blob.stream.destroy()
  res.end()
}

/** The owner at an address. Throws 404 if there is none or the caller may not read its wiki. */
function ownerAt(ctx: Ctx, address: string): WikiOwner {
  const path = address.replace(/^groups\//, '')
  if (path !== address) {
    const group = /^\d+$/.test(path) ? undefined : findGroup(ctx, path)
    const read = groupAbilities.read_group_wiki
    if (group && canRead(ctx, groupScope, group) && hasAbility(ctx, groupScope, read, group)) return { group }
  } else {
    const project = /^\d+$/.test(path) ? undefined : projectScope.load(ctx, path)
    const read = abilities.read_wiki
    if (project && canRead(ctx, projectScope, project) && hasAbility(ctx, projectScope, read, project))
      return { project }
  }
  throw notFound('File')
}

/** The context of the caller. A token without a read scope makes the caller anonymous. */
function contextOf(exchange: WebExchange): Ctx {
  const actor = authenticate(exchange.ctx, webCredentials(exchange))
  const readScopes = ['api', 'read_api', 'read_repository']
  const isEnough = actor.scopes === null || readScopes.some((name) => actor.scopes!.has(name as 'api'))
  return { ...exchange.ctx, actor: isEnough ? actor : anonymous }
}
