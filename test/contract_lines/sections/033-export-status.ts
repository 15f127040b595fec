import { expect } from 'vitest'

import { hasFields, section, line } from '../section.ts'

export const statements = section(
  'Project export status',
  async (w) => ({ project: await w.make.project({ with: 'readme' }) }),
  [
    line(
      'Fields: project summary (id, description, name, name_with_namespace, path, path_with_namespace, created_at = project creation time, not export start), `export_status`, and `_links` `{api_url, web_url}` present only when finished.',
      'GET /projects/:id/export before and after an export',
      async ({ w, root, project }) => {
        const at = `/projects/${project.id}/export`
        const before = (await root.get(at)).body
        hasFields(before, {
          id: 'integer',
          description: 'string?',
          name: 'string',
          name_with_namespace: 'string',
          path: 'string',
          path_with_namespace: 'string',
          created_at: 'timestamp',
          export_status: 'string',
        })
        expect([before.export_status, before.created_at, '_links' in before]).toEqual([
          'none',
          project.created_at,
          false,
        ])
        expect((await root.post(at)).status).toBe(202)
        await w.drain()
        const after = (await root.get(at)).body
        expect(after.export_status).toBe('finished')
        hasFields(after._links, { api_url: 'string', web_url: 'string' })
      },
    ),
  ],
)
