import { pipeline } from 'node:stream/promises'

import { disposition } from '../../../http/answer/content.ts'
import { parseForm } from '../../../http/request/nesting.ts'
import { webRoute } from '../../../http/web-route.ts'
import { notFound } from '../../../lib/fail.ts'
import { codeReader, signalOf } from '../web.ts'
import { findArchive, FORMATS } from './service.ts'

/** Matches `<name>.<format>`, with the longest possible format. */
const FILE = new RegExp(
  `^(.+?)\\.(${FORMATS.toSorted((a, b) => b.length - a.length)
    .map((name) => name.replace('.', '\\.'))
    .join('|')})$`,
  's',
)

/** Archives for browsers, at the URLs that releases link to: `/<project>/-/archive/<ref>/<name>.<format>`. */
export const archiveFile = webRoute({
  name: 'repository.archive',
  methods: ['GET', 'HEAD'],
  pattern: /^\/((?:(?!\/-\/).)+)\/-\/archive\/(.+)$/s,
  handle: async (exchange) => {
    const { req, res, query } = exchange
    const { ctx, project, rest } = await codeReader(exchange)
    const [, base, format] = FILE.exec(rest) ?? []
    if (base === undefined || format === undefined) throw notFound('File')
    const slash = base.lastIndexOf('/')
    const sha = slash < 0 ? base : base.slice(0, slash)
    const path = parseForm(query)['path']
    const defaultPrefix = `${project.path}-${sha.replaceAll('/', '-')}`
    const archive = await findArchive(ctx, project, {
      sha,
      format,
      // The name in the URL is used if it is the default name for the ref. Otherwise a name is generated.
      ...(base.slice(slash + 1) === defaultPrefix ? { name: defaultPrefix } : {}),
      ...(typeof path === 'string' ? { path } : {}),
    })
    const cacheHeaders = { ETag: archive.etag, 'Cache-Control': 'private, no-cache', Vary: 'Origin, Cookie' }
    if (req.headers['if-none-match'] === archive.etag) {
      res.writeHead(304, cacheHeaders).end()
      return
    }
    const headers = {
      ...cacheHeaders,
      'Content-Type': archive.type,
      'Content-Disposition': disposition('attachment', archive.file_name),
      'X-Content-Type-Options': 'nosniff',
    }
    if (req.method === 'HEAD') {
      res.writeHead(200, headers).end()
      return
    }
    const stream = await archive.open(signalOf(exchange))
    res.writeHead(200, headers)
    await pipeline(stream, res)
  },
})
