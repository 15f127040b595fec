import { exclusive } from '../../../http/endpoint.ts'
import { bool, choice, int, list, text } from '../../../http/params.ts'
import type { RunnerFilter, StatusFilter } from './store-list.ts'
import type { RunnerFields } from './validation.ts'
import { RUNNER_TYPES, type RunnerType } from './store.ts'

const MAX_SECONDS = 2_147_483_647

export const id = int({ min: 1 }).describe('The ID of the runner')
export const runnerToken = text({ max: 1024 }).describe('The authentication token of the runner')
export const systemId = text({ max: 255 }).describe('The system ID of the runner process')

/** The parameters with which runners are created and updated. */
export const settings = {
  description: text().nullable().optional().describe('The description of the runner'),
  maintenance_note: text().nullable().optional().describe('The maintenance note, at most 1024 characters'),
  paused: bool().optional().describe('Pause the runner'),
  locked: bool().optional().describe('Lock the runner to its current projects'),
  run_untagged: bool().optional().describe('Run jobs without tags'),
  access_level: choice('not_protected', 'ref_protected')
    .optional()
    .describe('With `ref_protected`, the runner only runs jobs of protected branches and tags'),
  tag_list: list(text()).optional().describe('The tags, as a list or a comma-separated text'),
  maximum_timeout: int({ max: MAX_SECONDS })
    .nullable()
    .optional()
    .describe('The maximum timeout of jobs in seconds, at least 600'),
}

/** The deprecated opposite of `paused`. */
export const active = bool().optional().describe('Deprecated: the opposite of `paused`')
export const notBoth = exclusive('active', 'paused')

type Input = { readonly [Name in keyof RunnerFields]?: RunnerFields[Name] | undefined }

/** The settings among the parameters. `active` becomes the opposite of `paused`. */
export function settingsIn(params: Input & { readonly active?: boolean | undefined }): Partial<RunnerFields> {
  const changes = Object.entries(params).filter(([name, value]) => name in settings && value !== undefined)
  const paused = params.active === undefined ? {} : { paused: !params.active }
  return { ...(Object.fromEntries(changes) as Partial<RunnerFields>), ...paused }
}

const STATUS_SCOPES = ['active', 'paused', 'online', 'offline', 'never_contacted', 'stale'] as const
const SCOPES = [...RUNNER_TYPES, ...STATUS_SCOPES] as const

/** The filters of lists of runners. */
export const filters = {
  type: choice(...RUNNER_TYPES)
    .optional()
    .describe('Filter by type'),
  status: choice(...STATUS_SCOPES)
    .optional()
    .describe('Filter by status. `active` and `paused` are deprecated'),
  paused: bool().optional().describe('Filter by whether the runner is paused'),
  tag_list: list(text()).optional().describe('Filter by tags. The runner must have all of them'),
  version_prefix: text({ max: 255 }).optional().describe('Filter by the beginning of the version'),
}
export const scope = choice(...SCOPES)
  .optional()
  .describe('Deprecated. Filter by type or status')
export const scopeOfAll = choice('specific', 'shared', ...SCOPES)
  .optional()
  .describe('Deprecated. Filter by type or status. `shared` are instance runners, `specific` all others')

interface Filters extends RunnerFilter {
  readonly scope?: string | undefined
}

/** The filters of a list. The deprecated `scope` is a type or a status, and takes precedence over the other parameters. */
export function filterIn(params: Filters): RunnerFilter {
  const { type, status, paused, tag_list, version_prefix, scope: filterScope } = params
  const isStatus = (STATUS_SCOPES as readonly string[]).includes(filterScope ?? '')
  const isType = (RUNNER_TYPES as readonly string[]).includes(filterScope ?? '')
  return {
    type: filterScope === 'shared' ? 'instance_type' : isType ? (filterScope as RunnerType) : type,
    isSpecific: filterScope === 'specific',
    status: isStatus ? (filterScope as StatusFilter) : status,
    paused,
    tag_list,
    version_prefix,
  }
}
