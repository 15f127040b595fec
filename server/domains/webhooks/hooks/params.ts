import { bool, choice, hash, list, text } from '../../../http/params.ts'
import { type EventFlag, EVENTS, type HookKind } from './hook.ts'

/** What a webhook can be told of, in words. */
const ABOUT: Readonly<Record<EventFlag, string>> = {
  push_events: 'Pushes to branches',
  tag_push_events: 'Tags that are made or deleted',
  merge_requests_events: 'Merge requests',
  repository_update_events: 'Any change of a repository, once for each push',
  issues_events: 'Issues',
  confidential_issues_events: 'Confidential issues',
  note_events: 'Comments',
  confidential_note_events: 'Internal comments, and those on confidential issues',
  job_events: 'Changes of the status of jobs',
  pipeline_events: 'Changes of the status of pipelines',
  wiki_page_events: 'Wiki pages',
  deployment_events: 'Deployments that start or end',
  releases_events: 'Releases',
  feature_flag_events: 'Feature flags that are switched on or off',
  emoji_events: 'Emoji reactions',
  resource_access_token_events: 'Access tokens that are about to end',
  subgroup_events: 'Subgroups that are made or removed',
  member_events: 'Members of the group',
}

const pairs = list(hash({ key: text(), value: text() }), { max: 100 })

/** Without a value, the present one is kept. */
const changedPairs = list(hash({ key: text(), value: text().optional() }), { max: 100 })

const ABOUT_PAIRS = {
  url_variables: 'Variables of the address, which are kept secret',
  custom_headers: 'Headers that are sent along, whose values are kept secret',
}

const url = text().describe('Where to send; `{name}` stands for a variable')

const common = {
  name: text().nullable().optional().describe('Name of the webhook'),
  description: text().nullable().optional().describe('What it is for'),
  token: text().nullable().optional().describe('Secret that is sent along; never shown again'),
  enable_ssl_verification: bool().optional().describe('Whether certificates have to be valid'),
  push_events_branch_filter: text()
    .nullable()
    .optional()
    .describe('Branches whose pushes are told; empty for all'),
  branch_filter_strategy: choice('wildcard', 'regex', 'all_branches')
    .optional()
    .describe('How the filter of branches is read'),
  custom_webhook_template: text()
    .nullable()
    .optional()
    .describe('JSON with `{{project.name}}` where values of the event go; the whole event otherwise'),
}

/** The parameters that a new webhook of an owner has. */
export function newHookParams(kind: HookKind) {
  return {
    url,
    ...hookParams(kind),
    url_variables: pairs.optional().describe(ABOUT_PAIRS.url_variables),
    custom_headers: pairs.optional().describe(ABOUT_PAIRS.custom_headers),
  }
}

/** The parameters with which one is changed. */
export function changedHookParams(kind: HookKind) {
  return {
    url: url.optional(),
    ...hookParams(kind),
    url_variables: changedPairs.optional().describe(`${ABOUT_PAIRS.url_variables}; without a value it stays`),
    custom_headers: changedPairs
      .optional()
      .describe(`${ABOUT_PAIRS.custom_headers}; without a value it stays`),
  }
}

function hookParams(kind: HookKind) {
  const flags = EVENTS[kind].map((flag) => [flag, bool().optional().describe(ABOUT[flag])] as const)
  return { ...common, ...(Object.fromEntries(flags) as Record<EventFlag, ReturnType<typeof optionalBool>>) }
}

function optionalBool() {
  return bool().optional()
}
