import { endpoint, exclusive } from '../../../http/endpoint.ts'
import { bool, choice, int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { notFound } from '../../../lib/fail.ts'
import { project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { AUTH_METHODS, MirrorPublicKey, RemoteMirror } from './entity.ts'
import { changeMirror, createMirror, findMirror, listMirrors, removeMirror, syncMirror } from './service.ts'
import { shown } from './states.ts'

const can = abilities.manage_remote_mirrors
const mirror_id = int().describe('Id of the mirror')
const url = text({ max: 2048 }).describe(
  'Where to push to: http, https, ssh or git, with user name and password if it needs them',
)
const rules = {
  enabled: bool().optional().describe('It is updated'),
  auth_method: choice(...AUTH_METHODS)
    .optional()
    .describe('How it signs in over SSH: `password`, or with a key of its own'),
  keep_divergent_refs: bool()
    .optional()
    .describe('Branches and tags that went another way there are left alone, and nothing is deleted'),
  only_protected_branches: bool().optional().describe('Only protected branches go there'),
  mirror_branch_regex: text({ max: 255 })
    .nullable()
    .optional()
    .describe('Only branches whose name matches (RE2); not beside `only_protected_branches`'),
}
const together = [exclusive('only_protected_branches', 'mirror_branch_regex')]
const fails = { 400: 'A value is not acceptable: `{"message": {"url": ["…"]}}`' }

export const list = endpoint('GET /projects/:id/remote_mirrors', {
  summary: 'List the mirrors that a project pushes to',
  scope: project,
  can,
  returns: page(RemoteMirror),
  run: ({ project: owner, paging, ...ctx }) => listMirrors(ctx, owner, paging),
})

export const get = endpoint('GET /projects/:id/remote_mirrors/:mirror_id', {
  summary: 'Get a mirror that a project pushes to',
  scope: project,
  can,
  params: { mirror_id },
  returns: ok(RemoteMirror),
  run: ({ project: owner, params, ...ctx }) => shown(ctx, owner, findMirror(ctx, owner, params.mirror_id)),
})

export const create = endpoint('POST /projects/:id/remote_mirrors', {
  summary: 'Add a mirror that a project pushes to',
  scope: project,
  can,
  params: { url, ...rules },
  together,
  fails,
  returns: created(RemoteMirror),
  run: ({ project: owner, params, ...ctx }) => createMirror(ctx, owner, params),
})

export const change = endpoint('PUT /projects/:id/remote_mirrors/:mirror_id', {
  summary: 'Change a mirror that a project pushes to',
  scope: project,
  can,
  params: { mirror_id, url: url.optional(), ...rules },
  together,
  fails,
  returns: ok(RemoteMirror),
  run: ({ project: owner, params: { mirror_id: id, ...given }, ...ctx }) =>
    changeMirror(ctx, owner, findMirror(ctx, owner, id), given),
})

export const remove = endpoint('DELETE /projects/:id/remote_mirrors/:mirror_id', {
  summary: 'Remove a mirror that a project pushes to',
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
  summary: 'Have a mirror updated',
  scope: project,
  can,
  params: { mirror_id },
  fails: { 400: 'The mirror is not enabled' },
  returns: noContent,
  run: ({ project: owner, params, ...ctx }) =>
    syncMirror(ctx, owner, findMirror(ctx, owner, params.mirror_id)),
})

export const publicKey = endpoint('GET /projects/:id/remote_mirrors/:mirror_id/public_key', {
  summary: 'Get the key with which a mirror signs in over SSH',
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
