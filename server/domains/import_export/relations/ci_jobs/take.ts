import { childOf, childrenOf, flagOf, oneOf, requiredText, textOf, timeOf, wholeOf } from '../checked.ts'
import { personOrNone } from '../children/people.ts'
import { takeEach } from '../children/part.ts'
import type { Fields, Json, Row, Target } from '../relation.ts'
import { TYPES } from './records.ts'
import { endedStatus } from './statuses.ts'

const MAX_NAME = 255
const MAX_LINES = 1000
const MAX_LINE = 100_000
const WHENS = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const
type Kind = keyof typeof TYPES

/** Under which names jobs of a stage come, and of which kind they are then. */
const LISTS: readonly (readonly [name: string, kind: Kind | undefined])[] = [
  ['statuses', undefined],
  ['builds', 'job'],
  ['bridges', 'bridge'],
  ['generic_commit_statuses', 'external'],
]

/** The pipeline that jobs belong to, as it is taken over. */
interface Around {
  readonly id: number
  readonly ref: string
  readonly tag: boolean
  readonly protected: boolean
  readonly created_at: string
}

/** Takes over the jobs of a pipeline, stage by stage; very old archives have them beside the stages. */
export function takeJobs(record: Fields, into: Target, pipeline: Around): void {
  const stages = childrenOf(record, 'stages')
  for (const [index, stage] of stages.entries()) {
    const place = {
      name: textOf(stage, 'name', MAX_NAME) ?? 'test',
      index: wholeOf(stage, 'position', { min: 0 }) ?? index,
    }
    takeList(stage, into, pipeline, place)
  }
  takeList(record, into, pipeline, { name: 'test', index: 0 })
}

interface Stage {
  readonly name: string
  readonly index: number
}

function takeList(record: Fields, into: Target, pipeline: Around, stage: Stage): void {
  for (const [name, kind] of LISTS)
    takeEach(into, 'statuses', childrenOf(record, name), (job) =>
      takeJob(job, into, { pipeline, stage, kind: kind ?? kindOf(job) }),
    )
}

function kindOf({ type }: Fields): Kind {
  if (type === TYPES.bridge) return 'bridge'
  return type === TYPES.external ? 'external' : 'job'
}

interface Means {
  readonly pipeline: Around
  readonly stage: Stage
  readonly kind: Kind
}

function takeJob(record: Fields, into: Target, { pipeline, stage, kind }: Means): void {
  const name = requiredText(record, 'name', MAX_NAME)
  const created_at = timeOf(record, 'created_at') ?? pipeline.created_at
  const status = endedStatus(record)
  const row = {
    pipeline_id: pipeline.id,
    project_id: into.owner.id,
    kind,
    name,
    base: name,
    stage: textOf(record, 'stage', MAX_NAME) ?? stage.name,
    stage_index: wholeOf(record, 'stage_idx', { min: 0 }) ?? stage.index,
    status,
    when: oneOf(record, 'when', WHENS, 'on_success'),
    allow_failure: flagOf(record, 'allow_failure'),
    needs: record['scheduling_type'] === 'dag' ? '[]' : null,
    user_id: personOrNone(record, 'user_id', into),
    ref: textOf(record, 'ref', 1024) ?? pipeline.ref,
    tag: flagOf(record, 'tag', pipeline.tag),
    protected: flagOf(record, 'protected', pipeline.protected),
    tag_list: JSON.stringify(textsOf(record['tag_list'], 50, MAX_NAME)),
    retried: flagOf(record, 'retried'),
    failure_reason: reasonOf(record, status),
    coverage: coverageOf(record),
    ...environmentOf(record),
    ...timesOf(record),
    created_at,
    updated_at: timeOf(record, 'updated_at') ?? created_at,
    target_url: addressOf(record),
    description: textOf(record, 'description', MAX_NAME),
  }
  const id = into.insert('ci_jobs', row)
  if (kind === 'external') return
  into.link('ci_job_details', {
    job_id: id,
    options: JSON.stringify(optionsOf(childOf(record, 'options') ?? {})),
    variables: JSON.stringify(variablesOf(record)),
  })
}

function timesOf(record: Fields): Row {
  const names = ['scheduled_at', 'queued_at', 'started_at', 'finished_at', 'erased_at', 'artifacts_expire_at']
  return Object.fromEntries(names.map((name) => [name, timeOf(record, name)]))
}

function reasonOf(record: Fields, status: string): string | null {
  const reason = record['failure_reason']
  return status === 'failed' && typeof reason === 'string' && /^\w{1,100}$/.test(reason) ? reason : null
}

function coverageOf({ coverage }: Fields): number | null {
  const value = typeof coverage === 'string' ? Number(coverage) : coverage
  return typeof value === 'number' && value >= 0 && value <= 100 ? value : null
}

function environmentOf(record: Fields): Row {
  const environment = textOf(record, 'environment', MAX_NAME)
  return environment === null || environment === '' ? {} : { environment, environment_action: 'start' }
}

/** Shown as a link, so it is one of the web or none. */
function addressOf(record: Fields): string | null {
  const url = textOf(record, 'target_url', 2048)
  return url !== null && /^https?:\/\//i.test(url) ? url : null
}

/** Short texts of a list; what is none is left out. */
function textsOf(value: Json | undefined, most: number, longest: number): string[] {
  if (!Array.isArray(value)) return []
  const texts = (value as readonly Json[]).filter((one): one is string => typeof one === 'string')
  return texts.slice(0, most).map((one) => one.slice(0, longest).replaceAll('\0', '').toWellFormed())
}

/** What a retry does: the script of the job in its image, and nothing of what is elsewhere. */
function optionsOf(options: Fields): object {
  const lines = (name: string): string[] => textsOf(options[name], MAX_LINES, MAX_LINE)
  return {
    script: lines('script'),
    before_script: lines('before_script'),
    after_script: lines('after_script'),
    start_in: null,
    allowed_exit_codes: null,
    other_needs: { cross_pipeline: [], cross_project: [], bridge: null },
    dependencies: null,
    environment: null,
    resource_group: null,
    timeout: null,
    coverage: null,
    retry: null,
    parallel: null,
    image: imageOf(options['image']),
    services: [],
    cache: [],
    artifacts: null,
    release: null,
    secrets: null,
    id_tokens: null,
    hooks: null,
    trigger: null,
  }
}

function imageOf(image: Json | undefined): object | null {
  const name = typeof image === 'string' ? image : isFields(image) ? image['name'] : undefined
  return typeof name === 'string' && name.length <= 1000 ? { name } : null
}

function variablesOf(record: Fields): { key: string; value: string }[] {
  return childrenOf(record, 'yaml_variables')
    .slice(0, MAX_LINES)
    .flatMap(({ key, value }) =>
      typeof key === 'string' && /^\w{1,255}$/.test(key) && typeof value === 'string'
        ? [{ key, value: value.slice(0, MAX_LINE) }]
        : [],
    )
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
