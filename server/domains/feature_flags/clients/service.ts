import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { findProject } from '../../projects/index.ts'
import * as store from './store.ts'

const PURPOSE = 'feature_flag_clients.token'
const LENGTH = 20

/** The connection data of clients. `instance_id` is the secret token; null until it was created. */
export interface FlagClient {
  readonly project_id: number
  readonly instance_id: string | null
  readonly created_at: string | null
}

/** Returns the connection data of the clients of a project. */
export function clientOf(ctx: Ctx, projectId: number): FlagClient {
  const row = store.ofProject(ctx.db, projectId)
  const instance_id = row ? ctx.secrets.open(row.token, PURPOSE).toString() : null
  return { project_id: projectId, instance_id, created_at: row?.created_at ?? null }
}

/** Creates the token of a project. Replaces an existing token only if `anew` is set. */
export function makeClient(ctx: Ctx, projectId: number, options: { readonly anew: boolean }): FlagClient {
  return tx(ctx.db, () => {
    if (!options.anew && store.ofProject(ctx.db, projectId)) return clientOf(ctx, projectId)
    const instance_id = ctx.random.token(LENGTH)
    const token = ctx.secrets.seal(instance_id, PURPOSE)
    const columns = { token, token_digest: tokenDigest(instance_id), created_at: ctx.now }
    store.save(ctx.db, { project_id: projectId, ...columns })
    return { project_id: projectId, instance_id, created_at: ctx.now }
  })
}

/** Returns the ID of the project that a client names, if the token belongs to it. */
export function projectOfClient(ctx: Ctx, reference: string, instanceId: string): number | undefined {
  if (instanceId === '') return undefined
  const projectId = store.projectOfDigest(ctx.db, tokenDigest(instanceId))
  if (projectId === undefined || reference === String(projectId)) return projectId
  return findProject(ctx, reference)?.id === projectId ? projectId : undefined
}
