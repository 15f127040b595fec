import { pipeline } from 'node:stream/promises'

import { contentType, disposition, SANDBOX } from '../../../http/content.ts'
import { parseForm } from '../../../http/nesting.ts'
import { peek } from '../../../http/peek.ts'
import { webRoute } from '../../../http/web-route.ts'
import { codeReader, signalOf } from '../web-read.ts'
import { fileName } from './entity.ts'
import { countRawFile } from './rates.ts'
import { openRaw } from './raw-service.ts'

/** The bytes of a file for the window: pictures in documents, downloads, plain text. */
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
    const fresh = { ETag: etag, 'Cache-Control': 'private, no-cache', Vary: 'Origin, Cookie' }
    if (req.headers['if-none-match'] === etag) {
      file.stream.destroy()
      res.writeHead(304, fresh).end()
      return
    }
    const [head, content] = await peek(file.stream)
    const { type, inline } = contentType(file.path, head)
    const kind = inline && !parseForm(query)['download'] ? 'inline' : 'attachment'
    res.writeHead(200, {
      ...fresh,
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
