import { describe, expect, it } from 'vitest'
import type { Event } from '../../renderer/api/schema.gen.ts'
import { groupByDay } from '../../renderer/composables/days.ts'
import { eventWords, pieceUrl } from '../../renderer/views/activity/event-words.ts'

const event = (fields: object) =>
  ({ action_name: 'pushed to', target_type: null, target_title: null, ...fields }) as Event
const push = (fields: object) =>
  event({
    push_data: {
      commit_count: 1,
      action: 'pushed',
      ref_type: 'branch',
      commit_from: 'a',
      commit_to: 'b',
      ref: 'main',
      commit_title: 'Say it',
      ref_count: null,
      ...fields,
    },
  })
const sentence = (event: Event) =>
  eventWords(event)
    .said.map((piece) => piece.text)
    .join(' ')

describe('the text of an event', () => {
  it('describes a push and links to it', () => {
    expect(sentence(push({}))).toBe('pushed 1 commit to main')
    expect(eventWords(push({})).detail).toEqual({ text: 'Say it', to: 'commit/b' })
    expect(eventWords(push({ commit_count: 3 })).detail).toEqual({ text: 'Say it', to: 'compare/a...b' })
    expect(eventWords(push({})).said[1]).toMatchObject({ to: 'tree/main' })
  })

  it('describes created and deleted branches and tags', () => {
    expect(sentence(push({ action: 'created', ref_type: 'tag', ref: 'v1' }))).toBe('created the tag v1')
    const removal = push({ action: 'removed', ref: 'old', commit_title: null })
    expect(sentence(removal)).toBe('deleted the branch old')
    expect(eventWords(removal).said[1]?.to).toBeUndefined()
    expect(sentence(push({ action: 'created', ref: null, ref_count: 4 }))).toBe('created 4 branches')
  })

  it('describes comments, members and other events', () => {
    const note = { body: 'Fine.\nMore', noteable_type: 'Commit', commit_id: 'abcdef0123' }
    const comment = event({ action_name: 'commented on', note })
    expect(sentence(comment)).toBe('commented on the commit abcdef01')
    expect(eventWords(comment).detail).toEqual({ text: 'Fine.' })
    expect(sentence(event({ action_name: 'joined' }))).toBe('joined the project')
    const opened = event({ action_name: 'opened', target_type: 'MergeRequest', target_title: 'Faster' })
    expect(sentence(opened)).toBe('opened the merge request')
    expect(eventWords(opened).detail).toEqual({ text: 'Faster' })
    expect(sentence(event({ action_name: 'created' }))).toBe('created the project')
  })

  it('contains issues, merge requests and milestones with links', () => {
    const merged = event({
      action_name: 'accepted',
      target_type: 'MergeRequest',
      target_iid: 7,
      target_title: 'Faster',
    })
    expect(sentence(merged)).toBe('merged !7')
    expect(eventWords(merged).detail).toEqual({ text: 'Faster', to: 'merge_requests/7' })
    const note = { id: 5, body: 'Why?\nMore', noteable_type: 'Issue', noteable_iid: 3 }
    const comment = event({ action_name: 'commented on', target_type: 'Note', note })
    expect(sentence(comment)).toBe('commented on #3')
    expect(eventWords(comment).detail).toEqual({ text: 'Why?', to: 'issues/3#note_5' })
    const closed = { action_name: 'closed', target_type: 'Milestone', target_title: '1.0' }
    expect(sentence(event({ ...closed, target_iid: 2 }))).toBe('closed the milestone 1.0')
    expect(eventWords(event({ ...closed, target_iid: null })).said[1]?.to).toBeUndefined()
    expect(pieceUrl('/a/b', 'issues/3#note_5')).toBe('/a/b/-/issues/3#note_5')
    expect(pieceUrl('/a/b', 'tree/fix#1')).toBe('/a/b/-/tree/fix%231')
    expect(pieceUrl('/a/b', 'tree/x y?z=1')).toBe('/a/b/-/tree/x%20y?z=1')
  })
})

describe('the days of a feed', () => {
  it('group events by day, in their order', () => {
    const now = new Date(2026, 10, 21, 15).getTime()
    const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString()
    const days = groupByDay([at(21, 9), at(20, 23), at(20, 1), at(2, 1)], (time) => time, now)
    expect(days.map((day) => [day.day, day.items.length])).toEqual([
      ['Today', 1],
      ['Yesterday', 2],
      ['Monday 2 November', 1],
    ])
  })
})
