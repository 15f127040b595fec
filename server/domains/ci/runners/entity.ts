import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import { namespaceUrl } from '../../namespaces/entity.ts'
import { ProjectIdentity } from '../../projects/entity.ts'
import { listed, listedFields } from './fields.ts'
import { statusOf } from './status.ts'
import type { ManagerRow, RunnerRow } from './store.ts'
import type { RunnerDetailsView } from './views.ts'

/** A runner in lists (spec ci 3.3). */
export const Runner = entity('Runner', listedFields, (row: RunnerRow, at) => listed(row, at.now))

/** A runner by itself. Projects and groups are those that the reader may see. */
export const RunnerDetails = entity(
  'RunnerDetails',
  {
    ...listedFields,
    tag_list: z.array(z.string()),
    run_untagged: z.boolean(),
    locked: z.boolean(),
    maximum_timeout: z.int().nullable(),
    access_level: z.enum(['not_protected', 'ref_protected']),
    version: z.string().nullable(),
    revision: z.string().nullable(),
    platform: z.string().nullable(),
    architecture: z.string().nullable(),
    contacted_at: time().nullable(),
    maintenance_note: z.string().nullable(),
    projects: z.array(ProjectIdentity.schema),
    groups: z.array(z.strictObject({ id: z.int(), web_url: z.string(), name: z.string() })).optional(),
  },
  ({ row, projects, groups }: RunnerDetailsView, at) => ({
    ...listed(row, at.now),
    tag_list: JSON.parse(row.tag_list) as string[],
    run_untagged: row.run_untagged,
    locked: row.locked,
    maximum_timeout: row.maximum_timeout,
    access_level: row.access_level as 'not_protected',
    version: row.version,
    revision: row.revision,
    platform: row.platform,
    architecture: row.architecture,
    contacted_at: row.contacted_at,
    maintenance_note: row.maintenance_note,
    projects: projects.map((one) => ProjectIdentity.present(one, at)),
    ...(row.runner_type === 'instance_type'
      ? {}
      : { groups: groups.map((one) => ({ id: one.id, web_url: namespaceUrl(one, at), name: one.name })) }),
  }),
)

/** One process that uses the token of a runner. */
export const RunnerManager = entity(
  'RunnerManager',
  {
    id: z.int(),
    system_id: z.string(),
    version: z.string().nullable(),
    revision: z.string().nullable(),
    platform: z.string().nullable(),
    architecture: z.string().nullable(),
    created_at: time(),
    contacted_at: time().nullable(),
    ip_address: z.string().nullable(),
    status: z.enum(['online', 'offline', 'stale', 'never_contacted', 'paused']),
  },
  (row: ManagerRow, at) => ({
    id: row.id,
    system_id: row.system_id,
    version: row.version,
    revision: row.revision,
    platform: row.platform,
    architecture: row.architecture,
    created_at: row.created_at,
    contacted_at: row.contacted_at,
    ip_address: row.ip_address,
    status: statusOf({ ...row, paused: false }, at.now),
  }),
)
