import { z } from 'zod'

import { endpoint, exclusive } from '../../../http/endpoint.ts'
import { bool, choice, int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { notFound } from '../../../lib/fail.ts'
import { project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import {
  changeMirror,
  createMirror,
  findMirror,
  listMirrors,
  removeMirror,
  syncMirror,
  type MirrorView,
} from './service.ts'
import { mirrorView } from './update.ts'
import { entity, time, row } from '../../../http/entity.ts'
import { maskedUrl } from '../validation.ts'

const UPDATE_STATUSES = ['none', 'started', 'finished', 'to_retry', 'failed'] as const
const AUTH_METHODS = ['password', 'ssh_public_key'] as const

/** A push mirror of a project (spec rest-api, Remote mirror). */
const RemoteMirror = entity(
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
const MirrorPublicKey = entity(
  'MirrorPublicKey',
  { public_key: z.string() },
  (row: { public_key: string }) => row,
)

const can = abilities.manage_remote_mirrors
const mirror_id = int().describe('The ID of the remote mirror')
const url = text({ max: 2048 }).describe(
  'The URL to push to (http, https, ssh or git), with username and password if required',
)
const settings = {
  enabled: bool().optional().describe('Enable the mirror'),
  auth_method: choice(...AUTH_METHODS)
    .optional()
    .describe('The authentication method for SSH: `password` or `ssh_public_key`'),
  keep_divergent_refs: bool().optional().describe('Skip diverged refs, and delete no refs of the remote'),
  only_protected_branches: bool().optional().describe('Mirror only protected branches'),
  mirror_branch_regex: text({ max: 255 })
    .nullable()
    .optional()
    .describe(
      'Mirror only branches that match this RE2 pattern. Cannot be combined with `only_protected_branches`',
    ),
}
const parameterRules = [exclusive('only_protected_branches', 'mirror_branch_regex')]
const fails = { 400: 'A value is invalid: `{"message": {"url": ["…"]}}`' }

export const list = endpoint('GET /projects/:id/remote_mirrors', {
  summary: 'List the remote mirrors of a project',
  scope: project,
  can,
  returns: page(RemoteMirror),
  run: ({ project: owner, paging, ...ctx }) => listMirrors(ctx, owner, paging),
})

export const get = endpoint('GET /projects/:id/remote_mirrors/:mirror_id', {
  summary: 'Get a single remote mirror of a project',
  scope: project,
  can,
  params: { mirror_id },
  returns: ok(RemoteMirror),
  run: ({ project: owner, params, ...ctx }) =>
    mirrorView(ctx, owner, findMirror(ctx, owner, params.mirror_id)),
})

export const create = endpoint('POST /projects/:id/remote_mirrors', {
  summary: 'Create a push mirror',
  scope: project,
  can,
  params: { url, ...settings },
  parameterRules,
  fails,
  returns: created(RemoteMirror),
  run: ({ project: owner, params, ...ctx }) => createMirror(ctx, owner, params),
})

export const change = endpoint('PUT /projects/:id/remote_mirrors/:mirror_id', {
  summary: 'Update the attributes of a remote mirror',
  scope: project,
  can,
  params: { mirror_id, url: url.optional(), ...settings },
  parameterRules,
  fails,
  returns: ok(RemoteMirror),
  run: ({ project: owner, params: { mirror_id: id, ...changes }, ...ctx }) =>
    changeMirror(ctx, owner, findMirror(ctx, owner, id), changes),
})

export const remove = endpoint('DELETE /projects/:id/remote_mirrors/:mirror_id', {
  summary: 'Delete a remote mirror',
  scope: project,
  can,
  params: { mirror_id },
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) => {
    const row = findMirror(ctx, owner, params.mirror_id)
    http.unmodifiedSince(row.updated_at)
    removeMirror(ctx, row)
  },
})

export const sync = endpoint('POST /projects/:id/remote_mirrors/:mirror_id/sync', {
  summary: 'Start an update of a remote mirror',
  scope: project,
  can,
  params: { mirror_id },
  fails: { 400: 'The mirror is not enabled' },
  returns: noContent,
  run: ({ project: owner, params, ...ctx }) =>
    syncMirror(ctx, owner, findMirror(ctx, owner, params.mirror_id)),
})

export const publicKey = endpoint('GET /projects/:id/remote_mirrors/:mirror_id/public_key', {
  summary: 'Get the public key of a remote mirror',
  scope: project,
  can,
  params: { mirror_id },
  returns: ok(MirrorPublicKey),
  run: ({ project: owner, params, ...ctx }) => {
    const { ssh_public_key } = findMirror(ctx, owner, params.mirror_id)
    if (ssh_public_key === null) throw notFound('Public Key')
    return { public_key: ssh_public_key }
  },
})
