import type { Ctx } from '../../../ctx.ts'
import { SERVICE_NAME } from '../../../lib/aliases.ts'
import { fail, type Failure } from '../../../lib/fail.ts'
import { type GivenEntity, baseUrl } from './validation.ts'
import { apiPathOf, SourceProblem, SourceInstance } from './source.ts'

/** Groups that are shown to choose from. */
const SHOWN = 100

/** A group of another instance. */
export interface SourceGroup {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly full_path: string
  readonly visibility: string
}

/**
 * Groups at the top of another instance that the token's user owns. Throws 400 for an invalid URL and 422 if the instance does
 * not answer.
 */
export async function groupsAt(
  ctx: Ctx,
  given: { url: string; source_token: string; search?: string | undefined },
): Promise<{ groups: SourceGroup[]; more: boolean }> {
  const signal = AbortSignal.timeout(30_000)
  const source = new SourceInstance(ctx, { url: baseUrl(given.url), token: given.source_token, signal })
  const search = given.search ? `&search=${encodeURIComponent(given.search)}` : ''
  try {
    const rows = await source.list(
      `/groups?min_access_level=50&top_level_only=true&order_by=name&sort=asc&per_page=${SHOWN}${search}`,
    )
    return { groups: rows.flatMap(groupOf), more: rows.length >= SHOWN }
  } catch (error) {
    if (error instanceof SourceProblem) throw fail('unprocessable', error.message)
    if ((error as { name?: string } | null)?.name === 'TimeoutError')
      throw fail('unprocessable', `${source.host} did not answer in time.`)
    throw error
  }
}

function groupOf(row: Readonly<Record<string, unknown>>): SourceGroup[] {
  const { id, name, path, full_path, visibility } = row
  if (typeof id !== 'number' || typeof path !== 'string' || typeof full_path !== 'string') return []
  const plain = (text: unknown): string => (typeof text === 'string' ? text.slice(0, 255) : '')
  return [
    {
      id,
      name: plain(name) || path,
      path: plain(path),
      full_path: plain(full_path),
      visibility: plain(visibility),
    },
  ]
}

/** The first release that exports relations. */
const MIN_MAJOR = 14
/** Requests to the other instance at once. */
const AT_ONCE = 5
const DISABLED =
  'Migration by direct transfer disabled on source or destination instance. Ask an administrator to enable it on both instances and try again.'

/** The release of the other instance, and the ids that the entities have there, in their order. */
export interface CheckedSource {
  readonly version: string
  readonly ids: readonly number[]
}

/** Checks that the other instance allows the migration. Throws 422 with the contract's sentences. */
export async function checkSource(
  ctx: Ctx,
  at: { url: string; token: string },
  entities: readonly GivenEntity[],
): Promise<CheckedSource> {
  const signal = AbortSignal.timeout(60_000)
  const source = new SourceInstance(ctx, { ...at, signal })
  const version = await versionOf(source)
  const ids: number[] = []
  for (let begin = 0; begin < entities.length; begin += AT_ONCE) {
    const some = entities.slice(begin, begin + AT_ONCE)
    ids.push(...(await Promise.all(some.map((entity) => checkOne(source, entity)))))
  }
  return { version, ids }
}

const refused = (sentence: string): Failure => fail('unprocessable', sentence)

async function versionOf(source: SourceInstance): Promise<string> {
  try {
    const { version } = await source.get('/version')
    const text = typeof version === 'string' ? version.slice(0, 100) : ''
    if (!(Number.parseInt(text, 10) >= MIN_MAJOR))
      throw refused(
        `Unsupported ${SERVICE_NAME} version. Source instance must run ${SERVICE_NAME} version ${MIN_MAJOR}.0 or later.`,
      )
    return text
  } catch (error) {
    if (!(error instanceof SourceProblem)) throw timeout(source, error)
    if (error.status === 401 || error.status === 403)
      throw refused("Personal access token does not have the required 'api' scope or is no longer valid.")
    throw refused(`Import failed. ${error.message}`)
  }
}

function timeout(source: SourceInstance, error: unknown): unknown {
  const isLate = (error as { name?: string } | null)?.name === 'TimeoutError'
  return isLate ? refused(`Import failed. ${source.host} did not answer in time.`) : error
}

async function checkOne(source: SourceInstance, entity: GivenEntity): Promise<number> {
  const { source_full_path: path } = entity
  let id: unknown
  try {
    const more = entity.source_type === 'group_entity' ? '?with_projects=false' : ''
    ;({ id } = await source.get(`${apiPathOf(entity)}${more}`))
  } catch (error) {
    if (!(error instanceof SourceProblem)) throw timeout(source, error)
    throw refused(
      error.status === 404 ? `Import failed. '${path}' not found.` : `Import failed. ${error.message}`,
    )
  }
  if (typeof id !== 'number' || !Number.isSafeInteger(id))
    throw refused(`Import failed. '${path}' not found.`)
  try {
    await source.list(`${apiPathOf({ ...entity, source_xid: id })}/export_relations/status`)
  } catch (error) {
    if (!(error instanceof SourceProblem)) throw timeout(source, error)
    if (error.status === 404) throw refused(DISABLED)
    if (error.status === 403) throw refused(`Import failed. You don't have permission to export '${path}'.`)
    throw refused(`Import failed. ${error.message}`)
  }
  return id
}
