import type { EventFlag, Hook, HookKind } from './hook.ts'

/** A kind of event: in the form, in lists and in the log. */
export type EventLine = { flag: EventFlag; label: string; help: string; only?: readonly HookKind[] }
export type EventSection = { title: string; lines: readonly EventLine[] }

const OWNED = ['project', 'group'] as const

/** All webhook events by category. */
const SECTIONS: readonly EventSection[] = [
  {
    title: 'Code',
    lines: [
      { flag: 'push_events', label: 'Pushes', help: 'A branch got other commits, was made or removed.' },
      { flag: 'tag_push_events', label: 'Tags', help: 'A tag was made or removed.' },
      {
        flag: 'repository_update_events',
        label: 'Changed repositories',
        help: 'Once for each push, whatever it changed.',
        only: ['system'],
      },
      {
        flag: 'merge_requests_events',
        label: 'Merge requests',
        help: 'Opened, changed, approved, merged, closed.',
      },
      { flag: 'wiki_page_events', label: 'Wiki pages', help: 'Written, changed or removed.', only: OWNED },
    ],
  },
  {
    title: 'Talk',
    lines: [
      { flag: 'issues_events', label: 'Issues', help: 'Opened, changed, closed.', only: OWNED },
      {
        flag: 'confidential_issues_events',
        label: 'Confidential issues',
        help: 'The same for those that not everybody may read.',
        only: OWNED,
      },
      {
        flag: 'note_events',
        label: 'Comments',
        help: 'On commits, merge requests, issues and snippets.',
        only: OWNED,
      },
      {
        flag: 'confidential_note_events',
        label: 'Confidential comments',
        help: 'Internal ones, and those on confidential issues.',
        only: OWNED,
      },
      { flag: 'emoji_events', label: 'Emoji', help: 'Given to something or taken back.', only: OWNED },
    ],
  },
  {
    title: 'Build and delivery',
    lines: [
      { flag: 'pipeline_events', label: 'Pipelines', help: 'Every change of a status.', only: OWNED },
      { flag: 'job_events', label: 'Jobs', help: 'Every change of a status.', only: OWNED },
      {
        flag: 'deployment_events',
        label: 'Deployments',
        help: 'Begun, done, failed, cancelled.',
        only: OWNED,
      },
      { flag: 'releases_events', label: 'Releases', help: 'Made, changed or removed.', only: OWNED },
      { flag: 'feature_flag_events', label: 'Feature flags', help: 'Switched on or off.', only: OWNED },
    ],
  },
  {
    title: 'People and access',
    lines: [
      {
        flag: 'member_events',
        label: 'Members',
        help: 'Who joins, leaves or gets another role.',
        only: ['group'],
      },
      { flag: 'subgroup_events', label: 'Subgroups', help: 'Made or removed.', only: ['group'] },
      {
        flag: 'resource_access_token_events',
        label: 'Access tokens',
        help: 'Those that end within a week.',
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
    (kind === 'system' ? 'Instance' : kind.replaceAll('_', ' '))
  )
}

/** The events of a webhook in one line. */
export const toldOf = (hook: Hook, kind: HookKind): string => {
  const words = sectionsFor(kind).flatMap((section) =>
    section.lines.filter((line) => hook[line.flag]).map((line) => line.label),
  )
  const always = kind === 'system' ? ['What happens to projects, groups and people'] : []
  return [...always, ...words].join(', ') || 'Nothing'
}
