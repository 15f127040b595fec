import type { Ctx } from '../../../ctx.ts'
import type { WebExchange } from '../../../http/web-route.ts'
import { anonymous, type Actor } from '../../../policy/actor.ts'
import { isLfsEnabled, type RepositoryType } from '../../storage/index.ts'
import type { Project } from '../../projects/index.ts'
import { admit as admitToGit } from '../smart_http/open-target.ts'
import { projectAt, challenge, Refusal, identify as identifyForGit } from '../smart_http/access.ts'
import type { GitRequest, OpenGitTarget } from '../../../git-target.ts'
import { type Grant, stillHolds, deployToken, grantForm } from './store.ts'
import { checkMayAct } from '../../auth/index.ts'
import { sshKeyById, userById } from '../../users/index.ts'

/** The time in seconds for which a grant is valid. A transfer must start, but need not end, within this time. */
export const GRANT_SECONDS = 1800

const PURPOSE = 'lfs.grant'
/** The prefix of grants, by which they differ from other passwords. */
const PREFIX = 'lfs-'

/**
 * Returns the value of an `Authorization` header with a grant: for half an hour, a client may act as the current actor in
 * one project. Undefined for anonymous callers. The grant ends earlier if the token, key or job of the actor does.
 */
export function grantHeader(
  ctx: Ctx,
  { project_id, purpose, protocol }: Pick<Grant, 'project_id' | 'purpose' | 'protocol'>,
): string | undefined {
  const grantee = granteeOf(ctx.actor)
  if (!grantee) return undefined
  const until = new Date(Date.parse(ctx.now) + GRANT_SECONDS * 1000).toISOString()
  const grant: Grant = { who: grantee, project_id, purpose, protocol, until }
  const token = PREFIX + ctx.secrets.seal(JSON.stringify(grant), PURPOSE)
  return `Basic ${Buffer.from(`lfs:${token}`).toString('base64')}`
}

function granteeOf(actor: Actor): Grant['who'] | undefined {
  if (actor.kind === 'deploy_token') return { kind: 'deploy_token', token_id: actor.token_id }
  if (actor.kind === 'deploy_key') return { kind: 'deploy_key', key_id: actor.key_id }
  if (actor.kind !== 'user') return undefined
  const { id, is_admin, scopes, token_id = null, job = null } = actor
  return { kind: 'user', id, is_admin, scopes: scopes && [...scopes], token_id, job }
}

/** Reads the grant in an `Authorization` header; undefined if it contains other credentials. */
export function readGrant(ctx: Ctx, header: string | undefined): Grant | undefined | 'invalid' {
  const text = Buffer.from(/^basic\s+(\S+)\s*$/i.exec(header ?? '')?.[1] ?? '', 'base64').toString('latin1')
  const start = `lfs:${PREFIX}`
  if (!text.startsWith(start)) return undefined
  try {
    const grant = grantForm.parse(JSON.parse(ctx.secrets.open(text.slice(start.length), PURPOSE).toString()))
    return grant.until > ctx.now ? grant : 'invalid'
  } catch {
    return 'invalid'
  }
}

/** Returns the actor of a grant; undefined if their token, key or job has ended. */
export function actorOfGrant(ctx: Ctx, { who }: Grant): Actor | undefined {
  if (who.kind === 'deploy_token') return deployToken(ctx, who.token_id)
  if (who.kind === 'deploy_key') {
    const key = sshKeyById(ctx.db, who.key_id)
    const isValid = key?.is_deploy_key === true && (key.expires_at === null || key.expires_at > ctx.now)
    if (!isValid) return undefined
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

/** The LFS objects of one repository, opened for the caller. */
export interface LfsTarget {
  /** The context of the caller. */
  readonly ctx: Ctx
  readonly project: Project
  /** The code of the project or its wiki. */
  readonly type: RepositoryType
  /** The protocol over which the client received the grant. */
  readonly protocol: 'http' | 'ssh'
  /** The base address of the LFS endpoints. */
  readonly url: string
}

const NOT_FOUND = 'Not found.'

/** Authenticates an LFS request over HTTP, by git credentials or a grant, and opens the repository of its path. */
export async function enter(
  exchange: WebExchange,
  targets: readonly OpenGitTarget[],
  purpose: 'read' | 'write',
): Promise<LfsTarget> {
  const { ctx, match, count } = exchange
  const { actor, grant } = await callerOf(exchange).catch((error: unknown) => {
    count(anonymous)
    throw error
  })
  count(actor)
  const path = decoded(match[1] ?? '')
  const protocol = grant?.protocol ?? 'http'
  const target = await openFor({ ...ctx, actor }, targets, { path, purpose, protocol })
  const exceedsGrant =
    grant && (grant.project_id !== target.project.id || (purpose === 'write' && grant.purpose === 'read'))
  if (exceedsGrant) throw challenge()
  return target
}

async function callerOf({ ctx, req, ip }: WebExchange): Promise<{ actor: Actor; grant?: Grant }> {
  const header = req.headers.authorization
  const grant = readGrant(ctx, header)
  if (grant === undefined) return { actor: await identifyForGit(ctx, header, ip) }
  const actor = grant === 'invalid' ? undefined : actorOfGrant(ctx, grant)
  if (!actor || grant === 'invalid') throw challenge()
  return { actor, grant }
}

/** Opens the LFS objects of a path for a caller who may read or write the repository. Throws Refusal. */
export async function openFor(
  ctx: Ctx,
  targets: readonly OpenGitTarget[],
  request: GitRequest,
): Promise<LfsTarget> {
  const admitted = await admitToGit(ctx, targets, request)
  const codeProject = admitted.project ?? projectAt(ctx, request.path)
  const project = codeProject ?? projectOfWiki(ctx, request.path)
  // Snippets and group wikis have no LFS objects.
  if (!project || !isLfsEnabled(ctx, project)) throw new Refusal(404, NOT_FOUND)
  const url = `${ctx.config.url}/${request.path}.git/info/lfs`
  return { ctx, project, type: codeProject ? 0 : 1, protocol: request.protocol, url }
}

function projectOfWiki(ctx: Ctx, path: string): Project | undefined {
  return path.endsWith('.wiki') ? projectAt(ctx, path.slice(0, -'.wiki'.length)) : undefined
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new Refusal(400, 'The address is not properly encoded.')
  }
}
