import type { Ctx } from '../../../ctx.ts'
import { SERVICE_NAME } from '../../../lib/aliases.ts'
import { fail, type Failure } from '../../../lib/fail.ts'
import { apiPathOf, SourceProblem, SourceInstance } from './source.ts'

/** Maximum number of groups that the user can select from. */
const MAX_GROUPS = 100

/** A group of another instance. */
export interface SourceGroup {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly full_path: string
  readonly visibility: string
}

/**
 * The top-level groups of another instance that the user of the token owns. Throws 400 for an invalid URL, and 422 if
 * the instance does not answer.
 */
export async function listSourceGroups(
  ctx: Ctx,
  input: { url: string; source_token: string; search?: string | undefined },
): Promise<{ groups: SourceGroup[]; more: boolean }> {
  const signal = AbortSignal.timeout(30_000)
  const source = new SourceInstance(ctx, { url: baseUrl(input.url), token: input.source_token, signal })
  const search = input.search ? `&search=${encodeURIComponent(input.search)}` : ''
  try {
    const rows = await source.list(
      `/groups?min_access_level=50&top_level_only=true&order_by=name&sort=asc&per_page=${MAX_GROUPS}${search}`,
    )
    return { groups: rows.flatMap(groupOf), more: rows.length >= MAX_GROUPS }
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
  const shortText = (text: unknown): string => (typeof text === 'string' ? text.slice(0, 255) : '')
  return [
    {
      id,
      name: shortText(name) || path,
      path: shortText(path),
      full_path: shortText(full_path),
      visibility: shortText(visibility),
    },
  ]
}

/** The first major version that exports relations. */
const MIN_MAJOR = 14
/** The number of concurrent requests to the other instance. */
const MAX_CONCURRENT = 5
const DISABLED =
  'Migration by direct transfer disabled on source or destination instance. Ask an administrator to enable it on both instances and try again.'

/** The version of the other instance, and the IDs of the entities there, in the order of the entities. */
interface CheckedSource {
  readonly version: string
  readonly ids: readonly number[]
}

/** Checks that the other instance allows the migration. Throws 422 with the messages of the contract. */
export async function checkSource(
  ctx: Ctx,
  at: { url: string; token: string },
  entities: readonly EntityInput[],
): Promise<CheckedSource> {
  const signal = AbortSignal.timeout(60_000)
  const source = new SourceInstance(ctx, { ...at, signal })
  const version = await versionOf(source)
  const ids: number[] = []
  for (let start = 0; start < entities.length; start += MAX_CONCURRENT) {
    const batch = entities.slice(start, start + MAX_CONCURRENT)
    ids.push(...(await Promise.all(batch.map((entity) => checkSourceEntity(source, entity)))))
  }
  return { version, ids }
}

const refusal = (sentence: string): Failure => fail('unprocessable', sentence)

async function versionOf(source: SourceInstance): Promise<string> {
  try {
    const { version } = await source.get('/version')
    const text = typeof version === 'string' ? version.slice(0, 100) : ''
    if (!(Number.parseInt(text, 10) >= MIN_MAJOR))
      throw refusal(
        `Unsupported ${SERVICE_NAME} version. Source instance must run ${SERVICE_NAME} version ${MIN_MAJOR}.0 or later.`,
      )
    return text
  } catch (error) {
    if (!(error instanceof SourceProblem)) throw timeout(source, error)
    if (error.status === 401 || error.status === 403)
      throw refusal("Personal access token does not have the required 'api' scope or is no longer valid.")
    throw refusal(`Import failed. ${error.message}`)
  }
}

function timeout(source: SourceInstance, error: unknown): unknown {
  const isTimeout = (error as { name?: string } | null)?.name === 'TimeoutError'
  return isTimeout ? refusal(`Import failed. ${source.host} did not answer in time.`) : error
}

async function checkSourceEntity(source: SourceInstance, entity: EntityInput): Promise<number> {
  const { source_full_path: path } = entity
  let id: unknown
  try {
    const query = entity.source_type === 'group_entity' ? '?with_projects=false' : ''
    ;({ id } = await source.get(`${apiPathOf(entity)}${query}`))
  } catch (error) {
    if (!(error instanceof SourceProblem)) throw timeout(source, error)
    throw refusal(
      error.status === 404 ? `Import failed. '${path}' not found.` : `Import failed. ${error.message}`,
    )
  }
  if (typeof id !== 'number' || !Number.isSafeInteger(id))
    throw refusal(`Import failed. '${path}' not found.`)
  try {
    await source.list(`${apiPathOf({ ...entity, source_xid: id })}/export_relations/status`)
  } catch (error) {
    if (!(error instanceof SourceProblem)) throw timeout(source, error)
    if (error.status === 404) throw refusal(DISABLED)
    if (error.status === 403) throw refusal(`Import failed. You don't have permission to export '${path}'.`)
    throw refusal(`Import failed. ${error.message}`)
  }
  return id
}

/** The parameters for one group or project (spec administration 6.7). */
export interface EntityInput {
  readonly source_type: 'group_entity' | 'project_entity'
  readonly source_full_path: string
  readonly destination_namespace: string
  readonly destination_slug?: string | undefined
  /** Deprecated name of the same parameter. */
  readonly destination_name?: string | undefined
  readonly migrate_projects?: boolean | undefined
  readonly migrate_memberships?: boolean | undefined
}

const SEGMENT = /^[a-zA-Z0-9_.][a-zA-Z0-9_.-]*$/
const SLUG = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/
const INVALID_END = /([-_.]|\.git|\.atom)$/i
const MAX_PATH = 2000

const RELATIVE = (example: string): string =>
  `must be a relative path and not include protocol, sub-domain, or domain information. For example, '${example}/full/path' not 'https://example.com/${example}/full/path'`

const SLUG_RULE =
  "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'. For example, 'destination_namespace' not 'destination/namespace'"

function isPath(path: string): boolean {
  return path.length <= MAX_PATH && path.split('/').every((segment) => SEGMENT.test(segment))
}

const parameter = (sentence: string): Failure => fail('parameter', sentence)

/** Throws 400 for the first invalid parameter of an entity. */
export function checkEntity(entity: EntityInput, index: number): void {
  const pathOf = (name: string): string => `entities[${index}][${name}]`
  const { destination_slug, destination_name, destination_namespace, source_full_path } = entity
  const names = `${pathOf('destination_slug')}, ${pathOf('destination_name')}`
  if (destination_slug !== undefined && destination_name !== undefined)
    throw parameter(`${names} are mutually exclusive`)
  const slug = destination_slug ?? destination_name
  if (slug === undefined) throw parameter(`${names} are missing, at least one parameter must be provided`)
  if (!isPath(source_full_path)) throw parameter(`${pathOf('source_full_path')} ${RELATIVE('source')}`)
  if (destination_namespace !== '' && !isPath(destination_namespace))
    throw parameter(`${pathOf('destination_namespace')} ${RELATIVE('destination')}`)
  if (!SLUG.test(slug) || INVALID_END.test(slug) || slug.length > 255)
    throw parameter(
      `${pathOf(destination_slug === undefined ? 'destination_name' : 'destination_slug')} ${SLUG_RULE}`,
    )
}

/** The base URL of the other instance, without a trailing slash. Throws 400 for an invalid URL. */
export function baseUrl(input: string): string {
  const text = input.trim()
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!url || !isWeb || url.username !== '' || url.password !== '' || text.length > 2000)
    throw parameter('configuration[url] is invalid')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
