import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
import { namespaceUrl } from '../../namespaces/entity.ts'
import { ProjectIdentity } from '../../projects/entity.ts'
import { isOnline, statusOf } from './status.ts'
import type { ManagerRow, RunnerRow, RunnerType } from './store.ts'
import type { RunnerDetailsView } from './views.ts'

/** The fields that all entities of a runner share (spec ci 3.3). */
const basicFields = {
  id: z.int(),
  description: z.string().nullable(),
  ip_address: z.string().nullable(),
  active: z.boolean(),
  paused: z.boolean(),
  is_shared: z.boolean(),
  runner_type: z.enum(['instance_type', 'group_type', 'project_type']),
  name: z.string().nullable(),
  online: z.boolean().nullable(),
  status: z.enum(['online', 'offline', 'stale', 'never_contacted', 'paused']),
}

/** Presents the fields that all entities of a runner share. */
function presentBasic(row: RunnerRow, now: string) {
  return {
    id: row.id,
    description: row.description,
    ip_address: row.ip_address,
    active: !row.paused,
    paused: row.paused,
    is_shared: row.runner_type === 'instance_type',
    runner_type: row.runner_type as RunnerType,
    name: row.name,
    online: isOnline(row, now),
    status: statusOf(row, now),
  }
}

/** A runner in lists (spec ci 3.3). */
export const Runner = entity('Runner', basicFields, (row: RunnerRow, at) => presentBasic(row, at.now))

/** The details of a runner, with the projects and groups that the actor may see. */
export const RunnerDetails = entity(
  'RunnerDetails',
  {
    ...basicFields,
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
    ...presentBasic(row, at.now),
    tag_list: row.tag_list,
    run_untagged: row.run_untagged,
    locked: row.locked,
    maximum_timeout: row.maximum_timeout,
    access_level: row.access_level,
    version: row.version,
    revision: row.revision,
    platform: row.platform,
    architecture: row.architecture,
    contacted_at: row.contacted_at,
    maintenance_note: row.maintenance_note,
    projects: projects.map((project) => ProjectIdentity.present(project, at)),
    ...(row.runner_type === 'instance_type'
      ? {}
      : {
          groups: groups.map((group) => ({
            id: group.id,
            web_url: namespaceUrl(group, at),
            name: group.name,
          })),
        }),
  }),
)

/** A process that uses the token of a runner. */
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
  row<ManagerRow>(),
  (row, at) => ({
    status: statusOf({ ...row, paused: false }, at.now),
  }),
)

/** A new token with its expiry time. */
export interface IssuedToken {
  readonly token: string
  /** The expiry time. Null or absent for a token that does not expire. */
  readonly token_expires_at?: string | null
}

/** The response to a registration. A runner requests a new token before its token expires. */
export const RunnerCredentials = entity(
  'RunnerCredentials',
  { id: z.int(), token: z.string(), token_expires_at: time().nullable() },
  ({ id, token, token_expires_at = null }: IssuedToken & { readonly id: number }) => ({
    id,
    token,
    token_expires_at,
  }),
)

/** The new token after a reset. */
export const ResetToken = entity(
  'RunnerResetToken',
  { token: z.string(), token_expires_at: time().nullable() },
  ({ token, token_expires_at = null }: IssuedToken) => ({ token, token_expires_at }),
)
