import { pipeline } from 'node:stream/promises'

import { contentType, disposition, SANDBOX } from '../../../http/answer/content.ts'
import { parseForm } from '../../../http/request/nesting.ts'
import { peek } from '../../../http/request/peek.ts'
import { webRoute, type WebExchange } from '../../../http/web-route.ts'
import { notFound } from '../../../lib/fail.ts'
import { decoded, webReader } from '../../repository/index.ts'
import { getJob } from '../jobs/service.ts'
import { abilities } from '../policy.ts'
import {
  archiveOf,
  jobOfRef,
  jobOfRefAndPath,
  openArchivedFile,
  openContent,
  type Content,
} from './download.ts'

/** `<project>/-/jobs/<id>/artifacts/…`: artifacts for browsers, such as screenshots in test reports. */
export const artifactsOfJob = webRoute({
  name: 'ci.artifacts',
  methods: ['GET', 'HEAD'],
  pattern: /^\/((?:(?!\/-\/).)+)\/-\/jobs\/(\d{1,15})\/artifacts\/(?:download|(?:raw|file)\/(.+))$/s,
  handle: async (exchange) => {
    const { ctx, owner } = await webReader(exchange, abilities.read_jobs)
    const archive = archiveOf(ctx, owner, getJob(ctx, owner, Number(exchange.match[2])))
    const path = exchange.match[3]
    if (path === undefined) await send(exchange, await openContent(ctx, archive), 'attachment')
    else await send(exchange, await openArchivedFile(ctx, archive, decoded(path)))
  },
})

/**
 * `<project>/-/jobs/artifacts/<ref>/…?job=<name>`: artifacts of the last successful pipeline of a ref, to which badges
 * and pages link.
 */
export const artifactsOfRef = webRoute({
  name: 'ci.artifacts_of_ref',
  methods: ['GET', 'HEAD'],
  pattern: /^\/((?:(?!\/-\/).)+)\/-\/jobs\/artifacts\/(?:(.+)\/download|(.+?)\/(?:raw|file)\/(.+))$/s,
  handle: async (exchange) => {
    const { ctx, owner } = await webReader(exchange, abilities.read_jobs)
    const [, , archiveRef, ref, path] = exchange.match
    const { job: name } = parseForm(exchange.query)
    if (typeof name !== 'string') throw notFound()
    if (archiveRef !== undefined) {
      const archive = archiveOf(ctx, owner, jobOfRef(ctx, owner, decoded(archiveRef), name))
      return send(exchange, await openContent(ctx, archive), 'attachment')
    }
    const match = jobOfRefAndPath(ctx, owner, `${decoded(ref!)}/raw/${decoded(path!)}`, name)
    await send(exchange, await openArchivedFile(ctx, archiveOf(ctx, owner, match.job), match.path))
  },
})

/**
 * Sends images and other harmless files with their own content type, text as plain text, and everything else as a
 * download.
 */
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
