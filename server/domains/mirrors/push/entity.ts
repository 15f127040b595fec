import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
import { maskedUrl } from '../validation.ts'
import type { RemoteMirrorRow } from './store.ts'

/** A push mirror, and whether its updates are enabled. */
export interface MirrorView {
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
  row((view: MirrorView) => view.row),
  ({ row, isEnabled }) => ({
    enabled: isEnabled,
    url: maskedUrl(row.url, row.credentials !== null),
  }),
)

/** The public SSH key of a push mirror. */
export const MirrorPublicKey = entity(
  'MirrorPublicKey',
  { public_key: z.string() },
  (row: { public_key: string }) => row,
)
