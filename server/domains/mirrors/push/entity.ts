import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import { maskedUrl } from '../validation.ts'
import type { RemoteMirrorRow } from './store.ts'

/** A push mirror, and whether it is updated currently. */
export interface ShownMirror {
  readonly row: RemoteMirrorRow
  readonly isEnabled: boolean
}

export const UPDATE_STATUSES = ['none', 'started', 'finished', 'to_retry', 'failed'] as const
export const AUTH_METHODS = ['password', 'ssh_public_key'] as const

/** A push mirror of a project (spec rest-api, Remote mirror). */
export const RemoteMirror = entity(
  'RemoteMirror',
  {
    id: z.int(),
    enabled: z.boolean(),
    url: z.string(),
    update_status: z.enum(UPDATE_STATUSES),
    last_update_at: time().nullable(),
    last_update_started_at: time().nullable(),
    last_successful_update_at: time().nullable(),
    last_error: z.string().nullable(),
    only_protected_branches: z.boolean(),
    keep_divergent_refs: z.boolean(),
    auth_method: z.enum(AUTH_METHODS),
    mirror_branch_regex: z.string().nullable(),
  },
  ({ row, isEnabled }: ShownMirror) => ({
    id: row.id,
    enabled: isEnabled,
    url: maskedUrl(row.url, row.credentials !== null),
    update_status: row.update_status as (typeof UPDATE_STATUSES)[number],
    last_update_at: row.last_update_at,
    last_update_started_at: row.last_update_started_at,
    last_successful_update_at: row.last_successful_update_at,
    last_error: row.last_error,
    only_protected_branches: row.only_protected_branches,
    keep_divergent_refs: row.keep_divergent_refs,
    auth_method: row.auth_method as (typeof AUTH_METHODS)[number],
    mirror_branch_regex: row.mirror_branch_regex,
  }),
)

/** The public SSH key of a push mirror. */
export const MirrorPublicKey = entity(
  'MirrorPublicKey',
  { public_key: z.string() },
  (row: { public_key: string }) => row,
)
