import { describe, expect, it } from 'vitest'
import { asDraft, asReady, isDraft } from '../../renderer/views/merge-requests/draft.ts'
import {
  headline,
  linesBefore,
  nameList,
  type MergeState,
} from '../../renderer/views/merge-requests/merge/obstacles.ts'
import { issueOfBranch, propose, titleOfBranch } from '../../renderer/views/merge-requests/new/proposal.ts'
import { timelineOf } from '../../renderer/components/issuable/timeline.ts'
import type { Discussion, Note } from '../../renderer/components/discussion/target.ts'

const clear: MergeState = {
  detailed: 'mergeable',
  mergeStatus: 'can_be_merged',
  draft: false,
  target: 'main',
  source: 'fix/tail',
  isSourceGone: false,
  changes: '3',
  behind: 0,
  mayEdit: true,
  mayMerge: true,
  mayApprove: false,
  approvalsLeft: 0,
  rules: [],
  isAsked: true,
  reviewers: [],
  openThreads: 0,
  threadsBlock: false,
  checks: { words: '', state: 'none' },
  checksBlock: false,
  mustBeOnTop: false,
}
const blocking = (patch: Partial<MergeState>) =>
  linesBefore({ ...clear, ...patch }).blocking.map((line) => [line.title, line.way?.label])

describe('the obstacles of a merge', () => {
  it('are none for a mergeable request, which reports that there are no conflicts', () => {
    const { blocking: none, others } = linesBefore({ ...clear, behind: 2 })
    expect(none).toEqual([])
    expect(others.map((line) => line.title)).toEqual(['No conflicts with main, 2 commits behind'])
  })

  it('include the draft status, which its author can remove', () => {
    expect(blocking({ draft: true, detailed: 'draft_status' })).toEqual([
      ['This is a draft', 'Mark as ready'],
    ])
    expect(blocking({ draft: true, mayEdit: false })).toEqual([['This is a draft', undefined]])
  })

  it('include a conflict after git has found it', () => {
    const conflict = { mergeStatus: 'cannot_be_merged', detailed: 'broken_status' }
    expect(blocking(conflict)).toEqual([['Conflicts with main', undefined]])
    expect(blocking({ ...conflict, mergeStatus: 'checking' })).toEqual([])
  })

  it('include a missing branch and one without changes, instead of a conflict', () => {
    const broken = { mergeStatus: 'cannot_be_merged', detailed: 'broken_status' }
    expect(blocking({ ...broken, isSourceGone: true })).toEqual([
      ['The source branch no longer exists', undefined],
    ])
    expect(blocking({ ...broken, changes: '0' })).toEqual([['Nothing to merge', undefined]])
  })

  it('include a target that moved, if the project requires a rebased branch', () => {
    expect(blocking({ behind: 1, mustBeOnTop: true })).toEqual([
      ['fix/tail is 1 commit behind main', 'Rebase'],
    ])
    expect(blocking({ behind: 1 })).toEqual([])
  })

  it('include a missing approval, with the rule and its approvers', () => {
    const rule = {
      name: 'storage owners',
      left: 1,
      who: [
        { id: 3, username: 'ines' },
        { id: 4, username: 'otto' },
      ],
    }
    const wanting = { ...clear, detailed: 'not_approved', approvalsLeft: 1, rules: [rule], mayApprove: true }
    expect(linesBefore(wanting).blocking[0]).toMatchObject({
      title: 'One more approval from storage owners',
      text: '@ines and @otto can approve.',
      way: { do: 'approve' },
    })
    const others = { ...wanting, isAsked: false }
    expect(linesBefore({ ...others, reviewers: [3] }).blocking[0]?.way).toEqual({
      do: 'ask',
      label: 'Request a review from @otto',
      user: 4,
    })
    expect(linesBefore({ ...others, reviewers: [3, 4] }).blocking[0]?.way).toBeUndefined()
  })

  it('include open threads and failed checks only if the project requires it', () => {
    const failed = { words: '1 check failed', state: 'failed' as const }
    expect(blocking({ openThreads: 2, threadsBlock: true })).toEqual([
      ['Two unresolved threads', 'Go to thread'],
    ])
    expect(blocking({ openThreads: 2 })).toEqual([])
    expect(blocking({ checks: failed, checksBlock: true })).toEqual([['1 check failed', 'See checks']])
    expect(blocking({ checks: failed })).toEqual([])
    expect(blocking({ checksBlock: true })).toEqual([['No pipelines yet', undefined]])
  })

  it('are counted in words', () => {
    expect(headline(1)).toBe('One condition keeps this from merging')
    expect(headline(3)).toBe('Three conditions keep this from merging')
    expect(nameList(['@a', '@b', '@c', '@d', '@e'], 3)).toBe('@a, @b, @c and 2 more')
    expect(nameList([])).toBe('')
  })
})

