import { t } from '../../../locales/t.ts'

/** The actions that solve an obstacle. */
export type Way =
  | { do: 'ready'; label: string }
  | { do: 'rebase'; label: string }
  | { do: 'approve'; label: string }
  | { do: 'ask'; label: string; user: number }
  | { do: 'thread'; label: string }
  | { do: 'checks'; label: string }

/** An obstacle of a merge, or a passed check. */
export interface Line {
  key: 'draft' | 'branch' | 'empty' | 'conflicts' | 'behind' | 'approvals' | 'threads' | 'pipeline' | 'right'
  tone: 'warn' | 'bad' | 'run' | 'comments' | 'ok'
  title: string
  text?: string
  way?: Way
}

/** A user who may approve. */
export interface Asked {
  id: number
  username: string
}

/** The data of a merge request that matters for its merge. */
export interface MergeState {
  detailed: string
  mergeStatus: string
  draft: boolean
  target: string
  source: string
  isSourceGone: boolean
  changes: string | null
  behind: number | null
  mayEdit: boolean
  mayMerge: boolean
  mayApprove: boolean
  approvalsLeft: number
  /** Rules that require more approvals, with their eligible approvers. */
  rules: readonly { name: string; left: number; who: readonly Asked[] }[]
  /** Whether the user is an eligible approver. */
  isAsked: boolean
  /** The current reviewers. */
  reviewers: readonly number[]
  openThreads: number
  threadsBlock: boolean
  checks: { words: string; state: 'none' | 'running' | 'failed' | 'passed' }
  checksBlock: boolean
  mustBeOnTop: boolean
}

/** `@a`, `@a and @b`, `@a, @b and 3 more`. */
export const nameList = (names: readonly string[], shown = 4): string => {
  const first = names.slice(0, shown)
  const more = names.length - first.length
  if (more > 0) return t('merge_requests.first_and_more_more', { first: first.join(', '), more })
  const last = first.at(-1)
  return first.length > 1
    ? t('merge_requests.first_and_last', { first: first.slice(0, -1).join(', '), last })
    : (last ?? '')
}

const NUMBERS = [
  t('merge_requests.no_2'),
  t('merge_requests.one'),
  t('merge_requests.two'),
  t('merge_requests.three'),
  t('merge_requests.four'),
  t('merge_requests.five'),
  t('merge_requests.six'),
  t('merge_requests.seven'),
]

/** The headline with the number of obstacles. */
export const headline = (count: number): string =>
  t('merge_requests.numbers_part_this_from_merging', {
    numbers: NUMBERS[count] ?? String(count),
    part: count === 1 ? t('merge_requests.condition_keeps') : t('merge_requests.conditions_keep'),
  })

const isUnknown = (facts: MergeState) =>
  ['checking', 'unchecked', 'preparing'].includes(facts.detailed) ||
  facts.mergeStatus === 'checking' ||
  facts.mergeStatus === 'unchecked'

/** Whether the mergeability check is still running. */
export const isChecking = isUnknown

const branchLine = (facts: MergeState): Line[] => {
  if (facts.isSourceGone)
    return [
      {
        key: 'branch',
        tone: 'bad',
        title: t('merge_requests.the_source_branch_no_longer_exists_2'),
        text: t('merge_requests.source_was_deleted_push_it_again_or', { source: facts.source }),
      },
    ]
  if (facts.changes === '0')
    return [
      {
        key: 'empty',
        tone: 'warn',
        title: t('merge_requests.nothing_to_merge'),
        text: t('merge_requests.target_already_contains_all_of_source', {
          target: facts.target,
          source: facts.source,
        }),
      },
    ]
  return []
}

const fitLine = (facts: MergeState): Line[] => {
  const rebase: Way | undefined = facts.mayEdit
    ? { do: 'rebase', label: t('merge_requests.rebase') }
    : undefined
  if (facts.isSourceGone || isUnknown(facts)) return []
  if (facts.mergeStatus.startsWith('cannot_be_merged') && facts.changes !== '0')
    return [
      {
        key: 'conflicts',
        tone: 'bad',
        title: t('merge_requests.conflicts_with_target', { target: facts.target }),
        text: t('merge_requests.the_same_lines_were_changed_on_both'),
      },
    ]
  const behind = facts.behind ?? 0
  if (facts.mustBeOnTop && behind > 0)
    return [
      {
        key: 'behind',
        tone: 'warn',
        title: t('merge_requests.source_is_commits_behind_target', {
          source: facts.source,
          commits: t('count.commits', { count: behind }),
          target: facts.target,
        }),
        text: t('merge_requests.this_project_requires_a_rebase_onto'),
        way: rebase,
      },
    ]
  return [
    {
      key: 'behind',
      tone: 'ok',
      title: t('merge_requests.no_conflicts_with_target_part', {
        target: facts.target,
        part:
          behind > 0
            ? t('merge_requests.commits_behind', { commits: t('count.commits', { count: behind }) })
            : '',
      }),
      way: behind > 0 ? rebase : undefined,
    },
  ]
}

