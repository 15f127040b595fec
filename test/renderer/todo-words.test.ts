import { describe, expect, it } from 'vitest'
import type { Todo } from '../../renderer/api/schema.gen.ts'
import { todoWords } from '../../renderer/views/todos/todo-words.ts'
import { newTodos } from '../../renderer/views/todos/new-todos.ts'

const todo = (fields: object) =>
  ({
    id: 1,
    project: { path: 'heron' },
    author: { id: 2, username: 'teo', name: 'Teo Brandt' },
    action_name: 'assigned',
    target_type: 'Issue',
    target: { iid: 7, due_date: null },
    target_url: 'http://localhost:7080/mara/heron/-/issues/7',
    body: 'Mind the gauge',
    state: 'pending',
    ...fields,
  }) as unknown as Todo

describe('the text of a to-do item', () => {
  it('contains its subject, its reason and its link', () => {
    expect(todoWords(todo({ target: { iid: 7, due_date: '2026-11-27' } }), 1)).toEqual({
      kind: 'issue',
      title: 'Mind the gauge',
      isQuote: false,
      location: 'heron #7',
      said: 'assigned to you by Teo Brandt · due 27 Nov',
      verb: 'Open',
      to: '/mara/heron/-/issues/7',
    })
    expect(todoWords(todo({}), 2).said).toBe('you assigned it to yourself')
    const review = todoWords(todo({ action_name: 'review_requested', target_type: 'MergeRequest' }), 1)
    expect([review.kind, review.location, review.said, review.verb]).toEqual([
      'review',
      'heron !7',
      'Teo Brandt asked for your review',
      'Review',
    ])
  })

  it('quotes the first line of a comment', () => {
    const url = 'http://localhost:7080/mara/heron/-/merge_requests/7#note_5'
    const words = todoWords(
      todo({ action_name: 'mentioned', target_url: url, body: '\n> - Why, @mara?\n\nSo.' }),
      1,
    )
    expect([words.title, words.isQuote, words.to]).toEqual([
      'Why, @mara?',
      true,
      '/mara/heron/-/merge_requests/7#note_5',
    ])
  })

  it('asks for a decision about a request for access', () => {
    const words = todoWords(
      todo({ action_name: 'member_access_requested', target_type: 'Project', body: 'mara/heron' }),
      1,
    )
    expect([words.title, words.location, words.verb]).toEqual([
      'Teo Brandt requests access',
      'mara/heron',
      'Review',
    ])
  })
})

describe('new to-do items', () => {
  it('are those after the newest known one', () => {
    const list = [5, 4, 3, 2].map((id) => todo({ id }))
    expect(newTodos(list, null)).toEqual([])
    expect(newTodos(list, 3).map((todo) => todo.id)).toEqual([4, 5])
    expect(newTodos(list, 0).map((todo) => todo.id)).toEqual([3, 4, 5])
  })
})
