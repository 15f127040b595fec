import { expect, it } from 'vitest'

import { frozenClock } from '../../../../server/lib/clock.ts'
import { world } from '../../../support/world.ts'
import { fill } from '../../repository/fill.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
const instance = await world({ clock })
const { as, make } = instance

it('the rate limit allows a user 300 notes per minute', async () => {
  const project = await make.project()
  const [sha] = fill(instance, project, [{ files: { 'a.txt': 'a\n' } }])
  const [writer, other] = [make.user(), make.user()]
  await make.member('projects', project.id, writer, 30)
  await make.member('projects', project.id, other, 30)
  const write = (user: typeof writer) =>
    as(user).post(`/projects/${project.id}/repository/commits/${sha}/comments`, { note: 'x' })
  for (let count = 1; count <= 300; count++) expect((await write(writer)).status).toBe(201)
  const tooMany = await write(writer)
  expect([tooMany.status, tooMany.body]).toEqual([
    429,
    { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
  ])
  expect((await write(other)).status).toBe(201)
  clock.advance(60_000)
  expect((await write(writer)).status).toBe(201)
})
