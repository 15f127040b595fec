import { expect } from 'vitest'

import { section, line } from '../section.ts'

export const statements = section(
  'To-do items',
  async (w, root) => {
    const { id } = await w.make.project()
    const add = async () => {
      const { body: issue } = await root.post(`/projects/${id}/issues`, { title: 'Do' })
      return (await root.post(`/projects/${id}/issues/${issue.iid}/todo`)).body
    }
    return { id, add }
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
    ),
    line(
      'POST `/todos/:id/mark_as_done` | | to-do item with state `done`',
      'POST → the item, done; of another person → 404',
      async ({ w, root, add }) => {
        const { id: todo } = await add()
        expect((await w.as(w.make.user()).post(`/todos/${todo}/mark_as_done`)).status).toBe(404)
        expect((await root.post(`/todos/${todo}/mark_as_done`)).body.state).toBe('done')
      },
    ),
    line('POST `/todos/mark_as_done` | | 204 empty', 'POST → 204, empty', async ({ root }) => {
      const answer = await root.post('/todos/mark_as_done')
      expect([answer.status, answer.text]).toEqual([204, ''])
    }),
  ],
)
