import { plural } from '../../../composables/time.ts'

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
  tone: 'warn' | 'bad' | 'run' | 'talk' | 'ok'
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
export interface Facts {
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
  if (more > 0) return `${first.join(', ')} and ${more} more`
  const last = first.at(-1)
  return first.length > 1 ? `${first.slice(0, -1).join(', ')} and ${last}` : (last ?? '')
}

const NUMBERS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven']

/** The headline with the number of obstacles. */
export const headline = (count: number): string =>
  `${NUMBERS[count] ?? String(count)} ${count === 1 ? 'thing keeps' : 'things keep'} this from merging`

const isUnknown = (facts: Facts) =>
  ['checking', 'unchecked', 'preparing'].includes(facts.detailed) ||
  facts.mergeStatus === 'checking' ||
  facts.mergeStatus === 'unchecked'

/** Whether the mergeability check is still running. */
export const isChecking = isUnknown

const branchLine = (facts: Facts): Line[] => {
  if (facts.isSourceGone)
    return [
      {
        key: 'branch',
        tone: 'bad',
        title: 'The source branch no longer exists',
        text: `${facts.source} was deleted. Push it again, or close this merge request.`,
      },
    ]
  if (facts.changes === '0')
    return [
      {
        key: 'empty',
        tone: 'warn',
        title: 'Nothing to merge',
        text: `${facts.target} already contains all of ${facts.source}. Push commits to continue.`,
      },
    ]
  return []
}

const fitLine = (facts: Facts): Line[] => {
  const rebase: Way | undefined = facts.mayEdit ? { do: 'rebase', label: 'Rebase' } : undefined
  if (facts.isSourceGone || isUnknown(facts)) return []
  if (facts.mergeStatus.startsWith('cannot_be_merged') && facts.changes !== '0')
    return [
      {
        key: 'conflicts',
        tone: 'bad',
        title: `Conflicts with ${facts.target}`,
        text: 'The same lines were changed on both sides. Resolve the conflicts to merge.',
      },
    ]
  const behind = facts.behind ?? 0
  if (facts.mustBeOnTop && behind > 0)
    return [
      {
        key: 'behind',
        tone: 'warn',
        title: `${facts.source} is ${plural(behind, 'commit')} behind ${facts.target}`,
        text: 'This project requires a rebase onto the target branch first.',
        way: rebase,
      },
    ]
  return [
    {
      key: 'behind',
      tone: 'ok',
      title: `No conflicts with ${facts.target}${behind > 0 ? `, ${plural(behind, 'commit')} behind` : ''}`,
      way: behind > 0 ? rebase : undefined,
    },
  ]
}

const names = (who: readonly Asked[]) => nameList(who.map((one) => `@${one.username}`))

/** The user's own approval, or the first eligible approver who is not a reviewer yet. */
const approvalWay = (facts: Facts): Way | undefined => {
  if (facts.mayApprove && facts.isAsked) return { do: 'approve', label: 'Approve' }
  if (!facts.mayEdit) return undefined
  const free = facts.rules.flatMap((rule) => rule.who).find((one) => !facts.reviewers.includes(one.id))
  return free ? { do: 'ask', label: `Ask @${free.username}`, user: free.id } : undefined
}

const approvalLine = (facts: Facts): Line[] => {
  if (facts.approvalsLeft <= 0 && facts.detailed !== 'not_approved') return []
  const [rule] = facts.rules
  const more = Math.max(1, facts.approvalsLeft)
  const from = rule && facts.rules.length === 1 && rule.name ? ` from ${rule.name}` : ''
  const sentences = facts.rules
    .filter((one) => one.who.length > 0)
    .map((one) =>
      facts.rules.length > 1
        ? `${one.name}: ${plural(one.left, 'more', 'more')} of ${names(one.who)}.`
        : `${names(one.who)} can approve.`,
    )
  return [
    {
      key: 'approvals',
      tone: 'warn',
      title: `${more === 1 ? 'One more approval' : `${NUMBERS[more] ?? more} more approvals`}${from}`,
      text: sentences.join(' ') || 'Any developer except the author can approve.',
      way: approvalWay(facts),
    },
  ]
}

const threadLine = (facts: Facts): Line[] => {
  if (facts.openThreads === 0) return []
  const one = facts.openThreads === 1
  return [
    {
      key: 'threads',
      tone: 'talk',
      title: one
        ? 'One thread is open'
        : `${NUMBERS[facts.openThreads] ?? facts.openThreads} threads are open`,
      text: facts.threadsBlock ? 'All threads must be resolved before merging.' : "Doesn't block merging.",
      way: { do: 'thread', label: 'Go to thread' },
    },
  ]
}

const pipelineLine = (facts: Facts): Line[] => {
  const { checks, checksBlock } = facts
  if (checks.state === 'none')
    return checksBlock
      ? [
          {
            key: 'pipeline',
            tone: 'warn',
            title: 'No pipeline has run yet',
            text: 'Pipelines must succeed before merging.',
          },
        ]
      : []
  const tone = { running: 'run', failed: 'bad', passed: 'ok' } as const
  return [
    {
      key: 'pipeline',
      tone: tone[checks.state],
      title: checks.words,
      text: checks.state !== 'passed' && checksBlock ? 'Pipelines must succeed before merging.' : undefined,
      way: { do: 'checks', label: 'See checks' },
    },
  ]
}

/** All checks before a merge, obstacles first; `blocks` marks those that prevent it. */
export const linesBefore = (facts: Facts): { blocking: Line[]; others: Line[] } => {
  const draft: Line[] = facts.draft
    ? [
        {
          key: 'draft',
          tone: 'warn',
          title: 'This is a draft',
          text: 'Mark it as ready to merge it.',
          way: facts.mayEdit ? { do: 'ready', label: 'Mark as ready' } : undefined,
        },
      ]
    : []
  const right: Line[] = facts.mayMerge
    ? []
    : [
        {
          key: 'right',
          tone: 'warn',
          title: `You cannot merge into ${facts.target}`,
          text: 'Ask a maintainer to merge.',
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
