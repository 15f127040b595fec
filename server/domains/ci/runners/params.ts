import { exclusive } from '../../../http/endpoint.ts'
import { bool, choice, int, list, text } from '../../../http/params.ts'
import type { RunnerFilter, StatusFilter } from './store-list.ts'
import type { RunnerFields } from './validation.ts'
import { RUNNER_TYPES, type RunnerType } from './store.ts'

const MOST_SECONDS = 2_147_483_647

export const id = int({ min: 1 }).describe('Id of the runner')
export const runnerToken = text({ max: 1024 }).describe('Authentication token of the runner')
export const systemId = text({ max: 255 }).describe('Process of the runner')

/** What can be said of a runner, alike wherever it is made or changed. */
export const settings = {
  description: text().nullable().optional().describe('What it is called'),
  maintenance_note: text()
    .nullable()
    .optional()
    .describe('Notes of who looks after it, at most 1024 characters'),
  paused: bool().optional().describe('It takes no jobs'),
  locked: bool().optional().describe('It cannot be given to further projects'),
  run_untagged: bool().optional().describe('It takes jobs without tags too'),
  access_level: choice('not_protected', 'ref_protected')
    .optional()
    .describe('`ref_protected`: only jobs of protected branches and tags'),
  tag_list: list(text()).optional().describe('Its tags, as a list or with commas between them'),
  maximum_timeout: int({ max: MOST_SECONDS })
    .nullable()
    .optional()
    .describe('Most seconds of a job, 600 or more'),
}

/** The old way to say `paused`. */
export const active = bool().optional().describe('Deprecated: the contrary of `paused`')
export const notBoth = exclusive('active', 'paused')

type Given = { readonly [Name in keyof RunnerFields]?: RunnerFields[Name] | undefined }

/** The settings among parameters, with the old name of `paused`. */
export function settingsIn(params: Given & { readonly active?: boolean | undefined }): Partial<RunnerFields> {
  const given = Object.entries(params).filter(([name, value]) => name in settings && value !== undefined)
  const paused = params.active === undefined ? {} : { paused: !params.active }
  return { ...(Object.fromEntries(given) as Partial<RunnerFields>), ...paused }
}

const STATUS_SCOPES = ['active', 'paused', 'online', 'offline', 'never_contacted', 'stale'] as const
const SCOPES = [...RUNNER_TYPES, ...STATUS_SCOPES] as const

/** What lists can be narrowed by. */
export const filters = {
  type: choice(...RUNNER_TYPES)
    .optional()
    .describe('Whom they work for'),
  status: choice(...STATUS_SCOPES)
    .optional()
    .describe('How they are; `active` and `paused` are deprecated'),
  paused: bool().optional().describe('Those that take no jobs, or the others'),
  tag_list: list(text()).optional().describe('Tags that they all have'),
  version_prefix: text({ max: 255 }).optional().describe('What their version begins with'),
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

/** What a list is narrowed to; the old parameter `scope` is a type or a status, and goes before the newer ones. */
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
