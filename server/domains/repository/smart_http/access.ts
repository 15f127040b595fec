import type { Ctx } from '../../../ctx.ts'
import { errorAnswer } from '../../../http/answer/errors.ts'
import { SERVICE_NAME } from '../../../lib/aliases.ts'
import { Failure } from '../../../lib/fail.ts'
import { canRead, hasAbility } from '../../../policy/ability.ts'
import { anonymous, type Actor, type DeployTokenActor } from '../../../policy/actor.ts'
import { gitActor } from '../../auth/index.ts'
import { deployTokenActor } from '../deploy_keys/tokens/service.ts'
import { linkOf as deployKeyLink } from '../deploy_keys/keys/store.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { abilities, featureLevel, project as scope, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { readOnlyProblem } from '../checks/run-checks.ts'
import type { GitRequest, Protocol, Purpose } from '../../../git-target.ts'

/** A refused git request; git shows the text in the user's terminal. */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(text)
    this.status = status
    this.headers = headers
  }
}

/** Asks the client for a name and a password. The answer is the same whether or not the repository exists. */
export function challenge(): Refusal {
  const text = 'HTTP Basic: Access denied. Sign in with your password or with a personal access token.'
  return new Refusal(401, text, { 'WWW-Authenticate': `Basic realm="${SERVICE_NAME}"` })
}

/** The access of an actor to the code of a project. */
interface CodeAccess {
  /** The actor may know that the project exists. */
  readonly isVisible: boolean
  readonly canRead: boolean
  readonly canWrite: boolean
}

const NO_ACCESS: CodeAccess = { isVisible: false, canRead: false, canWrite: false }
const NOT_FOUND =
  "The repository you were looking for could not be found or you don't have permission to view it."

/** A token needs one of these scopes. */
const SUFFICIENT_SCOPES: Readonly<Record<Purpose, readonly string[]>> = {
  read: ['api', 'read_repository', 'write_repository'],
  write: ['api', 'write_repository'],
}

/**
 * Returns the project of a path if the actor (user, deploy token or deploy key) may read or write its code.
 * Anonymous callers must sign in for everything that is not public, and deploy tokens for projects outside of their
 * own: the answer does not reveal whether a project exists. An address from before a rename still works.
 */
export function openProject(ctx: Ctx, request: GitRequest): Project {
  const { path, purpose } = request
  checkProtocol(settingsOf(ctx).enabled_git_access_protocol, request.protocol)
  const row = projectAt(ctx, path)
  const access = row ? accessOf(ctx, row) : NO_ACCESS
  checkVisible(ctx.actor, access, purpose)
  // A visible project exists.
  const project = row!
  checkProtocol(protocolOfGroup(ctx, project), request.protocol)
  checkToken(ctx.actor, purpose)
  checkPermissions(project, access, purpose)
  if (project.repository_state !== 'ready') {
    throw new Refusal(503, 'The repository is still being created. Please try again in a moment.')
  }
  return project
}

/** Returns a project by its current or a former full path; a number is a path here, not an ID. */
export function projectAt(ctx: Ctx, path: string): Project | undefined {
  if (/^\d+$/.test(path)) return undefined
  return scope.load(ctx, path) ?? (scope.moved?.(ctx, path) as Project | undefined)
}

/**
 * Throws 403 if this protocol is disabled, for the instance or for the top group of a project or group, and for
 * tokens without a sufficient scope. Call it only after the check that the actor may see the project or group.
 */
export function checkGitAccess(
  ctx: Ctx,
  scope: Pick<Project, 'lineage'> | undefined,
  { purpose, protocol }: Pick<GitRequest, 'purpose' | 'protocol'>,
): void {
  checkProtocol(settingsOf(ctx).enabled_git_access_protocol, protocol)
  if (scope) checkProtocol(protocolOfGroup(ctx, scope), protocol)
  checkToken(ctx.actor, purpose)
}

function accessOf(ctx: Ctx, project: Project): CodeAccess {
  const { actor } = ctx
  if (actor.kind === 'deploy_token') {
    const isVisible = belongsTo(actor, project)
    return { isVisible, canRead: isVisible && hasCode(project), canWrite: false }
  }
  if (actor.kind === 'deploy_key') {
    const link = deployKeyLink(ctx.db, actor.key_id, project.id)
    // A key has at least the rights of an anonymous caller.
    if (!link) return { ...accessOf({ ...ctx, actor: anonymous }, project), canWrite: false }
    return { isVisible: true, canRead: hasCode(project), canWrite: hasCode(project) && link.can_push }
  }
  return {
    isVisible: canRead(ctx, scope, project),
    canRead: hasAbility(ctx, scope, abilities.read_code, project),
    canWrite: hasAbility(ctx, scope, abilities.push_code, project),
  }
}

