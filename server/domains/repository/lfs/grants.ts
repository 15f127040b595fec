import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import type { Actor, TokenScope } from '../../../policy/actor.ts'
import { checkMayAct } from '../../auth/index.ts'
import { sshKeyById } from '../../users/index.ts'
import { userById } from '../../users/index.ts'

/** How long a grant holds, seconds: the time that a client has to begin with a file, not to end. */
export const GRANT_SECONDS = 1800

const PURPOSE = 'lfs.grant'
/** In front of what is sealed, so that nothing else that is shown as a password is taken for one. */
const PREFIX = 'lfs-'

const grantForm = z.object({
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

/** What somebody was granted: to move large files of one project, for a while, in their own name. */
export type Grant = z.output<typeof grantForm>

/**
 * The value of an `Authorization` header that stands for the actor of the context in one project for half an hour.
 * Undefined for nobody in particular. It ends sooner where the token, key or job does that it goes back to.
 */
export function grantHeader(
  ctx: Ctx,
  { project_id, purpose, protocol }: Pick<Grant, 'project_id' | 'purpose' | 'protocol'>,
): string | undefined {
  const who = whoIs(ctx.actor)
  if (!who) return undefined
  const until = new Date(Date.parse(ctx.now) + GRANT_SECONDS * 1000).toISOString()
  const grant: Grant = { who, project_id, purpose, protocol, until }
  const token = PREFIX + ctx.secrets.seal(JSON.stringify(grant), PURPOSE)
  return `Basic ${Buffer.from(`lfs:${token}`).toString('base64')}`
}

function whoIs(actor: Actor): Grant['who'] | undefined {
  if (actor.kind === 'deploy_token') return { kind: 'deploy_token', token_id: actor.token_id }
  if (actor.kind === 'deploy_key') return { kind: 'deploy_key', key_id: actor.key_id }
  if (actor.kind !== 'user') return undefined
  const { id, is_admin, scopes, token_id = null, job = null } = actor
  return { kind: 'user', id, is_admin, scopes: scopes && [...scopes], token_id, job }
}

/** The grant that a header shows, undefined where it shows none or one that does not hold. */
export function shownGrant(ctx: Ctx, header: string | undefined): Grant | undefined | 'void' {
  const text = Buffer.from(/^basic\s+(\S+)\s*$/i.exec(header ?? '')?.[1] ?? '', 'base64').toString('latin1')
  const start = `lfs:${PREFIX}`
  if (!text.startsWith(start)) return undefined
  try {
    const grant = grantForm.parse(JSON.parse(ctx.secrets.open(text.slice(start.length), PURPOSE).toString()))
    return grant.until > ctx.now ? grant : 'void'
  } catch {
    return 'void'
  }
}

/** Who was granted something, as they are by now; undefined where what it goes back to has ended. */
export function actorOfGrant(ctx: Ctx, { who }: Grant): Actor | undefined {
  if (who.kind === 'deploy_token') return deployToken(ctx, who.token_id)
  if (who.kind === 'deploy_key') {
    const key = sshKeyById(ctx.db, who.key_id)
    const holds = key?.is_deploy_key === true && (key.expires_at === null || key.expires_at > ctx.now)
    if (!holds) return undefined
    const id = key.created_by_id
    return { kind: 'deploy_key', id, key_id: key.id, is_admin: false, external: true, scopes: null }
  }
  const user = userById(ctx.db, who.id)
  if (!user || !stillHolds(ctx, who)) return undefined
  checkMayAct(ctx, user)
  return {
    kind: 'user',
    id: user.id,
    username: user.username,
    name: user.name,
    email: user.email,
    is_admin: who.is_admin && user.is_admin,
    external: user.external,
    auditor: user.is_auditor,
    scopes: who.scopes && new Set(who.scopes),
    via: who.job ? 'job' : 'token',
    ...(who.job ? { job: who.job } : {}),
  }
}

function stillHolds({ db }: Ctx, { token_id, job }: Extract<Grant['who'], { kind: 'user' }>): boolean {
  if (job) {
    const sql = "SELECT 1 FROM ci_jobs WHERE id = ? AND status IN ('running', 'canceling')"
    return db.one(sql, job.id) !== undefined
  }
  if (token_id === null) return true
  return db.one('SELECT 1 FROM personal_access_tokens WHERE id = ? AND revoked = 0', token_id) !== undefined
}

function deployToken({ db, now }: Ctx, id: number): Actor | undefined {
  const row = db.one<{
    project_id: number | null
    namespace_id: number | null
    expires_at: string | null
    scopes: string
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
    scopes: new Set(JSON.parse(row.scopes) as TokenScope[]),
  }
}
