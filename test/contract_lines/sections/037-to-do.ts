import { expect } from 'vitest'

import { hasFields, hasOnlyFields, section, line } from '../section.ts'

export const statements = section(
  'To-do item',
  async (w, root) => {
    const { id } = await w.make.project()
    await root.post(`/projects/${id}/issues`, { title: 'Do', assignee_ids: [w.root.id] })
    const { body } = await root.get(`/projects/${id}/issues`)
    await root.post(`/projects/${id}/issues/${body[0].iid}/todo`)
    return { id }
  },
  [
    line(
      'Fields: id, project `{id, name, name_with_namespace, path, path_with_namespace}`, author (user summary), action_name, target_type, target (the issue/merge request/etc. object), target_url, body, state (`pending`, `done`), created_at, updated_at.',
      'GET /todos → these fields',
      async ({ root, id }) => {
        const { body } = await root.get(`/todos?project_id=${id}`)
        hasFields(body[0], {
          id: 'integer',
          project: 'object',
          author: 'object',
          action_name: 'string',
          target_type: 'string',
          target: 'object',
          target_url: 'string',
          body: 'string',
          state: 'string',
          created_at: 'timestamp',
          updated_at: 'timestamp',
        })
        hasOnlyFields(body[0].project, {
          id: 'integer',
          name: 'string',
          name_with_namespace: 'string',
          path: 'string',
          path_with_namespace: 'string',
        })
        expect(body[0].state).toBe('pending')
      },
    ),
  ],
)
