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
        help: t('webhooks.a_branch_got_other_commits_was_made_or'),
      },
      { flag: 'tag_push_events', label: t('common.tags'), help: t('webhooks.a_tag_was_made_or_removed') },
      {
        flag: 'repository_update_events',
        label: t('webhooks.changed_repositories'),
        help: t('webhooks.once_for_each_push_whatever_it_changed'),
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
        help: t('webhooks.written_changed_or_removed'),
        only: OWNED,
      },
    ],
  },
  {
    title: t('webhooks.talk'),
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
        help: t('webhooks.the_same_for_those_that_not_everybody'),
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
        help: t('webhooks.internal_ones_and_those_on'),
        only: OWNED,
      },
      {
        flag: 'emoji_events',
        label: t('webhooks.emoji'),
        help: t('webhooks.given_to_something_or_taken_back'),
        only: OWNED,
      },
    ],
  },
  {
    title: t('webhooks.build_and_delivery'),
    lines: [
      {
        flag: 'pipeline_events',
        label: t('common.pipelines'),
        help: t('webhooks.every_change_of_a_status'),
        only: OWNED,
      },
      {
        flag: 'job_events',
        label: t('common.jobs'),
        help: t('webhooks.every_change_of_a_status'),
        only: OWNED,
      },
      {
        flag: 'deployment_events',
        label: t('webhooks.deployments'),
        help: t('webhooks.begun_done_failed_cancelled'),
        only: OWNED,
      },
      {
        flag: 'releases_events',
        label: t('common.releases'),
        help: t('webhooks.made_changed_or_removed'),
        only: OWNED,
      },
      {
        flag: 'feature_flag_events',
        label: t('common.feature_flags'),
        help: t('webhooks.switched_on_or_off'),
        only: OWNED,
      },
    ],
  },
  {
    title: t('webhooks.people_and_access'),
    lines: [
      {
        flag: 'member_events',
        label: t('common.members'),
        help: t('webhooks.who_joins_leaves_or_gets_another_role'),
        only: ['group'],
      },
      {
        flag: 'subgroup_events',
        label: t('webhooks.subgroups'),
        help: t('webhooks.made_or_removed'),
        only: ['group'],
      },
      {
        flag: 'resource_access_token_events',
        label: t('common.access_tokens'),
        help: t('webhooks.those_that_end_within_a_week'),
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
    (kind === 'system' ? t('webhooks.instance') : kind.replaceAll('_', ' '))
  )
}

/** The events of a webhook in one line. */
export const toldOf = (hook: Hook, kind: HookKind): string => {
  const words = sectionsFor(kind).flatMap((section) =>
    section.lines.filter((line) => hook[line.flag]).map((line) => line.label),
  )
  const always = kind === 'system' ? [t('webhooks.what_happens_to_projects_groups_and')] : []
  return [...always, ...words].join(', ') || t('common.nothing')
}