/**
 * Returns true for a deploy token of a project or of a parent group, and for a deploy key that is enabled on the
 * project.
 */
export function isDeployCredentialOf({ actor, db }: Pick<Ctx, 'actor' | 'db'>, project: Project): boolean {
  if (actor.kind === 'deploy_token') return belongsTo(actor, project)
  return actor.kind === 'deploy_key' && deployKeyLink(db, actor.key_id, project.id) !== undefined
}

/** Returns true if a deploy token belongs to a project or to one of its parent groups. */
function belongsTo(token: DeployTokenActor, project: Project): boolean {
  if (token.project_id !== null) return project.id === token.project_id
  return (JSON.parse(project.lineage) as (number | null)[]).includes(token.namespace_id)
}

function hasCode(project: Project): boolean {
  return featureLevel(project, 'repository') !== 'disabled'
}

function checkVisible({ kind }: Actor, { isVisible, canRead }: CodeAccess, purpose: Purpose): void {
  if (kind === 'anonymous' && (purpose === 'write' || !isVisible || !canRead)) throw challenge()
  if (isVisible) return
  throw kind === 'deploy_token' ? challenge() : new Refusal(404, NOT_FOUND)
}

/** `allowed` is a setting: one protocol, or another value for both. */
function checkProtocol(allowed: string | null | undefined, protocol: Protocol): void {
  if (allowed !== 'ssh' && allowed !== 'http') return
  if (allowed === protocol) return
  throw new Refusal(403, `Git access over ${protocol.toUpperCase()} is not allowed`)
}

/** Returns the protocols that the top group of a project or group allows. Personal projects have no such limit. */
function protocolOfGroup(ctx: Ctx, scope: Pick<Project, 'lineage'>): string | null | undefined {
  const [top] = JSON.parse(scope.lineage) as number[]
  return ctx.db.remember(
    `git-protocol:${top}`,
    () => namespaceById(ctx.db, top!)?.enabled_git_access_protocol,
  )
}

function checkToken(actor: Actor, purpose: Purpose): void {
  const { scopes } = actor
  if (scopes === null || SUFFICIENT_SCOPES[purpose].some((name) => scopes.has(name))) return
  const needed = SUFFICIENT_SCOPES[purpose].join(', ')
  throw new Refusal(403, `The scope of this token does not suffice; it needs one of: ${needed}.`)
}

function checkPermissions(project: Project, access: CodeAccess, purpose: Purpose): void {
  if (!access.canRead) throw new Refusal(403, 'You are not allowed to download code from this project.')
  if (purpose === 'read') return
  if (!access.canWrite) throw new Refusal(403, 'You are not allowed to push code to this project.')
  const problem = readOnlyProblem(project)
  if (problem) throw new Refusal(403, problem)
}

/** Returns the name and password of a `Basic` header, or the token of a `Bearer` header as password of `oauth2`. */
function credentials(header: string | undefined): { login: string; password: string } | undefined {
  const [, kind, value = ''] = /^(basic|bearer)\s+(\S+)\s*$/i.exec(header ?? '') ?? []
  if (kind === undefined) return undefined
  if (kind.toLowerCase() === 'bearer') return { login: 'oauth2', password: value }
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { login: text.slice(0, colon), password: text.slice(colon + 1) }
}

/**
 * Returns the actor of a request. Throws a challenge for invalid credentials, and another Refusal if the account may
 * not act.
 */
export async function identify(ctx: Ctx, header: string | undefined, ip = ''): Promise<Actor> {
  const credential = credentials(header)
  if (credential === undefined) {
    if (header) throw challenge()
    return anonymous
  }
  // Git sends an empty name and password if it is configured to try anonymous access.
  if (credential.login === '' && credential.password === '') return anonymous
  // A deploy token is valid only with its own user name, so it is checked first.
  const token = deployTokenActor(ctx, credential.login, credential.password)
  const actor = token ?? (await gitActor(ctx, credential.login, credential.password, ip).catch(refuse))
  if (!actor) throw challenge()
  return actor
}

function refuse(error: unknown): never {
  if (!(error instanceof Failure)) throw error
  const { status, body, headers } = errorAnswer(error)
  throw status === 401 ? challenge() : new Refusal(status, textOf(body), headers)
}

function textOf(body: unknown): string {
  const { message, error } = body as { message?: unknown; error?: unknown }
  return String(message ?? error ?? 'Access denied.').replace(/^\d+ \w+ - /, '')
}
