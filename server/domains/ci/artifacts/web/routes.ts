import { pipeline } from 'node:stream/promises'

import type { Ctx } from '../../../../ctx.ts'
import { contentType, disposition, SANDBOX } from '../../../../http/content.ts'
import { parseForm } from '../../../../http/nesting.ts'
import { peek } from '../../../../http/peek.ts'
import { shownBy, webRoute, type WebExchange } from '../../../../http/web-route.ts'
import { fail, notFound } from '../../../../lib/fail.ts'
import { canRead, isAble } from '../../../../policy/ability.ts'
import { authenticate } from '../../../auth/index.ts'
import { project as scope, type Project } from '../../../projects/index.ts'
import { getJob } from '../../jobs/service.ts'
import { abilities } from '../../policy.ts'
import { archiveOf, jobOfRef, jobOfRefAndPath, openOne, openWhole, type Content } from '../download.ts'

/** `<project>/-/jobs/<id>/artifacts/…`: addresses that people pass on, and those of pictures in test reports. */
export const artifactsOfJob = webRoute({
  name: 'ci.artifacts',
  methods: ['GET', 'HEAD'],
  pattern: /^\/((?:(?!\/-\/).)+)\/-\/jobs\/(\d{1,15})\/artifacts\/(?:download|(?:raw|file)\/(.+))$/s,
  handle: async (exchange) => {
    const { ctx, owner } = reader(exchange)
    const archive = archiveOf(ctx, owner, getJob(ctx, owner, Number(exchange.match[2])))
    const path = exchange.match[3]
    if (path === undefined) await send(exchange, await openWhole(ctx, archive), 'attachment')
    else await send(exchange, await openOne(ctx, archive, decoded(path)))
  },
})

/** `<project>/-/jobs/artifacts/<ref>/…?job=<name>`: the same of the last successful pipeline, as badges and pages link it. */
export const artifactsOfRef = webRoute({
  name: 'ci.artifacts_of_ref',
  methods: ['GET', 'HEAD'],
  pattern: /^\/((?:(?!\/-\/).)+)\/-\/jobs\/artifacts\/(?:(.+)\/download|(.+?)\/(?:raw|file)\/(.+))$/s,
  handle: async (exchange) => {
    const { ctx, owner } = reader(exchange)
    const [, , whole, ref, path] = exchange.match
    const { job: name } = parseForm(exchange.query)
    if (typeof name !== 'string') throw notFound()
    if (whole !== undefined) {
      const archive = archiveOf(ctx, owner, jobOfRef(ctx, owner, decoded(whole), name))
      return send(exchange, await openWhole(ctx, archive), 'attachment')
    }
    const found = jobOfRefAndPath(ctx, owner, `${decoded(ref!)}/raw/${decoded(path!)}`, name)
    await send(exchange, await openOne(ctx, archiveOf(ctx, owner, found.job), found.path))
  },
})

/** Who asks, by token or session, and for which project. Throws 404, 401, 403. */
function reader(exchange: WebExchange): { ctx: Ctx; owner: Project } {
  const ctx = { ...exchange.ctx, actor: authenticate(exchange.ctx, shownBy(exchange)) }
  const path = decoded(exchange.match[1]!)
  const owner = /^\d+$/.test(path) ? undefined : scope.load(ctx, path)
  if (!owner || !canRead(ctx, scope, owner)) throw notFound('Project')
  const { scopes } = ctx.actor
  const isEnough = scopes === null || scopes.has('api') || scopes.has('read_api')
  if (!isEnough || !isAble(ctx, scope, abilities.read_jobs, owner))
    throw fail(ctx.actor.kind === 'anonymous' ? 'unauthorized' : 'forbidden')
  return { ctx, owner }
}

function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text)
    if (!plain.includes('\0')) return plain
  } catch {
    // As any other address that leads nowhere.
  }
  throw notFound()
}

/** Sends what cannot run as what it is, text as plain text, and all else as a download. */
async function send({ req, res }: WebExchange, file: Content, kind?: 'attachment'): Promise<void> {
  const [head, content] = await peek(file.stream)
  const { type, inline } = contentType(file.name, head)
  res.writeHead(200, {
    'Content-Type': type,
    'Content-Length': file.size,
    'Content-Disposition': disposition(kind ?? (inline ? 'inline' : 'attachment'), file.name),
    'Content-Security-Policy': SANDBOX,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'private, no-cache',
    Vary: 'Origin, Cookie',
  })
  if (req.method === 'HEAD') {
    content.destroy()
    file.stream.destroy()
    res.end()
    return
  }
  await pipeline(content, res)
}
