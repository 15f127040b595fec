import { stat } from 'node:fs/promises'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { requestCountsOf, DURATION_BUCKETS } from '../../../lib/request-counts.ts'
import { jobCounts, queues } from '../queues/store.ts'
import { counts } from '../statistics/store.ts'

type Labels = Readonly<Record<string, string | number>>
type Sample = readonly [labels: Labels, value: number, ending?: string]

/** The metrics of the instance in the text format of Prometheus. */
export async function figures(ctx: Ctx): Promise<string> {
  return [...ofRequests(ctx), ...ofJobs(ctx), ...(await ofDatabase(ctx)), ...ofProcess()].join('\n') + '\n'
}

function metric(
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: readonly Sample[],
) {
  const lines = samples.map(([labels, value, ending = '']) => `${name}${ending}${written(labels)} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]
}

function written(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

function ofRequests({ db }: Ctx): string[] {
  const requests = requestCountsOf(db)
  const answers = [...requests.answers].map(([key, count]): Sample => {
    const [method = '', status = ''] = key.split(' ')
    return [{ method: method.toLowerCase(), status }, count]
  })
  let below = 0
  const spans = DURATION_BUCKETS.map((le, at): Sample => [
    { le },
    (below += requests.buckets[at]!),
    '_bucket',
  ])
  const total = below + requests.buckets.at(-1)!
  return [
    ...metric('http_requests_total', 'counter', 'Requests that were answered.', answers),
    ...metric('http_request_duration_seconds', 'histogram', 'Duration of requests.', [
      ...spans,
      [{ le: '+Inf' }, total, '_bucket'],
      [{}, Number(requests.seconds.toFixed(6)), '_sum'],
      [{}, total, '_count'],
    ]),
  ]
}

function ofJobs(ctx: Ctx): string[] {
  const jobs = jobCounts(ctx.db)
  return [
    ...metric('deskforge_jobs', 'gauge', 'Background jobs by state.', [
      [{ state: 'waiting' }, jobs.enqueued],
      [{ state: 'running' }, jobs.running],
      [{ state: 'failed' }, jobs.failed],
    ]),
    ...metric(
      'deskforge_jobs_due',
      'gauge',
      'Jobs that are due and wait, by lane.',
      queues(ctx.db, ctx.now).map(({ name, backlog }): Sample => [{ queue: name }, backlog]),
    ),
  ]
}

async function ofDatabase(ctx: Ctx): Promise<string[]> {
  const { database } = dataPaths(ctx.config.dataDir)
  const sizeOf = async (file: string) => (await stat(file).catch(() => null))?.size ?? 0
  const rows = Object.entries(counts(ctx.db)).map(([kind, count]): Sample => [{ kind }, count as number])
  return [
    ...metric('deskforge_database_bytes', 'gauge', 'Size of the files of the database.', [
      [{ file: 'main' }, await sizeOf(database)],
      [{ file: 'wal' }, await sizeOf(`${database}-wal`)],
    ]),
    ...metric('deskforge_records', 'gauge', 'Number of records by kind.', rows),
  ]
}

function ofProcess(): string[] {
  const memory = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const started = Math.round(Date.now() / 1000 - process.uptime())
  return [
    ...metric('process_resident_memory_bytes', 'gauge', 'Memory of the process.', [[{}, memory.rss]]),
    ...metric('nodejs_heap_size_used_bytes', 'gauge', 'Memory of the JavaScript heap.', [
      [{}, memory.heapUsed],
    ]),
    ...metric('process_cpu_seconds_total', 'counter', 'Processor time.', [[{}, (user + system) / 1e6]]),
    ...metric('process_start_time_seconds', 'gauge', 'When the process began.', [[{}, started]]),
  ]
}
