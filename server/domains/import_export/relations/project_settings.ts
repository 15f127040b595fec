import { flagOf, oneOf, textOf, timeOf, wholeOf } from './checked.ts'
import { relation, type Fields, type Json, type Row } from './relation.ts'

type ProjectRow = Readonly<Record<string, string | number | boolean | null>>

const rowOf = (sql: string): string => `SELECT ${sql} FROM projects WHERE id = ?`
const truth = (value: Json | undefined): boolean => value === true

/** Flags of the pipelines' settings by their columns; archives of others have the first one alone. */
const FLAGS = {
  group_runners_enabled: 'group_runners_enabled',
  forward_deployment_enabled: 'ci_forward_deployment_enabled',
  separated_caches: 'ci_separated_caches',
  job_token_scope_enabled: 'ci_job_token_scope_enabled',
  allow_fork_pipelines_to_run_in_parent_project: 'ci_allow_fork_pipelines_to_run_in_parent_project',
  keep_latest_artifact: 'keep_latest_artifact',
  restrict_user_defined_variables: 'restrict_user_defined_variables',
  merge_pipelines_enabled: 'merge_pipelines_enabled',
  merge_trains_enabled: 'merge_trains_enabled',
} as const

/** How pipelines of the project work. */
export const ci_cd_settings = relation({
  name: 'ci_cd_settings',
  of: ['project'],
  single: true,
  *records({ db, owner }) {
    const row = db.one<ProjectRow>(rowOf('*'), owner.id)
    if (!row) return
    const flags = Object.entries(FLAGS).map(([name, column]) => [name, truth(row[column])] as const)
    yield {
      ...Object.fromEntries(flags),
      runner_token_expiration_interval: row['runner_token_expiration_interval'] ?? null,
      default_git_depth: row['ci_default_git_depth'] ?? null,
    }
  },
  count: () => 1,
  take: (record, into) => {
    const changes: Record<string, Row[string]> = {}
    for (const [name, column] of Object.entries(FLAGS))
      if (typeof record[name] === 'boolean') changes[column] = flagOf(record, name)
    const seconds = wholeOf(record, 'runner_token_expiration_interval', { min: 1 })
    if (seconds !== null) changes['runner_token_expiration_interval'] = seconds
    if ('default_git_depth' in record)
      changes['ci_default_git_depth'] = wholeOf(record, 'default_git_depth', { min: 0, max: 1000 })
    into.update('projects', into.owner.id, changes)
  },
})

/** Whether pipelines come without a configuration, and how they deploy. */
export const auto_devops = relation({
  name: 'auto_devops',
  of: ['project'],
  single: true,
  *records({ db, owner }) {
    const row = db.one<ProjectRow>(
      rowOf('auto_devops_enabled, auto_devops_deploy_strategy, created_at, updated_at'),
      owner.id,
    )
    if (!row) return
    const { auto_devops_enabled: enabled, auto_devops_deploy_strategy: deploy_strategy, ...times } = row
    if (enabled === null && deploy_strategy === 'continuous') return
    yield { enabled: enabled === null ? null : truth(enabled), deploy_strategy: deploy_strategy!, ...times }
  },
  count: () => 1,
  take: (record, into) => {
    const { enabled } = record
    into.update('projects', into.owner.id, {
      auto_devops_enabled: typeof enabled === 'boolean' ? enabled : null,
      auto_devops_deploy_strategy: oneOf(
        record,
        'deploy_strategy',
        ['continuous', 'manual', 'timed_incremental'],
        'continuous',
      ),
    })
  },
})

const CADENCES = ['1d', '7d', '14d', '1month', '3month'] as const
const AGES = ['7d', '14d', '30d', '60d', '90d'] as const

/** What a policy says where nobody changed it (spec core 1.2). */
const POLICY = {
  cadence: '1d',
  enabled: false,
  keep_n: 10,
  older_than: '90d',
  name_regex: '.*',
  name_regex_keep: null,
}

/** Which images of the registry are removed, and when. */
export const container_expiration_policy = relation({
  name: 'container_expiration_policy',
  of: ['project'],
  single: true,
  *records({ db, owner }) {
    const row = db.one<ProjectRow>(
      rowOf('container_expiration_policy AS policy, created_at, updated_at'),
      owner.id,
    )
    if (!row || row['policy'] === '{}') return
    const { policy, ...times } = row
    yield { ...POLICY, ...(JSON.parse(String(policy)) as Fields), next_run_at: null, ...times }
  },
  count: () => 1,
  take: (record, into) => {
    timeOf(record, 'next_run_at')
    const policy = {
      cadence: oneOf(record, 'cadence', CADENCES, '1d'),
      enabled: flagOf(record, 'enabled'),
      keep_n: wholeOf(record, 'keep_n', { min: 1, max: 100 }),
      older_than: record['older_than'] == null ? null : oneOf(record, 'older_than', AGES, '90d'),
      name_regex: textOf(record, 'name_regex', 255),
      name_regex_keep: textOf(record, 'name_regex_keep', 255),
    }
    into.update('projects', into.owner.id, { container_expiration_policy: JSON.stringify(policy) })
  },
})
