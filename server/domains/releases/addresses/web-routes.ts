import { webRoute, type WebExchange } from '../../../http/web-route.ts'
import { notFound } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { featureLevel, project as scope, projectAbilities } from '../../projects/index.ts'
import * as evidence from '../store-evidence.ts'
import { byFilepath } from '../links/store.ts'
import { decoded, webReader } from '../../repository/index.ts'
import { abilities } from '../policy.ts'
import { findRelease, latestRelease } from '../service-read.ts'
import { pathOfRelease } from './paths.ts'
import { hrefOf, withoutOrder } from './paths.ts'

const PROJECT = String.raw`^\/((?:(?!\/-\/).)+)\/-\/releases`

/** `<project>/-/releases/permalink/latest/…`: redirects to the latest release, or to the same path below it. */
export const latestPage = webRoute({
  name: 'releases.latest',
  methods: ['GET', 'HEAD'],
  pattern: new RegExp(String.raw`${PROJECT}\/permalink\/latest(\/.*)?$`, 's'),
  handle: async (exchange) => {
    const { ctx, owner } = await webReader(exchange, abilities.read_release_of_tag)
    const page = pathOfRelease(owner, latestRelease(ctx, owner).tag)
    redirectTo(exchange, page + (exchange.match[2] ?? '') + withoutOrder(exchange.query))
  },
})

/** `<project>/-/releases/<tag>/downloads/<path>`: the permanent URL of a link, which redirects to its target. */
export const downloadPage = webRoute({
  name: 'releases.download',
  methods: ['GET', 'HEAD'],
  pattern: new RegExp(String.raw`${PROJECT}\/([^/]+)\/downloads\/(.+)$`, 's'),
  handle: async (exchange) => {
    const { ctx, owner } = await webReader(exchange, abilities.read_release_of_tag)
    const release = findRelease(ctx, owner, decoded(exchange.match[2]!))
    const link = byFilepath(ctx.db, release.id, `/${decoded(exchange.match[3]!)}`)
    if (!link) throw notFound()
    redirectTo(exchange, withTicket(exchange, hrefOf(link.url)))
  },
})

/** `<project>/-/releases/<tag>/evidences/<id>.json`: the evidence, with exactly the bytes that its SHA is computed from. */
export const evidenceFile = webRoute({
  name: 'releases.evidence',
  methods: ['GET', 'HEAD'],
  pattern: new RegExp(String.raw`${PROJECT}\/([^/]+)\/evidences\/(\d{1,15})\.json$`, 's'),
  handle: async (exchange) => {
    const { ctx, owner } = await webReader(exchange, abilities.read_release_of_tag)
    const release = findRelease(ctx, owner, decoded(exchange.match[2]!))
    const row = evidence.byId(ctx.db, release.id, Number(exchange.match[3]))
    if (!row) throw notFound()
    // Evidence contains issues, which may have fewer readers than the code.
    const hasIssues = featureLevel(owner, 'issues') !== 'disabled'
    if (hasIssues && !hasAbility(ctx, scope, projectAbilities.read_issues, owner)) throw notFound()
    const body = Buffer.from(row.summary)
    exchange.res.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      'Cache-Control': 'private, no-cache',
      'X-Content-Type-Options': 'nosniff',
    })
    exchange.res.end(exchange.req.method === 'HEAD' ? undefined : body)
  },
})

/** Adds the page ticket of the request to a URL of this instance, so that it opens this URL, too. */
function withTicket({ ctx, query }: WebExchange, location: string): string {
  const ticket = new URLSearchParams(query).get('page_ticket')
  if (!ticket || !location.startsWith(`${ctx.config.url}/`)) return location
  const target = new URL(location)
  target.searchParams.set('page_ticket', ticket)
  return target.href
}

function redirectTo({ res }: WebExchange, location: string): void {
  res.writeHead(302, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end()
}
