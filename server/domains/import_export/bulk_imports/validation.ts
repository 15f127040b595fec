import { fail, type Failure } from '../../../lib/fail.ts'

/** The terms for one group or project (spec administration 6.7). */
export interface GivenEntity {
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
const BAD_END = /([-_.]|\.git|\.atom)$/i
const MAX_PATH = 2000

const RELATIVE = (example: string): string =>
  `must be a relative path and not include protocol, sub-domain, or domain information. For example, '${example}/full/path' not 'https://example.com/${example}/full/path'`

const SLUG_RULE =
  "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'. For example, 'destination_namespace' not 'destination/namespace'"

function isPath(path: string): boolean {
  return path.length <= MAX_PATH && path.split('/').every((segment) => SEGMENT.test(segment))
}

const parameter = (sentence: string): Failure => fail('parameter', sentence)

/** Throws 400 for the first invalid value. */
export function checkEntity(entity: GivenEntity, index: number): void {
  const at = (name: string): string => `entities[${index}][${name}]`
  const { destination_slug, destination_name, destination_namespace, source_full_path } = entity
  const names = `${at('destination_slug')}, ${at('destination_name')}`
  if (destination_slug !== undefined && destination_name !== undefined)
    throw parameter(`${names} are mutually exclusive`)
  const slug = destination_slug ?? destination_name
  if (slug === undefined) throw parameter(`${names} are missing, at least one parameter must be provided`)
  if (!isPath(source_full_path)) throw parameter(`${at('source_full_path')} ${RELATIVE('source')}`)
  if (destination_namespace !== '' && !isPath(destination_namespace))
    throw parameter(`${at('destination_namespace')} ${RELATIVE('destination')}`)
  if (!SLUG.test(slug) || BAD_END.test(slug) || slug.length > 255)
    throw parameter(
      `${at(destination_slug === undefined ? 'destination_name' : 'destination_slug')} ${SLUG_RULE}`,
    )
}

/** Base address of the other instance without a trailing slash. Throws 400 for an invalid one. */
export function baseUrl(given: string): string {
  const text = given.trim()
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!url || !isWeb || url.username !== '' || url.password !== '' || text.length > 2000)
    throw parameter('configuration[url] is invalid')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
