import type { Ctx } from '../../ctx.ts'
import { webCredentials, type WebExchange } from '../../http/web-route.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { canRead, hasAbility, type Ability } from '../../policy/ability.ts'
import { authenticate } from '../auth/index.ts'
import { abilities, project as scope, type Project } from '../projects/index.ts'

/** A request for code outside the API, at an address like `/<project>/-/raw/…`. */
export interface CodeReader {
  readonly ctx: Ctx
  readonly project: Project
  /** The rest of the address, decoded. */
  readonly rest: string
}

/**
 * Returns the caller and the project of a request. The pattern of the route has two groups, the project and the
 * rest. Throws 404 for a project that the caller may not see, 401 or 403 if they may not read its code.
 */
export async function codeReader(exchange: WebExchange): Promise<CodeReader> {
  const scopes = ['api', 'read_api', 'read_repository']
  const { ctx, owner } = await webReader(exchange, abilities.read_code, scopes)
  return { ctx, project: owner, rest: decoded(exchange.match[2]!, 'File') }
}

/**
 * Returns the caller outside the API, by token or session, and the project in the first group of the route's
 * pattern. Throws 404 for a project that the caller may not see, 401 or 403 without the ability or the token scope.
 */
export async function webReader(
  exchange: WebExchange,
  ability: Ability<Project>,
  sufficientScopes: readonly string[] = ['api', 'read_api'],
): Promise<{ ctx: Ctx; owner: Project }> {
  const ctx = { ...exchange.ctx, actor: authenticate(exchange.ctx, webCredentials(exchange)) }
  const path = decoded(exchange.match[1]!)
  const owner = /^\d+$/.test(path) ? undefined : scope.load(ctx, path)
  if (!owner || !canRead(ctx, scope, owner)) throw notFound('Project')
  await scope.admits?.(ctx, owner)
  const { scopes } = ctx.actor
  const hasScope = scopes === null || sufficientScopes.some((name) => scopes.has(name))
  if (!hasScope || !hasAbility(ctx, scope, ability, owner))
    throw fail(ctx.actor.kind === 'anonymous' ? 'unauthorized' : 'forbidden')
  return { ctx, owner }
}

/** A signal that aborts when the client closes the connection. */
export function signalOf({ res }: WebExchange): AbortSignal {
  const abort = new AbortController()
  res.once('close', () => abort.abort())
  return abort.signal
}

/** Decodes a part of an address. Throws 404 for an invalid encoding, as for any unknown address. */
export function decoded(text: string, what?: string): string {
  try {
    const decodedText = decodeURIComponent(text)
    if (!decodedText.includes('\0')) return decodedText
  } catch {
    // Answered like any unknown address.
  }
  throw notFound(what)
}
