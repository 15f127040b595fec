import type { Ctx } from '../../../ctx.ts'
import { fail, Failure } from '../../../lib/fail.ts'
import { OWNER } from '../../../policy/levels.ts'
import { roleOnNamespace } from '../../members/index.ts'
import {
  nameProblem,
  namespaceByPath,
  namespaceOfUser,
  pathProblem,
  type NamespaceRow,
} from '../../namespaces/index.ts'
import { mayCreateIn, findTargetNamespace, projectByPath, type Project } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import { isTaken } from './store.ts'

/** The namespace, path and name of an imported project. */
export interface ImportTarget {
  readonly namespace: NamespaceRow
  readonly namespace_id: number
  readonly path: string
  readonly name: string
  /** The project that the import overwrites, if it exists and the request allows it. */
  readonly replaces: Project | null
}

/** The target in the parameters of an import. */
export interface RequestedTarget {
  /** ID or full path. Default is the personal namespace of the actor. */
  readonly namespace?: string | number | undefined
  readonly path: string
  /** Default is the path. */
  readonly name?: string | undefined
  readonly overwrite?: boolean | undefined
}

export const NOT_ALLOWED = 'You are not allowed to import projects in this namespace.'
const NAME_RULE =
  "can contain only letters, digits, emojis, '_', '.', '+', dashes, or spaces. It must start with a letter, digit, emoji, or '_'."
const TAKEN = 'has already been taken'

/**
 * Checks the target of an imported project (spec administration 6.6). Throws `404 Namespace Not Found` for a namespace
 * that the actor cannot see, and for actors without a namespace of their own (accounts of access tokens). Throws 400
 * with one sentence for a namespace that the actor may not create in, and for names and paths that are invalid or
 * taken.
 */
export function targetFor(ctx: Ctx, request: RequestedTarget): ImportTarget {
  const namespace = namespaceFor(ctx, request.namespace)
  const { path } = request
  const name = request.name ?? path
  const isBotNamespace = namespace.owner_id !== null && isBot(ctx, namespace.owner_id)
  if (isBotNamespace || !mayCreateIn(ctx, namespace)) throw fail('bad_request', NOT_ALLOWED)
  const invalidName = nameProblem(name, NAME_RULE) ?? (/[()]/.test(name) ? NAME_RULE : undefined)
  if (invalidName) throw fail('bad_request', `Name ${invalidName}`)
  const invalidPath = pathProblem(path, 'below')
  if (invalidPath) throw fail('bad_request', `Path ${invalidPath}`)
  const existing = projectByPath(ctx.db, `${namespace.full_path}/${path}`)
  const replaces = existing && request.overwrite ? checkMayReplace(ctx, existing, namespace) : null
  checkNotTaken(ctx, { namespace, path, name, replaces })
  return { namespace, namespace_id: namespace.id, path, name, replaces }
}

function namespaceFor(ctx: Ctx, requested: string | number | undefined): NamespaceRow {
  if (requested !== undefined && String(requested).trim() !== '')
    return findTargetNamespace(ctx, String(requested).replace(/^\/+|\/+$/g, ''))
  const { id } = ctx.actor
  const namespace = id === null || isBot(ctx, id) ? undefined : namespaceOfUser(ctx.db, id)
  if (!namespace) throw fail('not_found', '404 Namespace Not Found')
  return namespace
}

/** Whether a user is the bot of an access token. Deleting the token deletes the bot and would delete its projects. */
function isBot(ctx: Ctx, userId: number): boolean {
  return userById(ctx.db, userId)?.bot === true
}

/** Returns the project. Throws 400 unless the actor owns its namespace, because overwriting a project deletes it. */
function checkMayReplace(ctx: Ctx, project: Project, namespace: NamespaceRow): Project {
  const isOwner =
    ctx.actor.is_admin ||
    (namespace.kind === 'user'
      ? namespace.owner_id === ctx.actor.id
      : roleOnNamespace(ctx, namespace) >= OWNER)
  if (!isOwner) throw fail('bad_request', NOT_ALLOWED)
  return project
}

function checkNotTaken(ctx: Ctx, target: Omit<ImportTarget, 'namespace_id'>): void {
  const { namespace, path, name, replaces } = target
  const excludedId = replaces?.id ?? null
  const isInUse = (column: 'name' | 'path', value: string): boolean =>
    isTaken(ctx.db, namespace.id, { column, value, excludedId })
  if (isInUse('name', name)) throw fail('bad_request', `Name ${TAKEN}`)
  if (isInUse('path', path) || namespaceByPath(ctx.db, `${namespace.full_path}/${path}`))
    throw fail('bad_request', `Path ${TAKEN}`)
}

/** The first message of a failure as one sentence, such as `Visibility level public is not allowed …`. */
export function firstSentence(error: unknown): string | undefined {
  if (!(error instanceof Failure)) return undefined
  const { detail, body } = error
  if (typeof detail === 'string') return detail
  const message = body?.['error']
  if (Array.isArray(message)) return String(message[0])
  const first = detail && !Array.isArray(detail) ? Object.entries(detail)[0] : undefined
  if (!first) return undefined
  const [field, texts] = first
  const words = (field.split('.').at(-1) ?? field).replaceAll('_', ' ')
  return `${words[0]!.toUpperCase()}${words.slice(1)} ${Array.isArray(texts) ? texts[0] : texts}`
}
