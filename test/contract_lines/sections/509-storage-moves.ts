import { expect } from 'vitest'

import { eachFrom, visitors } from '../access.ts'
import type { Client } from '../../support/world.ts'
import { section, line, unproven } from '../section.ts'

/** The instance of these tests has a storage without repositories. */
const fromSpare = { source_storage_name: 'spare', destination_storage_name: 'default' }

export const statements = section(
  'Repository storage moves',
  async (w) => ({ project: await w.make.project(), ada: w.make.user(), team: visitors(w) }),
  [
    line(
      'POST `/project_repository_storage_moves`, POST `/snippet_repository_storage_moves`, POST `/group_repository_storage_moves` (PREMIUM SELF): JSON body `source_storage_name` and `destination_storage_name` strings; schedules moves of all repositories of that kind on the source storage. The repository is read-only until its move completes.',
      'POST with the names of unknown storages → 400; without → 400; from an empty storage, each',
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
      eachFrom(
        'administrator',
        Object.fromEntries(
          ['project', 'snippet', 'group'].map((kind) => [
            `POST /${kind}_repository_storage_moves`,
            (client: Client) => client.post(`/${kind}_repository_storage_moves`, fromSpare),
          ]),
        ),
      ),
    ),
    line(
      'GET `/projects?repository_storage=<storage_name>` lists projects by storage.',
      'GET /projects?repository_storage=default by an administrator → the projects of it; of another → none; by a user the parameter has no effect',
      async ({ w, root, project, ada }) => {
        expect(
          (await root.get('/projects?repository_storage=default&per_page=100')).body.map(
            (project: { id: number }) => project.id,
          ),
        ).toContain(project.id)
        expect((await root.get('/projects?repository_storage=nowhere')).body).toEqual([])
        const { id } = await w.make.project({ owner: ada })
        const seen = (await w.as(ada).get('/projects?repository_storage=nowhere&owned=true')).body
        expect(seen.map((project: { id: number }) => project.id)).toEqual([id])
      },
    ),
    unproven(
      'Endpoints to query storage moves: not shown.',
      'The contract does not show them; spec administration does.',
    ),
  ],
)
