import { expect } from 'vitest'

import { section, line } from '../section.ts'

export const statements = section(
  'Endpoints',
  async (w) => ({ at: `/projects/${(await w.make.project()).id}` }),
  [
    line(
      'All paths are under `{base_url}/api/v4`. Success codes: POST creating returns 201; GET/PUT return 200; DELETE returns 204 (202 if scheduled).',
      'POST, GET, PUT, DELETE of a label → 201, 200, 200, 204',
      async ({ root, at }) => {
        const made = await root.post(`${at}/labels`, { name: 'one', color: '#112233' })
        const labelPath = `${at}/labels/${made.body.id}`
        const read = await root.get(labelPath)
        const changed = await root.put(labelPath, { color: '#445566' })
        const deleted = await root.delete(labelPath)
        expect([made.status, read.status, changed.status, deleted.status]).toEqual([201, 200, 200, 204])
      },
    ),
  ],
)
