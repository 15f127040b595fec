import { pipeline } from 'node:stream/promises'

import { webRoute } from '../../../../http/web-route.ts'
import { webReader } from '../../../repository/index.ts'
import { projectAbilities } from '../../policy.ts'
import { archiveOf } from './service.ts'

/** `<project>/download_export`: the address of an archive in mails and in the window. */
export const downloadPage = webRoute({
  name: 'transfer.download_export',
  methods: ['GET', 'HEAD'],
  pattern: /^\/((?!-\/|api\/)(?:(?!\/-\/).)+)\/download_export$/s,
  handle: async (exchange) => {
    const { ctx, owner } = await webReader(exchange, projectAbilities.export_project)
    const { type, length, headers, body } = await archiveOf(ctx, owner)
    const { req, res } = exchange
    res.writeHead(200, {
      ...headers,
      'Content-Type': type,
      'Content-Length': length,
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Origin, Cookie',
    })
    if (req.method === 'HEAD') {
      body.destroy()
      res.end()
      return
    }
    // A client that disconnects early is not a server error.
    await pipeline(body, res).catch(() => undefined)
  },
})
