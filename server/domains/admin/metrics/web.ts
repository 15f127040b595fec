import { stat } from 'node:fs/promises'

import { isLoopback } from '../../../lib/net/peer.ts'
import { webRoute } from '../../../http/web-route.ts'
import { notFound } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { requestCountsOf, DURATION_BUCKETS } from '../../../lib/request-counts.ts'
import { jobCounts, queues } from '../queues/store.ts'
import { counts } from '../overview/store.ts'

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

type Labels = Readonly<Record<string, string | number>>
type Sample = readonly [labels: Labels, value: number, suffix?: string]

/** Returns the metrics of the instance in the text format of Prometheus. */
async function metricsText(ctx: Ctx): Promise<string> {
  return (
    [...requestMetrics(ctx), ...jobMetrics(ctx), ...(await databaseMetrics(ctx)), ...processMetrics()].join(
      '\n',
    ) + '\n'
  )
}

function metric(
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: readonly Sample[],
) {
  const lines = samples.map(([labels, value, suffix = '']) => `${name}${suffix}${labelText(labels)} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function requestMetrics({ db }: Ctx): string[] {
  const requests = requestCountsOf(db)
  const answers = [...requests.answers].map(([key, count]): Sample => {
    const [method = '', status = ''] = key.split(' ')
    return [{ method: method.toLowerCase(), status }, count]
  })
  let cumulative = 0
  const buckets = DURATION_BUCKETS.map((le, at): Sample => [
    { le },
    (cumulative += requests.buckets[at]!),
    '_bucket',
  ])
  const total = cumulative + requests.buckets.at(-1)!
  return [
    ...metric('http_requests_total', 'counter', 'Number of answered requests.', answers),
    ...metric('http_request_duration_seconds', 'histogram', 'Duration of requests.', [
      ...buckets,
      [{ le: '+Inf' }, total, '_bucket'],
      [{}, Number(requests.seconds.toFixed(6)), '_sum'],
      [{}, total, '_count'],
    ]),
  ]
}

function jobMetrics(ctx: Ctx): string[] {
  const jobs = jobCounts(ctx.db)
  return [
    ...metric('deskforge_jobs', 'gauge', 'Number of background jobs, by state.', [
      [{ state: 'waiting' }, jobs.enqueued],
      [{ state: 'running' }, jobs.running],
      [{ state: 'failed' }, jobs.failed],
    ]),
    ...metric(
      'deskforge_jobs_due',
      'gauge',
      'Number of due jobs that wait, by queue.',
      queues(ctx.db, ctx.now).map(({ name, backlog }): Sample => [{ queue: name }, backlog]),
    ),
  ]
}

async function databaseMetrics(ctx: Ctx): Promise<string[]> {
  const { database } = dataPaths(ctx.config.dataDir)
  const sizeOf = async (file: string) => (await stat(file).catch(() => null))?.size ?? 0
  const rows = Object.entries(counts(ctx.db)).map(([kind, count]): Sample => [{ kind }, count as number])
  return [
    ...metric('deskforge_database_bytes', 'gauge', 'Size of the database files.', [
      [{ file: 'main' }, await sizeOf(database)],
      [{ file: 'wal' }, await sizeOf(`${database}-wal`)],
    ]),
    ...metric('deskforge_records', 'gauge', 'Number of records, by kind.', rows),
  ]
}

function processMetrics(): string[] {
  const memory = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const started = Math.round(Date.now() / 1000 - process.uptime())
  return [
    ...metric('process_resident_memory_bytes', 'gauge', 'Resident memory of the process.', [
      [{}, memory.rss],
    ]),
    ...metric('nodejs_heap_size_used_bytes', 'gauge', 'Used memory of the JavaScript heap.', [
      [{}, memory.heapUsed],
    ]),
    ...metric('process_cpu_seconds_total', 'counter', 'User and system CPU time of the process.', [
      [{}, (user + system) / 1e6],
    ]),
    ...metric('process_start_time_seconds', 'gauge', 'Start time of the process since the Unix epoch.', [
      [{}, started],
    ]),
  ]
}
