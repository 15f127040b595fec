import type { Ctx } from '../../ctx.ts'
import { shownBy, type WebExchange } from '../../http/web-route.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { canRead, isAble, type Ability } from '../../policy/ability.ts'
import { authenticate } from '../auth/index.ts'
import { abilities, project as scope, type Project } from '../projects/index.ts'

/** A project that somebody reads code of outside the API, at an address like `/<project>/-/raw/…`. */
export interface CodeReader {
  readonly ctx: Ctx
  readonly project: Project
  /** The rest of the address, decoded. */
  readonly rest: string
}

/**
 * Who asks, and for which project. The pattern of the route has two groups, the project and the rest. 404 for a project
 * that is not to be seen, 401 or 403 where its code is not.
 */
export async function codeReader(exchange: WebExchange): Promise<CodeReader> {
  const scopes = ['api', 'read_api', 'read_repository']
  const { ctx, owner } = await webReader(exchange, abilities.read_code, scopes)
  return { ctx, project: owner, rest: decoded(exchange.match[2]!, 'File') }
}

/**
 * Who asks outside the API, by token or session as everywhere, and for which project: the first group of the route's
 * pattern. Throws 404 for a project that is not to be seen, 401 or 403 where the ability or the token's scopes do not do.
 */
export async function webReader(
  exchange: WebExchange,
  ability: Ability<Project>,
  enough: readonly string[] = ['api', 'read_api'],
): Promise<{ ctx: Ctx; owner: Project }> {
  const ctx = { ...exchange.ctx, actor: authenticate(exchange.ctx, shownBy(exchange)) }
  const path = decoded(exchange.match[1]!)
  const owner = /^\d+$/.test(path) ? undefined : scope.load(ctx, path)
  if (!owner || !canRead(ctx, scope, owner)) throw notFound('Project')
  await scope.admits?.(ctx, owner)
  const { scopes } = ctx.actor
  const isEnough = scopes === null || enough.some((name) => scopes.has(name))
  if (!isEnough || !isAble(ctx, scope, ability, owner))
    throw fail(ctx.actor.kind === 'anonymous' ? 'unauthorized' : 'forbidden')
  return { ctx, owner }
}

/** Aborted when the client goes away. */
export function signalOf({ res }: WebExchange): AbortSignal {
  const abort = new AbortController()
  res.once('close', () => abort.abort())
  return abort.signal
}

/** A part of an address as it is meant. Throws 404 for one that cannot be read, as for any that leads nowhere. */
export function decoded(text: string, what?: string): string {
  try {
    const plain = decodeURIComponent(text)
    if (!plain.includes('\0')) return plain
  } catch {
    // As any other address that leads nowhere.
  }
  throw notFound(what)
}
