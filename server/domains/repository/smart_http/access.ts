import type { Ctx } from '../../../ctx.ts'
import { SERVICE_NAME } from '../../../http/aliases.ts'
import { errorAnswer } from '../../../http/errors.ts'
import { Failure } from '../../../lib/fail.ts'
import { canRead, isAble } from '../../../policy/ability.ts'
import { anonymous, type Actor } from '../../../policy/actor.ts'
import { gitActor } from '../../auth/index.ts'
import { abilities, project as scope, type Project } from '../../projects/index.ts'
import { notWritable } from '../checks/writable.ts'

/** A request that git is not served; the text is shown at the user's prompt. */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(text)
    this.status = status
    this.headers = headers
  }
}

/** What somebody wants to do with a repository. */
export type Purpose = 'read' | 'write'

const NOT_FOUND =
  "The project you were looking for could not be found or you don't have permission to view it."

/** Asks for a name and a password. Says the same whether or not there is such a project. */
function challenge(): Refusal {
  const text = 'HTTP Basic: Access denied. Sign in with your password or with a personal access token.'
  return new Refusal(401, text, { 'WWW-Authenticate': `Basic realm="${SERVICE_NAME}"` })
}

/** Name and password of an `Authorization: Basic`, or a token sent as Bearer; undefined without either. */
function credentials(header: string | undefined): { login: string; password: string } | undefined {
  const [, kind, value = ''] = /^(basic|bearer)\s+(\S+)\s*$/i.exec(header ?? '') ?? []
  if (kind === undefined) return undefined
  if (kind.toLowerCase() === 'bearer') return { login: 'oauth2', password: value }
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { login: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** Who asks. Throws a challenge for credentials that do not hold, and says why an account may not act. */
export async function identify(ctx: Ctx, header: string | undefined): Promise<Actor> {
  const given = credentials(header)
  if (given === undefined) {
    if (header) throw challenge()
    return anonymous
  }
  // Git sends an empty name and password when it has none and is told to try.
  if (given.login === '' && given.password === '') return anonymous
  const actor = await gitActor(ctx, given.login, given.password).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
    const { status, body } = errorAnswer(error)
    if (status === 401) throw challenge()
    throw new Refusal(status, textOf(body))
  })
  if (!actor) throw challenge()
  return actor
}

function textOf(body: unknown): string {
  const { message, error } = body as { message?: unknown; error?: unknown }
  return String(message ?? error ?? 'Access denied.').replace(/^\d+ \w+ - /, '')
}

const SUFFICIENT: Readonly<Record<Purpose, readonly string[]>> = {
  read: ['api', 'read_repository', 'write_repository'],
  write: ['api', 'write_repository'],
}

/**
 * The project of a path, if the actor may read or write its code. Nobody in particular gets a challenge for
 * everything that is not open, so that nothing can be learned about what exists.
 */
export function openProject(ctx: Ctx, path: string, purpose: Purpose): Project {
  const { actor } = ctx
  const found = scope.load(ctx, path)
  const visible = found !== undefined && !/^\d+$/.test(path) && canRead(ctx, scope, found)
  if (actor.kind === 'anonymous') {
    if (purpose === 'write' || !visible || !isAble(ctx, scope, abilities.read_code, found)) throw challenge()
  } else if (!visible) {
    throw new Refusal(404, NOT_FOUND)
  }
  checkToken(actor, purpose)
  checkRights(ctx, found, purpose)
  if (found.repository_state !== 'ready') {
    throw new Refusal(503, 'The repository is still being made. Please try again in a moment.')
  }
  return found
}

function checkToken(actor: Actor, purpose: Purpose): void {
  const { scopes } = actor
  if (scopes === null || SUFFICIENT[purpose].some((name) => scopes.has(name))) return
  const needed = SUFFICIENT[purpose].join(', ')
  throw new Refusal(403, `The scope of this token does not suffice; it needs one of: ${needed}.`)
}

function checkRights(ctx: Ctx, project: Project, purpose: Purpose): void {
  if (!isAble(ctx, scope, abilities.read_code, project)) {
    throw new Refusal(403, 'You are not allowed to download code from this project.')
  }
  if (purpose === 'read') return
  if (!isAble(ctx, scope, abilities.push_code, project)) {
    throw new Refusal(403, 'You are not allowed to push code to this project.')
  }
  const problem = notWritable(project)
  if (problem) throw new Refusal(403, problem)
}
