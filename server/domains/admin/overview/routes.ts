import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { ok, raw } from '../../../http/returns.ts'
import { InstanceOverview } from './entity.ts'
import { overview } from './service.ts'
import { entity } from '../../../http/entity.ts'
import { counts, type Counts } from './store.ts'
import { notFound } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'

/** Version and features of the instance (spec core 8.11). */
const Metadata = entity(
  'Metadata',
  {
    version: z.string(),
    revision: z.string(),
    kas: z.strictObject({
      enabled: z.boolean(),
      externalUrl: z.string().nullable(),
      version: z.string().nullable(),
    }),
    enterprise: z.boolean(),
  },
  (row: { version: string; revision: string }) => ({
    version: row.version,
    revision: row.revision,
    kas: { enabled: false, externalUrl: null, version: null },
    enterprise: true,
  }),
)

export const getVersion = endpoint('GET /version', {
  summary: 'Get the version of the instance',
  can: 'signed_in',
  token: ['read_user'],
  returns: ok(Metadata),
  run: ({ config }) => config,
})

export const getMetadata = endpoint('GET /metadata', {
  summary: 'Get metadata of the instance',
  can: 'signed_in',
  token: ['read_user'],
  returns: ok(Metadata),
  run: ({ config }) => config,
})

export const securityText = endpoint('GET /.well-known/security.txt', {
  summary: 'Get the security contact of the instance',
  can: 'anyone',
  allowsRestrictedSession: true,
  returns: raw,
  run: (ctx) => {
    const text = settingsOf(ctx).security_txt_content?.trim()
    if (!text) throw notFound()
    return { type: 'text/plain; charset=utf-8', body: `${text}\n` }
  },
})

export const getOverview = endpoint('GET /-/admin/overview', {
  summary: 'Get an overview of the instance',
  can: 'admin',
  volatile: true,
  returns: ok(InstanceOverview),
  run: overview,
})

/** Formats a number with thousands separators. */
const formatCount = (count: number): string => count.toLocaleString('en-US')

/** The numbers of records of the instance, as texts (spec administration 13). */
const ApplicationStatistics = entity(
  'ApplicationStatistics',
  {
    forks: z.string(),
    issues: z.string(),
    merge_requests: z.string(),
    notes: z.string(),
    snippets: z.string(),
    ssh_keys: z.string(),
    milestones: z.string(),
    users: z.string(),
    groups: z.string(),
    projects: z.string(),
    active_users: z.string(),
  },
  (counts: Counts) => ({
    forks: formatCount(counts.forks),
    issues: formatCount(counts.issues),
    merge_requests: formatCount(counts.merge_requests),
    notes: formatCount(counts.notes),
    snippets: formatCount(counts.snippets),
    ssh_keys: formatCount(counts.ssh_keys),
    milestones: formatCount(counts.milestones),
    users: formatCount(counts.users),
    groups: formatCount(counts.groups),
    projects: formatCount(counts.projects),
    active_users: formatCount(counts.active_users),
  }),
)

export const getStatistics = endpoint('GET /application/statistics', {
  summary: 'Get application statistics',
  can: 'admin',
  pure: true,
  returns: ok(ApplicationStatistics),
  run: (ctx) => counts(ctx.db),
})
