import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { ok } from '../../../http/returns.ts'
import { counts, type Counts } from './store.ts'

/** A number with separators of thousands. */
const grouped = (count: number): string => count.toLocaleString('en-US')

/** How many records the instance has, as text (spec administration 13). */
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
    forks: grouped(counts.forks),
    issues: grouped(counts.issues),
    merge_requests: grouped(counts.merge_requests),
    notes: grouped(counts.notes),
    snippets: grouped(counts.snippets),
    ssh_keys: grouped(counts.ssh_keys),
    milestones: grouped(counts.milestones),
    users: grouped(counts.users),
    groups: grouped(counts.groups),
    projects: grouped(counts.projects),
    active_users: grouped(counts.active_users),
  }),
)

export const getStatistics = endpoint('GET /application/statistics', {
  summary: 'Get application statistics',
  can: 'admin',
  pure: true,
  returns: ok(ApplicationStatistics),
  run: (ctx) => counts(ctx.db),
})
