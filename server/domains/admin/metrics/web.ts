import { isLoopback } from '../../../lib/net/peer.ts'
import { webRoute } from '../../../http/web-route.ts'
import { notFound } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import { metricsText } from './figures.ts'

/** Serves metrics to programs on this machine only. A request through a proxy may come from another machine. */
export const metrics = webRoute({
  name: 'administration.metrics',
  methods: ['GET', 'HEAD'],
  pattern: /^\/-\/metrics$/,
  handle: async ({ req, res, ctx }) => {
    const isLocal = isLoopback(req.socket.remoteAddress) && !req.headers['x-forwarded-for']
    if (!settingsOf(ctx).prometheus_metrics_enabled || !isLocal) throw notFound()
    const text = await metricsText(ctx)
    res.writeHead(200, {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
      'Cache-Control': 'no-store',
    })
    res.end(req.method === 'HEAD' ? undefined : text)
  },
})
