import { expect } from 'vitest'

import { from, visitors } from '../access.ts'
import { section, line } from '../section.ts'

export const statements = section(
  'To-do items',
  async (w, root) => {
    const { id } = await w.make.project()
    const add = async () => {
      const { body: issue } = await root.post(`/projects/${id}/issues`, { title: 'Do' })
      return (await root.post(`/projects/${id}/issues/${issue.iid}/todo`)).body
    }
    return { id, add, team: visitors(w) }
  },
  [
    line(
      'GET `/todos` | all pending items by default; filters `action` (`assigned`, `mentioned`, `build_failed`, `marked`, `approval_required`, `unmergeable`, `directly_addressed`, `merge_train_removed`, `member_access_requested`), `author_id`, `project_id`, `group_id`, `state` (`pending`, `done`), `type` (`Issue`, `MergeRequest`, `Commit`, `Epic`, `DesignManagement::Design`, `AlertManagement::Alert`, `Namespace`) | array of to-do item',
      'GET /todos with each filter → 200; pending ones by default',
      async ({ root, id, add }) => {
        const { id: todo } = await add()
        const actions = [
          'assigned',
          'mentioned',
          'build_failed',
          'marked',
          'approval_required',
          'unmergeable',
          'directly_addressed',
          'merge_train_removed',
          'member_access_requested',
        ]
        const types = [
          'Issue',
          'MergeRequest',
          'Commit',
          'Epic',
          'DesignManagement::Design',
          'AlertManagement::Alert',
          'Namespace',
        ]
        const queries = [
          ...actions.map((action) => `action=${action}`),
          ...types.map((type) => `type=${type}`),
          'author_id=1',
          `project_id=${id}`,
          'state=pending',
          'state=done',
        ]
        for (const query of queries)
          expect([query, (await root.get(`/todos?${query}`)).status]).toEqual([query, 200])
        expect((await root.get('/todos')).body.map((todo: { id: number }) => todo.id)).toContain(todo)
        expect(
          (await root.get('/todos?state=done')).body.map((todo: { id: number }) => todo.id),
        ).not.toContain(todo)
      },
      from('stranger', (client) => client.get('/todos')),
    ),
    line(
      'POST `/todos/:id/mark_as_done` | | to-do item with state `done`',
      'POST → the item, done; of another person, also by an administrator → 404, without a token → 401',
      async ({ root, add, team }) => {
        const { id: todo } = await add()
        for (const [caller, status] of [
          ['anonymous', 401],
          ['stranger', 404],
          ['administrator', 404],
        ] as const)
          expect([caller, (await team.clients[caller].post(`/todos/${todo}/mark_as_done`)).status]).toEqual([
            caller,
            status,
          ])
        expect((await root.post(`/todos/${todo}/mark_as_done`)).body.state).toBe('done')
      },
    ),
    line(
      'POST `/todos/mark_as_done` | | 204 empty',
      'POST → 204, empty; the items of others stay pending',
      async ({ root, add, team }) => {
        const { id: todo } = await add()
        await team.clients.stranger.post('/todos/mark_as_done')
        expect((await root.get('/todos')).body.map((item: { id: number }) => item.id)).toContain(todo)
        const answer = await root.post('/todos/mark_as_done')
        expect([answer.status, answer.text]).toEqual([204, ''])
      },
      from('stranger', (client) => client.post('/todos/mark_as_done')),
    ),
  ],
)
