import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { entity, time } from '../../../http/entity.ts'
import { text } from '../../../http/params.ts'
import { ok, raw } from '../../../http/returns.ts'
import { COUNT_QUERIES, counts, type Counts } from '../overview/store.ts'

interface Usage {
  readonly now: string
  readonly version: string
  readonly hostname: string
  readonly counts: Counts
}

/** Usage data of the instance. The instance never sends it. */
export const UsageData = entity(
  'UsageData',
  {
    recorded_at: time(),
    hostname: z.string(),
    version: z.string(),
    edition: z.string(),
    active_user_count: z.int(),
    counts: z.record(z.string(), z.int()),
  },
  ({ now, hostname, version, counts: { active_users, ...rest } }: Usage) => ({
    recorded_at: now,
    hostname,
    version,
    edition: 'EE',
    active_user_count: active_users,
    counts: rest,
  }),
)

function usage(ctx: Ctx): Usage {
  const { url, version } = ctx.config
  return { now: ctx.now, version, hostname: new URL(url).hostname, counts: counts(ctx.db) }
}

export const servicePing = endpoint('GET /usage_data/service_ping', {
  summary: 'Get service ping data',
  can: 'admin',
  volatile: true,
  returns: ok(UsageData),
  run: usage,
})

export const nonSqlMetrics = endpoint('GET /usage_data/non_sql_metrics', {
  summary: 'Get non-SQL service ping data',
  can: 'admin',
  volatile: true,
  returns: ok(UsageData),
  run: usage,
})

/** The SQL queries of the usage data. */
export const UsageQueries = entity(
  'UsageQueries',
  {
    recorded_at: time(),
    hostname: z.string(),
    version: z.string(),
    counts: z.record(z.string(), z.string()),
  },
  ({ now, hostname, version }: Usage) => ({
    recorded_at: now,
    hostname,
    version,
    counts: { ...COUNT_QUERIES },
  }),
)

export const usageQueries = endpoint('GET /usage_data/queries', {
  summary: 'List the service ping queries',
  can: 'admin',
  volatile: true,
  returns: ok(UsageQueries),
  run: usage,
})

export const metricDefinitions = endpoint('GET /usage_data/metric_definitions', {
  summary: 'Get the metric definitions. The instance has none',
  can: 'anyone',
  returns: raw,
  run: () => ({ type: 'application/yaml', body: '--- []\n' }),
})

/** The response to a usage event, which the instance ignores. */
export const UsageAccepted = entity('UsageTaken', { status: z.string() }, () => ({ status: 'ok' }))

export const trackEvent = endpoint('POST /usage_data/track_event', {
  summary: 'Track a usage event. The instance ignores it',
  can: 'signed_in',
  params: { event: text({ max: 255 }).describe('Name of the event') },
  returns: ok(UsageAccepted),
  run: () => ({}),
})

export const incrementCounter = endpoint('POST /usage_data/increment_counter', {
  summary: 'Increment a usage counter. The instance ignores it',
  can: 'signed_in',
  params: { event: text({ max: 255 }).describe('Name of the event') },
  returns: ok(UsageAccepted),
  run: () => ({}),
})

export const incrementUniqueUsers = endpoint('POST /usage_data/increment_unique_users', {
  summary: 'Increment a counter of unique users. The instance ignores it',
  can: 'signed_in',
  params: { event: text({ max: 255 }).describe('Name of the event') },
  returns: ok(UsageAccepted),
  run: () => ({}),
})
