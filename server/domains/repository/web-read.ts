import type { Ctx } from '../../ctx.ts'
import { shownBy, type WebExchange } from '../../http/web-route.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { canRead, isAble } from '../../policy/ability.ts'
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
export function codeReader(exchange: WebExchange): CodeReader {
  // The same credentials as everywhere: token or session cookie.
  const ctx = { ...exchange.ctx, actor: authenticate(exchange.ctx, shownBy(exchange)) }
  const project = readable(ctx, decoded(exchange.match[1]!))
  return { ctx, project, rest: decoded(exchange.match[2]!) }
}

/** Aborted when the client goes away. */
export function signalOf({ res }: WebExchange): AbortSignal {
  const abort = new AbortController()
  res.once('close', () => abort.abort())
  return abort.signal
}

function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text)
    if (!plain.includes('\0')) return plain
  } catch {
    // As any other address that leads nowhere.
  }
  throw notFound('File')
}

function readable(ctx: Ctx, path: string): Project {
  const found = /^\d+$/.test(path) ? undefined : scope.load(ctx, path)
  if (!found || !canRead(ctx, scope, found)) throw notFound('Project')
  const scopes = ctx.actor.scopes
  const enough = scopes === null || ['api', 'read_api', 'read_repository'].some((name) => scopes.has(name))
  if (!enough || !isAble(ctx, scope, abilities.read_code, found)) {
    throw fail(ctx.actor.kind === 'anonymous' ? 'unauthorized' : 'forbidden')
  }
  return found
}