const names = (who: readonly Asked[]) => nameList(who.map((one) => `@${one.username}`))

/** The user's own approval, or the first eligible approver who is not a reviewer yet. */
const approvalWay = (facts: MergeState): Way | undefined => {
  if (facts.mayApprove && facts.isAsked) return { do: 'approve', label: t('common.approve') }
  if (!facts.mayEdit) return undefined
  const free = facts.rules.flatMap((rule) => rule.who).find((one) => !facts.reviewers.includes(one.id))
  return free
    ? {
        do: 'ask',
        label: t('merge_requests.request_a_review_from_username', { username: free.username }),
        user: free.id,
      }
    : undefined
}

const approvalLine = (facts: MergeState): Line[] => {
  if (facts.approvalsLeft <= 0 && facts.detailed !== 'not_approved') return []
  const [rule] = facts.rules
  const more = Math.max(1, facts.approvalsLeft)
  const from =
    rule && facts.rules.length === 1 && rule.name
      ? ` ${t('merge_requests.from_name', { name: rule.name })}`
      : ''
  const sentences = facts.rules
    .filter((one) => one.who.length > 0)
    .map((one) =>
      facts.rules.length > 1
        ? t('merge_requests.name_more_of_who', {
            name: one.name,
            more: t('count.more', { count: one.left }),
            who: names(one.who),
          })
        : t('merge_requests.who_can_approve', { who: names(one.who) }),
    )
  return [
    {
      key: 'approvals',
      tone: 'warn',
      title: `${more === 1 ? t('merge_requests.one_more_approval') : t('merge_requests.numbers_more_approvals', { numbers: NUMBERS[more] ?? more })}${from}`,
      text: sentences.join(' ') || t('merge_requests.any_developer_except_the_author_can'),
      way: approvalWay(facts),
    },
  ]
}

const threadLine = (facts: MergeState): Line[] => {
  if (facts.openThreads === 0) return []
  const one = facts.openThreads === 1
  return [
    {
      key: 'threads',
      tone: 'comments',
      title: one
        ? t('merge_requests.one_unresolved_thread')
        : t('merge_requests.numbers_unresolved_threads', {
            numbers: NUMBERS[facts.openThreads] ?? facts.openThreads,
          }),
      text: facts.threadsBlock
        ? t('merge_requests.all_threads_must_be_resolved_before')
        : t('merge_requests.doesnt_block_merging'),
      way: { do: 'thread', label: t('merge_requests.go_to_thread') },
    },
  ]
}

const pipelineLine = (facts: MergeState): Line[] => {
  const { checks, checksBlock } = facts
  if (checks.state === 'none')
    return checksBlock
      ? [
          {
            key: 'pipeline',
            tone: 'warn',
            title: t('merge_requests.no_pipelines_yet'),
            text: t('merge_requests.pipelines_must_succeed_before_merging'),
          },
        ]
      : []
  const tone = { running: 'run', failed: 'bad', passed: 'ok' } as const
  return [
    {
      key: 'pipeline',
      tone: tone[checks.state],
      title: checks.words,
      text:
        checks.state !== 'passed' && checksBlock
          ? t('merge_requests.pipelines_must_succeed_before_merging')
          : undefined,
      way: { do: 'checks', label: t('merge_requests.see_checks') },
    },
  ]
}

/** All checks before a merge, obstacles first; `blocks` marks those that prevent it. */
export const linesBefore = (facts: MergeState): { blocking: Line[]; others: Line[] } => {
  const draft: Line[] = facts.draft
    ? [
        {
          key: 'draft',
          tone: 'warn',
          title: t('merge_requests.this_is_a_draft'),
          text: t('merge_requests.mark_it_as_ready_to_merge_it'),
          way: facts.mayEdit ? { do: 'ready', label: t('merge_requests.mark_as_ready') } : undefined,
        },
      ]
    : []
  const right: Line[] = facts.mayMerge
    ? []
    : [
        {
          key: 'right',
          tone: 'warn',
          title: t('merge_requests.you_cannot_merge_into_target', { target: facts.target }),
          text: t('merge_requests.ask_a_maintainer_to_merge'),
        },
      ]
  const lines = [
    ...draft,
    ...branchLine(facts),
    ...pipelineLine(facts),
    ...approvalLine(facts),
    ...threadLine(facts),
    ...fitLine(facts),
  ]
  const stops = (line: Line): boolean => {
    if (line.tone === 'ok') return false
    if (line.key === 'threads') return facts.threadsBlock
    if (line.key === 'pipeline') return facts.checksBlock
    return true
  }
  return {
    blocking: lines.filter(stops),
    others: [...lines.filter((line) => !stops(line)), ...right],
  }
}
