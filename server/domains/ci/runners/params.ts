import { exclusive } from '../../../http/endpoint.ts'
import { bool, choice, int, list, text } from '../../../http/params.ts'
import type { RunnerFilter, StatusFilter } from './store-list.ts'
import type { RunnerFields } from './validation.ts'
import { RUNNER_TYPES, type RunnerType } from './store.ts'

const MAX_SECONDS = 2_147_483_647

export const id = int({ min: 1 }).describe('Id of the runner')
export const runnerToken = text({ max: 1024 }).describe('Authentication token of the runner')
export const systemId = text({ max: 255 }).describe('The system ID of the runner process')

/** Parameters to create and update runners. */
export const settings = {
  description: text().nullable().optional().describe('The description of the runner'),
  maintenance_note: text().nullable().optional().describe('Maintenance notes, at most 1024 characters'),
  paused: bool().optional().describe('Pause the runner'),
  locked: bool().optional().describe('Lock the runner to its current projects'),
  run_untagged: bool().optional().describe('Run jobs without tags'),
  access_level: choice('not_protected', 'ref_protected')
    .optional()
    .describe('`ref_protected`: only jobs of protected branches and tags'),
  tag_list: list(text()).optional().describe('The tags, as a list or separated by commas'),
  maximum_timeout: int({ max: MAX_SECONDS })
    .nullable()
    .optional()
    .describe('The maximum timeout of a job in seconds, at least 600'),
}

/** The deprecated opposite of `paused`. */
export const active = bool().optional().describe('Deprecated: the opposite of `paused`')
export const notBoth = exclusive('active', 'paused')

type Input = { readonly [Name in keyof RunnerFields]?: RunnerFields[Name] | undefined }

/** Takes the settings from the parameters, and maps `active` to `paused`. */
export function settingsIn(params: Input & { readonly active?: boolean | undefined }): Partial<RunnerFields> {
  const changes = Object.entries(params).filter(([name, value]) => name in settings && value !== undefined)
  const paused = params.active === undefined ? {} : { paused: !params.active }
  return { ...(Object.fromEntries(changes) as Partial<RunnerFields>), ...paused }
}

const STATUS_SCOPES = ['active', 'paused', 'online', 'offline', 'never_contacted', 'stale'] as const
const SCOPES = [...RUNNER_TYPES, ...STATUS_SCOPES] as const

/** Filters of lists of runners. */
export const filters = {
  type: choice(...RUNNER_TYPES)
    .optional()
    .describe('Filter by type'),
  status: choice(...STATUS_SCOPES)
    .optional()
    .describe('Filter by status; `active` and `paused` are deprecated'),
  paused: bool().optional().describe('Filter by paused runners'),
  tag_list: list(text()).optional().describe('Filter by tags; all must match'),
  version_prefix: text({ max: 255 }).optional().describe('Filter by the beginning of the version'),
}
export const scope = choice(...SCOPES)
  .optional()
  .describe('Deprecated: a type or status')
export const scopeOfAll = choice('specific', 'shared', ...SCOPES)
  .optional()
  .describe('Deprecated: a type or status; `shared` are those of the instance, `specific` the others')

interface Filters extends RunnerFilter {
  readonly scope?: string | undefined
}

/** The filters of a list. The deprecated parameter `scope` is a type or a status and takes precedence. */
export function filterIn(params: Filters): RunnerFilter {
  const { type, status, paused, tag_list, version_prefix, scope: word } = params
  const isStatus = (STATUS_SCOPES as readonly string[]).includes(word ?? '')
  const isType = (RUNNER_TYPES as readonly string[]).includes(word ?? '')
  return {
    type: word === 'shared' ? 'instance_type' : isType ? (word as RunnerType) : type,
    isSpecific: word === 'specific',
    status: isStatus ? (word as StatusFilter) : status,
    paused,
    tag_list,
    version_prefix,
  }
}