describe('the title of a draft', () => {
  it('has only the prefixes of the contract', () => {
    expect(['Draft: x', '[draft] x', '(DRAFT)x'].map(isDraft)).toEqual([true, true, true])
    expect(['WIP: x', 'Draft - x', 'A draft: x'].map(isDraft)).toEqual([false, false, false])
    expect(asReady('[Draft] Tail')).toBe('Tail')
    expect(asDraft('Draft: Tail')).toBe('Draft: Tail')
    expect(asDraft('Tail')).toBe('Draft: Tail')
  })
})

describe('the proposed title and description', () => {
  const commit = (title: string, message = title) => ({ title, message, parent_ids: ['a'] })

  it('are those of a single commit', () => {
    expect(propose('fix/tail', [commit('Cut the tail', 'Cut the tail\n\nIt was torn.\n')], null)).toEqual({
      title: 'Cut the tail',
      description: 'It was torn.',
    })
  })

  it('come from the branch if there are several commits, with the template and the issue in the branch name', () => {
    expect(propose('218-torn_tail', [commit('a'), commit('b')], '## Why\n')).toEqual({
      title: '218 torn tail',
      description: '## Why\n\nCloses #218',
    })
    expect(titleOfBranch('fix/torn-tail')).toBe('Torn tail')
    expect(issueOfBranch('fix/218-tail')).toBe(218)
    expect(issueOfBranch('v2-tail')).toBeNull()
  })

  it('ignore merge commits', () => {
    const merge = { ...commit('Merge main'), parent_ids: ['a', 'b'] }
    expect(propose('x', [merge, commit('Cut')], null).title).toBe('Cut')
  })
})

describe('the timeline of a merge request', () => {
  const author = { id: 1, username: 'teo', name: 'Teo' } as Note['author']
  const note = (id: number, at: string, more: Partial<Note> = {}) =>
    ({ id, created_at: at, author, body: 'x', system: false, ...more }) as Note
  const thread = (id: string, notes: Note[], single = true): Discussion => ({
    id,
    individual_note: single,
    notes,
  })

  it('has notes, system notes and events in the order of time', () => {
    const entries = timelineOf(
      [
        thread('c', [note(3, '2026-11-22T10:03:00Z')]),
        thread('a', [note(1, '2026-11-22T10:01:00Z', { system: true })]),
        thread('b', [note(2, '2026-11-22T10:02:00Z')], false),
      ],
      {
        labels: [],
        milestones: [
          {
            id: 1,
            user: author,
            created_at: '2026-11-22T10:02:30Z',
            action: 'add',
            milestone: { title: '1.0' },
          },
        ],
        states: [{ id: 1, user: author, created_at: '2026-11-22T10:04:00Z', state: 'closed' }],
      },
    )
    expect(entries.map((entry) => entry.kind)).toEqual(['system', 'thread', 'said', 'note', 'said'])
    expect(entries[2]).toMatchObject({ words: 'set the milestone', what: '1.0' })
  })

  it('has one entry for labels that changed together', () => {
    const event = (id: number, at: string, action: string, name: string) => ({
      id,
      user: author,
      created_at: at,
      action,
      label: { name, color: '#000000' },
    })
    const entries = timelineOf([], {
      labels: [
        event(1, '2026-11-22T10:00:00.000Z', 'add', 'bug'),
        event(2, '2026-11-22T10:00:00.100Z', 'remove', 'docs'),
        event(3, '2026-11-22T11:00:00.000Z', 'add', 'wal'),
      ],
      milestones: [],
      states: [],
    })
    expect(entries).toHaveLength(2)
    expect(entries[0]).toMatchObject({
      change: { added: [{ name: 'bug' }], removed: [{ name: 'docs' }] },
    })
  })
})
