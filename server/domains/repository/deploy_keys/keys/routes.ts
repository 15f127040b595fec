import { z } from 'zod'

import { atLeastOne, endpoint } from '../../../../http/endpoint.ts'
import { entity, time } from '../../../../http/entity.ts'
import { bool, int, text, timestamp } from '../../../../http/params.ts'
import { created, noContent, ok, page } from '../../../../http/returns.ts'
import type { UserActor } from '../../../../policy/actor.ts'
import { ProjectIdentity } from '../../../projects/entity.ts'
import { project, type Project } from '../../../projects/index.ts'
import { userByIdOrName } from '../../../users/index.ts'
import { abilities } from '../../policy.ts'
import { addKey, changeKey, createPublicKey, enableKey, getKey, removeKey } from './service.ts'
import * as store from './store.ts'
import type { DeployKeyRow, EnabledKey, WritableProject } from './store.ts'

const keyFields = {
  id: z.int(),
  title: z.string(),
  key: z.string(),
  fingerprint: z.string().nullable(),
  fingerprint_sha256: z.string(),
  created_at: time(),
  expires_at: time().nullable(),
}

function keyOf(row: DeployKeyRow) {
  return {
    id: row.id,
    title: row.title,
    key: row.key,
    fingerprint: row.fingerprint,
    fingerprint_sha256: row.fingerprint_sha256,
    created_at: row.created_at,
    expires_at: row.expires_at,
  }
}

/** A deploy key. */
const DeployKey = entity('DeployKey', keyFields, keyOf)

/** A deploy key of a project (spec administration 13). */
const ProjectDeployKey = entity(
  'ProjectDeployKey',
  { ...keyFields, can_push: z.boolean() },
  (row: EnabledKey) => ({ ...keyOf(row), can_push: row.can_push }),
)

/** A deploy key with the projects that it can write to, for administrators. */
const DeployKeyWithProjects = entity(
  'DeployKeyWithProjects',
  { ...keyFields, projects_with_write_access: z.array(ProjectIdentity.schema) },
  ({ key, projects }: { key: DeployKeyRow; projects: readonly WritableProject[] }, at) => ({
    ...keyOf(key),
    // The entity `ProjectIdentity` needs only the columns of a WritableProject.
    projects_with_write_access: projects.map((entry) => ProjectIdentity.present(entry as Project, at)),
  }),
)

const key_id = int({ min: 1 }).describe('Id of the key')
const title = text({ max: 255 }).describe('The title of the key')
const can_push = bool().optional().describe('Whether the key may write (default false)')
const newKey = {
  title,
  key: text({ max: 16_384 }).describe('The public key in the format of a `.pub` file'),
  expires_at: timestamp().nullable().optional().describe('The expiry time of the key (default: none)'),
}
const fails = { 400: 'The key is invalid, not allowed, or already in use' }

export const listDeployKeys = endpoint('GET /deploy_keys', {
  summary: 'List all deploy keys',
  can: 'admin',
  params: { public: bool().optional().describe('Filter by whether every project may enable them') },
  pure: true,
  returns: page(DeployKeyWithProjects),
  run: ({ params, paging, ...ctx }) => {
    const { rows, total } = store.listAll(ctx.db, params, paging)
    const projects = store.writableBy(
      ctx.db,
      rows.map((row) => row.id),
    )
    return { rows: rows.map((key) => ({ key, projects: projects.get(key.id) ?? [] })), total }
  },
})

export const postDeployKey = endpoint('POST /deploy_keys', {
  summary: 'Create a public deploy key',
  can: 'admin',
  params: newKey,
  fails,
  returns: created(DeployKeyWithProjects),
  run: ({ params, ...ctx }) => ({ key: createPublicKey(ctx, params), projects: [] }),
})

export const listProjectKeys = endpoint('GET /projects/:id/deploy_keys', {
  summary: 'List project deploy keys',
  scope: project,
  can: abilities.read_deploy_keys,
  pure: true,
  returns: page(ProjectDeployKey),
  run: ({ project: owner, paging, ...ctx }) => store.listOf(ctx.db, owner.id, paging),
})

export const getProjectKey = endpoint('GET /projects/:id/deploy_keys/:key_id', {
  summary: 'Get a single deploy key',
  scope: project,
  can: abilities.read_deploy_keys,
  params: { key_id },
  pure: true,
  returns: ok(ProjectDeployKey),
  run: ({ project: owner, params, ...ctx }) => getKey(ctx, owner, params.key_id),
})

export const postProjectKey = endpoint('POST /projects/:id/deploy_keys', {
  summary: 'Add a deploy key to a project',
  scope: project,
  can: abilities.manage_deploy_keys,
  params: { ...newKey, can_push },
  fails,
  returns: created(ProjectDeployKey),
  run: ({ project: owner, params, ...ctx }) => addKey(ctx, owner, params),
})

export const enableProjectKey = endpoint('POST /projects/:id/deploy_keys/:key_id/enable', {
  summary: 'Enable a deploy key',
  scope: project,
  can: abilities.manage_deploy_keys,
  params: { key_id },
  returns: created(ProjectDeployKey),
  run: ({ project: owner, params, ...ctx }) => enableKey(ctx, owner, params.key_id),
})

export const putProjectKey = endpoint('PUT /projects/:id/deploy_keys/:key_id', {
  summary: 'Update a deploy key',
  scope: project,
  can: abilities.manage_deploy_keys,
  params: {
    key_id,
    title: text({ max: 255, notEmpty: true }).optional().describe('The title of the key'),
    can_push,
  },
  parameterRules: [atLeastOne('title', 'can_push')],
  returns: ok(ProjectDeployKey),
  run: ({ project: owner, params: { key_id: id, ...changes }, ...ctx }) => changeKey(ctx, owner, id, changes),
})

export const deleteProjectKey = endpoint('DELETE /projects/:id/deploy_keys/:key_id', {
  summary: 'Delete a deploy key',
  scope: project,
  can: abilities.manage_deploy_keys,
  params: { key_id },
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) => {
    const key = getKey(ctx, owner, params.key_id)
    http.unmodifiedSince(key.updated_at)
    removeKey(ctx, owner, key)
  },
})

export const listKeysOfUser = endpoint('GET /users/:user_id/project_deploy_keys', {
  summary: 'List deploy keys of projects that a user and the current user maintain',
  can: 'signed_in',
  params: { user_id: text({ max: 255 }).describe('Id or name of the user') },
  returns: page(DeployKey),
  run: ({ params, paging, ...ctx }) => {
    const { id } = userByIdOrName(ctx, params.user_id)
    const user = { actor: { kind: 'user', id, is_admin: false } as UserActor, now: ctx.now }
    return store.listCommon(ctx.db, { user, viewer: ctx }, paging)
  },
})
