import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { ok } from '../../../http/returns.ts'
import { counts, type Counts } from './store.ts'

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
