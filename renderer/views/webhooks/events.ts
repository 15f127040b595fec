import type { EventFlag, Hook, HookKind } from './hook.ts'
import { t } from '../../locales/t.ts'

/** A kind of event: in the form, in lists and in the log. */
export type EventLine = { flag: EventFlag; label: string; help: string; only?: readonly HookKind[] }
export type EventSection = { title: string; lines: readonly EventLine[] }

const OWNED = ['project', 'group'] as const

/** All webhook events by category. */
const SECTIONS: readonly EventSection[] = [
  {
    title: t('common.code'),
    lines: [
      {
        flag: 'push_events',
        label: t('webhooks.pushes'),
        help: t('webhooks.a_branch_was_updated_created_or'),
      },
      { flag: 'tag_push_events', label: t('common.tags'), help: t('webhooks.a_tag_was_created_or_deleted') },
      {
        flag: 'repository_update_events',
        label: t('webhooks.repository_updates'),
        help: t('webhooks.once_per_push'),
        only: ['system'],
      },
      {
        flag: 'merge_requests_events',
        label: t('common.merge_requests'),
        help: t('webhooks.opened_changed_approved_merged_closed'),
      },
      {
        flag: 'wiki_page_events',
        label: t('webhooks.wiki_pages'),
        help: t('webhooks.created_updated_or_deleted_2'),
        only: OWNED,
      },
    ],
  },
  {
    title: t('webhooks.discussions'),
    lines: [
      {
        flag: 'issues_events',
        label: t('common.issues'),
        help: t('webhooks.opened_changed_closed'),
        only: OWNED,
      },
      {
        flag: 'confidential_issues_events',
        label: t('webhooks.confidential_issues'),
        help: t('webhooks.the_same_for_confidential_issues'),
        only: OWNED,
      },
      {
        flag: 'note_events',
        label: t('common.comments'),
        help: t('webhooks.on_commits_merge_requests_issues_and'),
        only: OWNED,
      },
      {
        flag: 'confidential_note_events',
        label: t('webhooks.confidential_comments'),
        help: t('webhooks.internal_notes_and_comments_on'),
        only: OWNED,
      },
      {
        flag: 'emoji_events',
        label: t('webhooks.emoji'),
        help: t('webhooks.added_or_removed'),
        only: OWNED,
      },
    ],
  },
  {
    title: t('webhooks.ci_cd'),
    lines: [
      {
        flag: 'pipeline_events',
        label: t('common.pipelines'),
        help: t('webhooks.every_status_change'),
        only: OWNED,
      },
      {
        flag: 'job_events',
        label: t('common.jobs'),
        help: t('webhooks.every_status_change'),
        only: OWNED,
      },
      {
        flag: 'deployment_events',
        label: t('webhooks.deployments'),
        help: t('webhooks.started_succeeded_failed_canceled'),
        only: OWNED,
      },
      {
        flag: 'releases_events',
        label: t('common.releases'),
        help: t('webhooks.created_updated_or_deleted'),
        only: OWNED,
      },
      {
        flag: 'feature_flag_events',
        label: t('common.feature_flags'),
        help: t('webhooks.turned_on_or_off'),
        only: OWNED,
      },
    ],
  },
  {
    title: t('webhooks.members_and_access'),
    lines: [
      {
        flag: 'member_events',
        label: t('common.members'),
        help: t('webhooks.members_added_removed_or_given_another'),
        only: ['group'],
      },
      {
        flag: 'subgroup_events',
        label: t('webhooks.subgroups'),
        help: t('webhooks.created_or_deleted'),
        only: ['group'],
      },
      {
        flag: 'resource_access_token_events',
        label: t('common.access_tokens'),
        help: t('webhooks.tokens_that_expire_within_a_week'),
        only: OWNED,
      },
    ],
  },
]

/** The webhook events of an owner. */
export const sectionsFor = (kind: HookKind): EventSection[] =>
  SECTIONS.map((section) => ({
    ...section,
    lines: section.lines.filter((line) => !line.only || line.only.includes(kind)),
  })).filter((section) => section.lines.length > 0)

const LINES = SECTIONS.flatMap((section) => section.lines)

/** Kinds of the log that are called otherwise than their flag. */
const FLAG_OF: Readonly<Record<string, EventFlag>> = {
  issue: 'issues_events',
  confidential_issue: 'confidential_issues_events',
  merge_request: 'merge_requests_events',
  release: 'releases_events',
}

/** What set off an entry of the log, in words: `push_hooks` is "Pushes". */
export const triggerWord = (trigger: string): string => {
  const kind = trigger.replace(/_hooks$/, '')
  const flag = FLAG_OF[kind] ?? `${kind}_events`
  return (
    LINES.find((line) => line.flag === flag)?.label ??
    (kind === 'system' ? t('webhooks.system') : kind.replaceAll('_', ' '))
  )
}

/** The events of a webhook in one line. */
export const eventsLabel = (hook: Hook, kind: HookKind): string => {
  const words = sectionsFor(kind).flatMap((section) =>
    section.lines.filter((line) => hook[line.flag]).map((line) => line.label),
  )
  const always = kind === 'system' ? [t('webhooks.projects_groups_and_people')] : []
  return [...always, ...words].join(', ') || t('common.nothing')
}
