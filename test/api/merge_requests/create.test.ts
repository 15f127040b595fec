import { beforeAll, expect, test } from 'vitest'

import { openMergeRequest, pushTo } from '../../support/merge-requests.ts'
import { world, type TestUser } from '../../support/world.ts'

const w = await world()
let dev: TestUser
let guest: TestUser
let project: { id: number; path_with_namespace: string; default_branch: string }

beforeAll(async () => {
  dev = w.make.user({ username: 'dev' })
  guest = w.make.user({ username: 'guest' })
  project = await w.make.project({ with: 'readme', visibility: 'public' })
  await w.make.member('projects', project.id, dev, 30)
  await w.make.member('projects', project.id, guest, 10)
})

test('a merge request is opened with all that it can have', async () => {
  const made = await openMergeRequest(w, project, { author: dev })
  expect(made).toMatchObject({ iid: 1, state: 'opened' })
})
