import { hasFields, section, line } from '../section.ts'

export const statements = section(
  'Merge request approval status',
  async (w, root) => {
    const { id } = await w.make.project({ with: 'readme' })
    await root.post(`/projects/${id}/repository/branches`, { branch: 'topic', ref: 'main' })
    await root.post(`/projects/${id}/repository/files/new.txt`, {
      branch: 'topic',
      content: 'x',
      commit_message: 'New',
    })
    const { body } = await root.post(`/projects/${id}/merge_requests`, {
      source_branch: 'topic',
      target_branch: 'main',
      title: 'Topic',
    })
    const at = `/projects/${id}/merge_requests/${body.iid}`
    await root.post(`${at}/approve`)
    return { at }
  },
  [
    line(
      'Fields: id, iid, project_id, title, description, state, created_at, updated_at, merge_status, approvals_required, approvals_left, approved_by (array of `{user: user summary}`).',
      'GET /projects/:id/merge_requests/:iid/approvals → these fields',
      async ({ root, at }) => {
        const { body } = await root.get(`${at}/approvals`)
        hasFields(body, {
          id: 'integer',
          iid: 'integer',
          project_id: 'integer',
          title: 'string',
          description: 'string?',
          state: 'string',
          created_at: 'timestamp',
          updated_at: 'timestamp',
          merge_status: 'string',
          approvals_required: 'integer',
          approvals_left: 'integer',
          approved_by: 'array',
        })
      },
    ),
  ],
)
