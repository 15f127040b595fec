import { describe, expect, it } from 'vitest'
import type { Event } from '../../renderer/api/schema.gen.ts'
import { groupByDay } from '../../renderer/composables/days.ts'
import { eventWords } from '../../renderer/views/activity/event-words.ts'

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
const sentence = (one: Event) =>
  eventWords(one)
    .said.map((piece) => piece.text)
    .join(' ')

describe('an event in words', () => {
  it('says what was pushed and leads to it', () => {
    expect(sentence(push({}))).toBe('pushed 1 commit to main')
    expect(eventWords(push({})).detail).toEqual({ text: 'Say it', to: 'commit/b' })
    expect(eventWords(push({ commit_count: 3 })).detail).toEqual({ text: 'Say it', to: 'compare/a...b' })
    expect(eventWords(push({})).said[1]).toMatchObject({ to: 'tree/main' })
  })

  it('tells branches and tags that come and go', () => {
    expect(sentence(push({ action: 'created', ref_type: 'tag', ref: 'v1' }))).toBe('created the tag v1')
    const gone = push({ action: 'removed', ref: 'old', commit_title: null })
    expect(sentence(gone)).toBe('deleted the branch old')
    expect(eventWords(gone).said[1]?.to).toBeUndefined()
    expect(sentence(push({ action: 'created', ref: null, ref_count: 4 }))).toBe('created 4 branches')
  })

  it('tells comments, people and everything else', () => {
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
})

describe('days', () => {
  it('gather what happened on them, in the order it came', () => {
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
