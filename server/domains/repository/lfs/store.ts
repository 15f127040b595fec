import { z } from 'zod'
import type { Ctx } from '../../../ctx.ts'
import type { Actor, TokenScope } from '../../../policy/actor.ts'

/** The sealed JSON of a grant. */
export const grantForm = z.object({
  who: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('user'),
      id: z.int(),
      is_admin: z.boolean(),
      scopes: z.array(z.string()).nullable(),
      token_id: z.int().nullable(),
      job: z.object({ id: z.int(), project_id: z.int(), isConfined: z.boolean() }).nullable(),
    }),
    z.object({ kind: z.literal('deploy_token'), token_id: z.int() }),
    z.object({ kind: z.literal('deploy_key'), key_id: z.int() }),
  ]),
  project_id: z.int(),
  purpose: z.enum(['read', 'write']),
  protocol: z.enum(['http', 'ssh']),
  until: z.string(),
})

/** A grant: an actor may transfer LFS objects of one project for a limited time. */
export type Grant = z.output<typeof grantForm>

/** Returns true while the job of a grant runs or its token is not revoked. */
export function stillHolds({ db }: Ctx, { token_id, job }: Extract<Grant['who'], { kind: 'user' }>): boolean {
  if (job) {
    const sql = "SELECT 1 FROM ci_jobs WHERE id = ? AND status IN ('running', 'canceling')"
    return db.one(sql, job.id) !== undefined
  }
  if (token_id === null) return true
  return db.one('SELECT 1 FROM personal_access_tokens WHERE id = ? AND revoked = 0', token_id) !== undefined
}

/** Returns the actor of a deploy token; undefined if it is revoked or expired. */
export function deployToken({ db, now }: Ctx, id: number): Actor | undefined {
  const row = db.one<{
    project_id: number | null
    namespace_id: number | null
    expires_at: string | null
    scopes: TokenScope[]
  }>(
    'SELECT project_id, namespace_id, expires_at, scopes FROM deploy_tokens WHERE id = ? AND revoked = 0',
    id,
  )
  if (!row || (row.expires_at !== null && row.expires_at <= now)) return undefined
  return {
    kind: 'deploy_token',
    id: null,
    token_id: id,
    project_id: row.project_id,
    namespace_id: row.namespace_id,
    is_admin: false,
    external: true,
    scopes: new Set(row.scopes),
  }
}
