import { expect } from 'vitest'

import { hasFields, section, line } from '../section.ts'

export const statements = section(
  'Project import status',
  async (w, root) => {
    const project = await w.make.project({ with: 'readme' })
    await root.post(`/projects/${project.id}/export`)
    await w.drain()
    return {
      archive: await (
        await fetch(`${w.url}/api/v4/projects/${project.id}/export/download`, {
          headers: { 'private-token': w.root.token },
        })
      ).blob(),
    }
  },
  [
    line(
      'Fields: project summary, import_status, import_type, correlation_id, import_error (when failed), failed_relations (array, capped at 100, entries: id (failure record ID, not relation), created_at, exception_class, exception_message, source, relation_name, line_number), and for imports from source host type A a `stats` object with `fetched` and `imported`, each mapping kinds (diff_note, issue, label, note, pull_request, pull_request_merged_by, pull_request_review) to integers.',
      'POST /projects/import, then GET /projects/:id/import → these fields',
      async ({ w, root, archive }) => {
        const form = new FormData()
        form.set('path', 'came-in')
        form.set('file', archive, 'archive.tar.gz')
        const made = await root.post('/projects/import', form)
        expect(made.status).toBe(201)
        await w.drain()
        const { body } = await root.get(`/projects/${made.body.id}/import`)
        hasFields(body, {
          id: 'integer',
          name: 'string',
          path_with_namespace: 'string',
          created_at: 'timestamp',
          import_status: 'string',
          import_type: 'string',
          correlation_id: 'string',
          failed_relations: 'array',
        })
        expect(body.import_status).toBe('finished')
      },
    ),
  ],
)
