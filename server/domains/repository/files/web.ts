import { pipeline } from 'node:stream/promises'

import type { Ctx } from '../../../ctx.ts'
import { openBlob } from '../../../git/read/blob.ts'
import { isRevision } from '../../../git/names.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { findEntry } from '../../../git/read/tree.ts'
import type { Repo } from '../../../git/types.ts'
import { SANDBOX, contentType, disposition } from '../../../http/answer/content.ts'
import { parseForm } from '../../../http/request/nesting.ts'
import { peek } from '../../../http/request/peek.ts'
import { webRoute } from '../../../http/web-route.ts'
import { notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { largeFileOf, openLargeFile } from '../service.ts'
import { inRepository } from '../../projects/index.ts'
import { codeReader, signalOf } from '../web.ts'
import { fileName } from './entity.ts'
import { countRawFile } from './rates.ts'

/** The maximum number of segments of a ref name. Longer names work only in the API. */
const MAX_REF_SEGMENTS = 20

interface RawTarget {
  readonly blob: string
  readonly path: string
}

/** Splits `<ref>/<path>`. The ref is the shortest prefix for which the rest is the path of a file. */
async function findTarget(repo: Repo, rest: string): Promise<RawTarget | undefined> {
  const segments = rest.split('/')
  for (let length = 1; length < Math.min(segments.length, MAX_REF_SEGMENTS); length++) {
    const ref = segments.slice(0, length).join('/')
    const path = segments.slice(length).join('/')
    const commit = isRevision(ref) ? await resolveCommit(repo, ref) : null
    const entry = commit === null ? null : await findEntry(repo, commit, path)
    if (entry?.type === 'blob') return { blob: entry.id, path }
  }
  return undefined
}

/** Opens a file by `<ref>/<path>` as a stream, or the LFS object of a pointer if the instance has it. */
function openRaw(ctx: Ctx, project: Project, rest: string, signal: AbortSignal) {
  return inRepository(ctx, project, async (repo) => {
    const target = await findTarget(repo, rest)
    const blob = target && (await openBlob(repo, target.blob, { signal }))
    if (!target || !blob) throw notFound('File')
    const large = await largeFileOf(ctx, project, repo, blob)
    if (large) {
      blob.stream.destroy()
      const stream = openLargeFile(ctx, large, signal)
      return { id: large.oid, size: large.size, stream, path: target.path }
    }
    return { id: blob.id, size: blob.size, stream: blob.stream, path: target.path }
  })
}

/** Serves raw files for the window: pictures in documents, downloads, plain text. */
export const rawFile = webRoute({
  name: 'repository.raw',
  methods: ['GET', 'HEAD'],
  pattern: /^\/((?:(?!\/-\/).)+)\/-\/raw\/(.+)$/s,
  handle: async (exchange) => {
    const { req, res, query } = exchange
    const { ctx, project, rest } = await codeReader(exchange)
    countRawFile(ctx, project, rest)
    const file = await openRaw(ctx, project, rest, signalOf(exchange))
    const etag = `"${file.id}"`
    const headers = { ETag: etag, 'Cache-Control': 'private, no-cache', Vary: 'Origin, Cookie' }
    if (req.headers['if-none-match'] === etag) {
      file.stream.destroy()
      res.writeHead(304, headers).end()
      return
    }
    const [head, content] = await peek(file.stream)
    const { type, inline } = contentType(file.path, head)
    const kind = inline && !parseForm(query)['download'] ? 'inline' : 'attachment'
    res.writeHead(200, {
      ...headers,
      'Content-Type': type,
      'Content-Length': file.size,
      'Content-Disposition': disposition(kind, fileName(file.path)),
      'Content-Security-Policy': SANDBOX,
      'Cross-Origin-Resource-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    })
    if (req.method === 'HEAD') {
      file.stream.destroy()
      res.end()
      return
    }
    await pipeline(content, res)
  },
})
