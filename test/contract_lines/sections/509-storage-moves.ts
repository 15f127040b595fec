import { expect } from 'vitest'

import { section, line, unproven } from '../section.ts'

export const statements = section(
  'Repository storage moves',
  async (w) => ({ project: await w.make.project() }),
  [
    line(
      'POST `/project_repository_storage_moves`, POST `/snippet_repository_storage_moves`, POST `/group_repository_storage_moves` (PREMIUM SELF): JSON body `source_storage_name` and `destination_storage_name` strings; schedules moves of all repositories of that kind on the source storage. The repository is read-only until its move completes.',
      'POST with the names of unknown storages → 400; without → 400',
      async ({ root }) => {
        for (const kind of ['project', 'snippet', 'group']) {
          const params = { source_storage_name: 'default', destination_storage_name: 'nowhere' }
          expect([kind, (await root.post(`/${kind}_repository_storage_moves`, params)).status]).toEqual([
            kind,
            400,
          ])
          expect((await root.post(`/${kind}_repository_storage_moves`, {})).status).toBe(400)
        }
      },
    ),
    line(
      'GET `/projects?repository_storage=<storage_name>` lists projects by storage.',
      'GET /projects?repository_storage=default → the projects of it; of another → none',
      async ({ root, project }) => {
        expect(
          (await root.get('/projects?repository_storage=default&per_page=100')).body.map(
            (project: { id: number }) => project.id,
          ),
        ).toContain(project.id)
        expect((await root.get('/projects?repository_storage=nowhere')).body).toEqual([])
      },
    ),
    unproven(
      'Endpoints to query storage moves: not shown.',
      'The contract does not show them; spec administration does.',
    ),
  ],
)
