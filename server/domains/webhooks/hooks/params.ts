import { bool, choice, hash, list, text } from '../../../http/params.ts'
import { type EventFlag, EVENTS, type HookKind } from './hook.ts'

/** Descriptions of the event flags. */
const FLAG_TEXTS: Readonly<Record<EventFlag, string>> = {
  push_events: 'Trigger the webhook on pushes to branches',
  tag_push_events: 'Trigger the webhook on created and deleted tags',
  merge_requests_events: 'Trigger the webhook on merge request events',
  repository_update_events: 'Trigger the webhook once for each push to a repository',
  issues_events: 'Trigger the webhook on issue events',
  confidential_issues_events: 'Trigger the webhook on confidential issue events',
  note_events: 'Trigger the webhook on comments',
  confidential_note_events: 'Trigger the webhook on internal comments and comments on confidential issues',
  job_events: 'Trigger the webhook on job status changes',
  pipeline_events: 'Trigger the webhook on pipeline status changes',
  wiki_page_events: 'Trigger the webhook on wiki page events',
  deployment_events: 'Trigger the webhook when a deployment starts or ends',
  releases_events: 'Trigger the webhook on release events',
  feature_flag_events: 'Trigger the webhook when a feature flag is turned on or off',
  emoji_events: 'Trigger the webhook when an emoji is awarded or revoked',
  resource_access_token_events: 'Trigger the webhook when an access token is about to expire',
  subgroup_events: 'Trigger the webhook on created and deleted subgroups',
  member_events: 'Trigger the webhook on group member events',
}

const pairs = list(hash({ key: text(), value: text() }), { max: 100 })

/** A pair without a value keeps its current value. */
const changedPairs = list(hash({ key: text(), value: text().optional() }), { max: 100 })

const PAIR_TEXTS = {
  url_variables: 'The variables of the URL. Values are never returned',
  custom_headers: 'Custom headers of each request. Values are never returned',
}

const url = text().describe('The URL to send events to. `{name}` stands for a URL variable')

const common = {
  name: text().nullable().optional().describe('The name of the webhook'),
  description: text().nullable().optional().describe('The description of the webhook'),
  token: text()
    .nullable()
    .optional()
    .describe('A secret token that is sent with each request. It is never returned'),
  enable_ssl_verification: bool().optional().describe('Verify the TLS certificate of the receiver'),
  push_events_branch_filter: text()
    .nullable()
    .optional()
    .describe('The branches that trigger push events. Empty means all branches'),
  branch_filter_strategy: choice('wildcard', 'regex', 'all_branches')
    .optional()
    .describe('How the branch filter is matched'),
  custom_webhook_template: text()
    .nullable()
    .optional()
    .describe(
      'A JSON template for the request body, with placeholders like `{{project.name}}`. Default is the whole event',
    ),
}

/** Parameters for creating a webhook. */
export function newHookParams(kind: HookKind) {
  return {
    url,
    ...hookParams(kind),
    url_variables: pairs.optional().describe(PAIR_TEXTS.url_variables),
    custom_headers: pairs.optional().describe(PAIR_TEXTS.custom_headers),
  }
}

/** Parameters for updating a webhook. */
export function changedHookParams(kind: HookKind) {
  return {
    url: url.optional(),
    ...hookParams(kind),
    url_variables: changedPairs
      .optional()
      .describe(`${PAIR_TEXTS.url_variables}; a pair without a value keeps it`),
    custom_headers: changedPairs
      .optional()
      .describe(`${PAIR_TEXTS.custom_headers}; a pair without a value keeps it`),
  }
}

function hookParams(kind: HookKind) {
  const flags = EVENTS[kind].map((flag) => [flag, bool().optional().describe(FLAG_TEXTS[flag])] as const)
  return { ...common, ...(Object.fromEntries(flags) as Record<EventFlag, ReturnType<typeof optionalBool>>) }
}

function optionalBool() {
  return bool().optional()
}
