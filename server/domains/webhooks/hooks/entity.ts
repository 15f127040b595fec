import { z } from 'zod'

import { entity, type Presentation, time } from '../../../http/entity.ts'
import { alertStatus } from './health.ts'
import type { DecryptedHook } from './hook.ts'
import type { SAMPLE } from './testing-service.ts'

const keys = z.array(z.object({ key: z.string() }))

const base = {
  id: z.int(),
  url: z.string(),
  name: z.string().nullable(),
  description: z.string().nullable(),
  created_at: time(),
  push_events: z.boolean(),
  tag_push_events: z.boolean(),
  merge_requests_events: z.boolean(),
  repository_update_events: z.boolean(),
  enable_ssl_verification: z.boolean(),
  alert_status: z.enum(['executable', 'disabled', 'temporarily_disabled']),
  disabled_until: time().nullable(),
  url_variables: keys,
  push_events_branch_filter: z.string().nullable(),
  branch_filter_strategy: z.enum(['wildcard', 'regex', 'all_branches']),
  custom_webhook_template: z.string().nullable(),
  custom_headers: keys,
}

const eventFields = {
  issues_events: z.boolean(),
  confidential_issues_events: z.boolean(),
  note_events: z.boolean(),
  confidential_note_events: z.boolean().nullable(),
  pipeline_events: z.boolean(),
  wiki_page_events: z.boolean(),
  deployment_events: z.boolean(),
  feature_flag_events: z.boolean(),
  job_events: z.boolean(),
  releases_events: z.boolean(),
  emoji_events: z.boolean(),
  resource_access_token_events: z.boolean(),
}

/** A webhook of the instance (spec administration 3.6). Variables and headers have names only, never values. */
export const SystemHook = entity('SystemHook', base, baseOf)

/** A webhook of a project. */
export const ProjectHook = entity(
  'ProjectHook',
  { ...base, project_id: z.int(), ...eventFields },
  (hook: DecryptedHook, presentation) => ({
    ...baseOf(hook, presentation),
    project_id: hook.row.project_id!,
    ...eventFieldsOf(hook),
  }),
)

/** A webhook of a group. */
export const GroupHook = entity(
  'GroupHook',
  { ...base, group_id: z.int(), ...eventFields, subgroup_events: z.boolean(), member_events: z.boolean() },
  (hook: DecryptedHook, presentation) => ({
    ...baseOf(hook, presentation),
    group_id: hook.row.group_id!,
    ...eventFieldsOf(hook),
    subgroup_events: hook.row.subgroup_events,
    member_events: hook.row.member_events,
  }),
)

function baseOf({ row, secrets }: DecryptedHook, { now }: Pick<Presentation, 'now'>) {
  return {
    id: row.id,
    url: secrets.url,
    name: row.name,
    description: row.description,
    created_at: row.created_at,
    push_events: row.push_events,
    tag_push_events: row.tag_push_events,
    merge_requests_events: row.merge_requests_events,
    repository_update_events: row.repository_update_events,
    enable_ssl_verification: row.enable_ssl_verification,
    alert_status: alertStatus(row, now),
    disabled_until: row.disabled_until,
    url_variables: keysOf(secrets.url_variables),
    push_events_branch_filter: row.push_events_branch_filter,
    branch_filter_strategy: row.branch_filter_strategy,
    custom_webhook_template: row.custom_webhook_template,
    custom_headers: keysOf(secrets.custom_headers),
  }
}

function eventFieldsOf({ row }: DecryptedHook) {
  return {
    issues_events: row.issues_events,
    confidential_issues_events: row.confidential_issues_events,
    note_events: row.note_events,
    confidential_note_events: row.confidential_note_events,
    pipeline_events: row.pipeline_events,
    wiki_page_events: row.wiki_page_events,
    deployment_events: row.deployment_events,
    feature_flag_events: row.feature_flag_events,
    job_events: row.job_events,
    releases_events: row.releases_events,
    emoji_events: row.emoji_events,
    resource_access_token_events: row.resource_access_token_events,
  }
}

function keysOf(values: Readonly<Record<string, string>>): { key: string }[] {
  return Object.keys(values).map((key) => ({ key }))
}

/** The result of testing a webhook. */
export const HookTested = entity('HookTried', { message: z.string() }, (row: { message: string }) => row)

export const HookResent = entity(
  'HookResent',
  { response_status: z.int() },
  (row: { response_status: number }) => row,
)

/** The sample event for system hooks. */
export const SystemHookSample = entity(
  'SystemHookSample',
  {
    event_name: z.string(),
    name: z.string(),
    path: z.string(),
    project_id: z.int(),
    owner_name: z.string(),
    owner_email: z.string(),
  },
  (row: typeof SAMPLE) => row,
)
